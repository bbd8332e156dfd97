/** What a recall gives back: an exact original, or what a search found. */

/** Narrows and bounds a search. */
export interface SearchFilters {
  /** Only what is about this file, by its name, its last folders and name, or its whole path. */
  readonly path?: string;
  /** Only calls and results of this tool. */
  readonly tool?: string;
  /** Only messages from this number on. @default 0 */
  readonly since?: number;
  /** Only messages before this number. @default the length of the history */
  readonly until?: number;
  /** Hits at most, 1 to 20; what else matches is counted. @default 5 */
  readonly maxHits?: number;
  /** Tokens of all hits together, by the context's counter, from 50. @default 2000 */
  readonly maxTokens?: number;
}

/** A text that left the view and answers a query. */
export interface RecallHit {
  readonly address: string;
  /** Position in the history. */
  readonly entry: number;
  /** Who said it, or the call it answers. */
  readonly what: string;
  /** The lines worth most to the query, whole and in order, `…` where lines are left out and where a very long line is cut. Secrets are taken out. */
  readonly excerpt: string;
  /** Where in the text the lines of the excerpt stand, from 1, ends included. */
  readonly ranges: readonly (readonly [from: number, to: number])[];
  /** Lines of the whole text. */
  readonly lineCount: number;
  /** Where the excerpt begins in the original, characters; undefined where the original is no plain text. */
  readonly offset?: number;
}

/** Hits are best first; `omitted`: what matches too and is not among them. */
export type Recalled =
  | { readonly kind: 'content'; readonly address: string; readonly text: string }
  | { readonly kind: 'hits'; readonly query: string; readonly hits: readonly RecallHit[]; readonly omitted: number };

/** Ranges named one by one; of more, only how many and between which lines. */
const NAMED_RANGES = 3;

function linesOf({ ranges, lineCount }: Pick<RecallHit, 'ranges' | 'lineCount'>): string {
  const named = ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
  const last = ranges.at(-1)?.[1] ?? 0;
  const list = named.length <= NAMED_RANGES ? named.join(', ') : `${named.length} parts of ${ranges[0]?.[0]}-${last}`;
  return `${list} of ${lineCount}`;
}

/** The line that stands over a hit's excerpt. Calls are shown as their words, not as stored, so no lines are named. */
export function hitHeader(hit: Omit<RecallHit, 'excerpt'>): string {
  const { address, entry, what, ranges, lineCount, offset } = hit;
  const isWhole = ranges.length === 1 && ranges[0]?.[0] === 1 && ranges[0][1] === lineCount;
  const where = offset === undefined || isWhole ? '' : `; lines ${linesOf(hit)}, from offset ${offset}`;
  return `recall: ${address} (message ${entry}, ${what}${where})`;
}
