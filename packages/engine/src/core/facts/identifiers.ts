/**
 * The names a history speaks of, with what later calls are likely to name again first. A name counts once for each part it
 * stands in, more where the model or the user wrote it than where a tool printed it, and what it counts fades as the
 * history grows. Kept up to date in one pass over what is new, and only when asked; names are slices of the history's
 * own texts.
 */
import type { Part } from '../entry.ts';
import type { History } from '../history.ts';
import { scanIdentifiers } from './scan-identifiers.ts';

/**
 * Chosen on a recorded coding session of 484 calls, compacted at 30k, 40k and 60k tokens: names that stood in a file read once,
 * just before the cut, matter as much as names used all the time. Neither scale alone does as well, and the result is flat around these numbers.
 */
const WEIGHT = { call: 4, user: 4, model: 2, result: 1 } as const;
/** Characters of history after which half of a mention is left. */
const FAST_CHARS = 50_000;
const SLOW_CHARS = 1_000_000;
/** What a mention counts for in the long run, beside 1 for now. */
const SLOW_SHARE = 0.03;

/** Names kept at least, and twice as many at most: those unseen for longest go first. */
const MIN_NAMES = 32_768;

interface Seen {
  /** What it counts, faded to `at`, by either scale. */
  fast: number;
  slow: number;
  /** Characters of history before the newest part it was counted for. */
  at: number;
  /** Number of that part. */
  part: number;
  /** The newest entry it stands in. */
  entry: number;
  readonly isPath: boolean;
}

/** One name and what it counts. */
export interface Identifier {
  readonly text: string;
  readonly score: number;
  /** A path or an address of the web. */
  readonly isPath: boolean;
  /** The newest entry it stands in. */
  readonly entry: number;
}

export class IdentifierIndex {
  readonly #history: History;
  #young = new Map<string, Seen>();
  #old = new Map<string, Seen>();
  #length = 0;
  #chars = 0;
  #parts = 0;

  constructor(history: History) {
    this.#history = history;
  }

  /** Takes in what the history has grown by: linear in that. */
  extend(): this {
    for (; this.#length < this.#history.length; this.#length += 1) {
      const { origin, parts } = this.#history.at(this.#length);
      for (const part of parts) this.#take(part, origin === 'model');
    }
    return this;
  }

  /** All names kept, in no order. */
  *all(): IterableIterator<Identifier> {
    for (const [text, seen] of this.#young) yield this.#identifier(text, seen);
    for (const [text, seen] of this.#old) if (!this.#young.has(text)) yield this.#identifier(text, seen);
  }

  #identifier(text: string, { fast, slow, at, isPath, entry }: Seen): Identifier {
    const chars = this.#chars - at;
    const score = fast * 2 ** (-chars / FAST_CHARS) + SLOW_SHARE * slow * 2 ** (-chars / SLOW_CHARS);
    return { text, score, isPath, entry };
  }

  #take(part: Part, isModel: boolean): void {
    if (part.kind === 'call') this.#takeValue(part.input);
    else if (part.kind === 'result') this.#takeText(part.text, WEIGHT.result);
    else if (part.kind === 'text') this.#takeText(part.text, isModel ? WEIGHT.model : WEIGHT.user);
    this.#parts += 1;
  }

  #takeValue(value: unknown): void {
    if (typeof value === 'string') this.#takeText(value, WEIGHT.call);
    else if (Array.isArray(value)) for (const item of value) this.#takeValue(item);
    else if (value !== null && typeof value === 'object')
      for (const item of Object.values(value)) this.#takeValue(item);
  }

  #takeText(text: string, weight: number): void {
    scanIdentifiers(text, (from, to, isPath) => {
      this.#count(this.#seen(text.slice(from, to), isPath), weight);
    });
    this.#chars += text.length;
  }

  #count(seen: Seen, weight: number): void {
    seen.entry = this.#length;
    if (seen.part === this.#parts) return;
    const chars = this.#chars - seen.at;
    seen.fast = seen.fast * 2 ** (-chars / FAST_CHARS) + weight;
    seen.slow = seen.slow * 2 ** (-chars / SLOW_CHARS) + weight;
    seen.at = this.#chars;
    seen.part = this.#parts;
  }

  #seen(name: string, isPath: boolean): Seen {
    const young = this.#young.get(name);
    if (young !== undefined) return young;
    if (this.#young.size >= MIN_NAMES) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    const seen = this.#old.get(name) ?? { fast: 0, slow: 0, at: this.#chars, part: -1, entry: -1, isPath };
    this.#young.set(name, seen);
    return seen;
  }
}

/** Names go with their history, as its facts do. */
const INDICES = new WeakMap<History, IdentifierIndex>();

/** The names of `history` up to its end. Costs what came since the last call. */
export function identifiersOf(history: History): IdentifierIndex {
  const index = INDICES.get(history) ?? new IdentifierIndex(history);
  INDICES.set(history, index);
  return index.extend();
}
