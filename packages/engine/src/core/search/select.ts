/** Chooses the sources to show and, line by line, as much of each as a budget allows; no line counts twice. */
import type { Count } from '../view.ts';
import type { Source } from './sources.ts';
import type { Candidate } from './weigh.ts';

/** Lines of one source to show. */
export interface Selection {
  readonly source: Source;
  /** All its lines. */
  readonly lines: readonly string[];
  /** Indices of those to show, ascending. */
  readonly shown: readonly number[];
}

export interface SelectOptions {
  readonly maxHits: number;
  readonly maxTokens: number;
  readonly count: Count;
  /** Tokens of a hit beside its lines. */
  readonly headerTokens: (source: Source) => number;
  /** Whether a line, by its key, stands in view: then it need not be shown. */
  readonly isSeen: (key: string) => boolean;
  /** What a line is worth of its neighbour's worth. */
  readonly reach: number;
}

/** Around a match, context comes after all other matches. Best of 0.05 to 0.8 on a real session. */
export const MATCH_REACH = 0.2;
/** Of a file asked for by name, what stands near the lines worked on last is likely to be next. Best of 0.5 to 0.95 on the same. */
export const FILE_REACH = 0.8;

/** Lines this far from any of worth are not shown. */
const MAX_REACH_LINES = 12;

/** Longer lines are cut around what matches. What a user says is often one line. */
const MAX_LINE_CHARS = 400;
const MAX_ASKED_CHARS = 2_000;

/** Where something is left out. */
export const GAP = '…';

export function maxLineChars({ kind }: Source): number {
  return kind === 'asked' ? MAX_ASKED_CHARS : MAX_LINE_CHARS;
}

/** The norm by which lines make up a source: with 1 many poor ones would count as much as a good one. Best of 1 to 3 on recorded sessions. */
const NORM = 1.5;

/** What a candidate adds to what is covered. */
function added({ tellings }: Candidate, isCovered: (key: string) => boolean): number {
  const own = new Set<string>();
  let sum = 0;
  for (const { key, worth } of tellings) {
    if (own.has(key) || isCovered(key)) continue;
    own.add(key);
    sum += worth ** NORM;
  }
  return sum;
}

/** Of a word that stands everywhere, more would only cost time. */
const MAX_CONSIDERED = 100;

/** The candidates that add most, one after the other: what one shows counts for no other. */
function chooseSources(
  candidates: readonly Candidate[],
  { maxHits, isSeen }: Pick<SelectOptions, 'maxHits' | 'isSeen'>,
): readonly Candidate[] {
  const covered = new Set<string>();
  const isCovered = (key: string): boolean => covered.has(key) || isSeen(key);
  const left = candidates
    .map((candidate) => ({ candidate, worth: added(candidate, isCovered) }))
    .toSorted((a, b) => b.worth - a.worth)
    .slice(0, MAX_CONSIDERED);
  const chosen: Candidate[] = [];
  while (chosen.length < maxHits) {
    const best = left.reduce((a, b) => (b.worth > a.worth ? b : a), { candidate: candidates[0], worth: 0 });
    if (best.candidate === undefined || best.worth === 0) break;
    // What a candidate adds only shrinks: one whose worth is still true is the best.
    const worth = added(best.candidate, isCovered);
    const isTrue = worth === best.worth;
    best.worth = isTrue ? 0 : worth;
    if (!isTrue) continue;
    chosen.push(best.candidate);
    for (const { key } of best.candidate.tellings) covered.add(key);
  }
  return chosen;
}

/** What each line is worth with the lines around it. */
function spread(worths: readonly number[], reach: number): readonly number[] {
  const near = [...worths];
  const origins = worths.map((worth, index) => (worth > 0 ? index : Number.NEGATIVE_INFINITY));
  const pass = (index: number, beside: number): void => {
    const worth = (near[beside] ?? 0) * reach;
    const origin = origins[beside] ?? Number.NEGATIVE_INFINITY;
    if (worth <= (near[index] ?? 0) || Math.abs(index - origin) > MAX_REACH_LINES) return;
    near[index] = worth;
    origins[index] = origin;
  };
  for (let index = 1; index < near.length; index += 1) pass(index, index - 1);
  for (let index = near.length - 2; index >= 0; index -= 1) pass(index, index + 1);
  return near;
}

interface Opened {
  readonly source: Source;
  readonly lines: readonly string[];
  readonly headerTokens: number;
  readonly worths: readonly number[];
  readonly keys: readonly (string | undefined)[];
  readonly shown: number[];
}

function opened({ source, tellings }: Candidate, headerTokens: number): Opened {
  const lines = source.text.split('\n');
  const byStart = new Map(tellings.map((telling) => [telling.at, telling]));
  let at = 0;
  const told = lines.map((line) => {
    const telling = byStart.get(at);
    at += line.length + 1;
    return telling;
  });
  return {
    source,
    lines,
    headerTokens,
    worths: told.map((telling) => telling?.worth ?? 0),
    keys: told.map((telling) => telling?.key),
    shown: [],
  };
}

interface Offer {
  readonly hit: Opened;
  readonly line: number;
  readonly worth: number;
}

/** Other lines are brackets and rules. */
const TELLS = /[\p{L}\p{N}]/u;

/** Every line that may be shown, worth most first; one of worth only where it stands first, and not where it stands in view. */
function offersOf(
  hits: readonly Opened[],
  { reach, isSeen }: Pick<SelectOptions, 'reach' | 'isSeen'>,
): readonly Offer[] {
  const told = new Set<string>();
  const isRepeated = (key: string | undefined): boolean => {
    if (key === undefined) return false;
    const isKnown = told.has(key) || isSeen(key);
    told.add(key);
    return isKnown;
  };
  return hits
    .flatMap((hit) => spread(hit.worths, reach).map((worth, line): Offer => ({ hit, line, worth })))
    .filter(({ hit, line, worth }) => worth > 0 && TELLS.test(hit.lines[line] ?? '') && !isRepeated(hit.keys[line]))
    .toSorted((a, b) => b.worth - a.worth);
}

/** In order. Where one line is missing that says nothing, such as a bracket, it takes the place of the mark of a gap if it is no longer. */
function inOrder({ lines, shown }: Opened, count: Count): readonly number[] {
  const sorted = shown.toSorted((a, b) => a - b);
  const isCheap = (line: string): boolean => !TELLS.test(line) && count(line) <= count(GAP);
  return sorted.flatMap((line, index) => {
    const isGap = sorted[index - 1] === line - 2 && isCheap(lines[line - 1] ?? '');
    return isGap ? [line - 1, line] : [line];
  });
}

export function select(candidates: readonly Candidate[], options: SelectOptions): readonly Selection[] {
  const { maxTokens, count, headerTokens } = options;
  const hits = chooseSources(candidates, options).map((candidate) => opened(candidate, headerTokens(candidate.source)));
  let tokens = 0;
  for (const { hit, line } of offersOf(hits, options)) {
    // One more for the line break, or for the mark of a gap.
    const text = (hit.lines[line] ?? '').slice(0, maxLineChars(hit.source));
    const cost = (hit.shown.length === 0 ? hit.headerTokens : 0) + count(text) + 1;
    if (tokens + cost > maxTokens) continue;
    tokens += cost;
    hit.shown.push(line);
  }
  return hits
    .map((hit) => ({ source: hit.source, lines: hit.lines, shown: inOrder(hit, count) }))
    .filter(({ shown }) => shown.length > 0);
}
