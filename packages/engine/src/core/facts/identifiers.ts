/**
 * The names a history speaks of, with what later calls are likely to name again first. A name counts once for each part it
 * stands in, more where the model or the user wrote it than where a tool printed it, and what it counts fades as the
 * history grows. Kept up to date in one pass over what is new, and only when asked.
 */
import type { Part } from '../entry.ts';
import type { History } from '../history.ts';
import { scanIdentifiers } from './scan-identifiers.ts';

/** What a name counts by where it stands. */
export interface Weights {
  readonly call: number;
  readonly user: number;
  readonly model: number;
  readonly result: number;
  /** Characters of history after which half of it is left. */
  readonly halfLifeChars: number;
}

export const WEIGHTS: Weights = { call: 8, user: 8, model: 4, result: 1, halfLifeChars: 400_000 };

/** Names kept at least; up to twice as many. The longest unseen go first. */
const MIN_NAMES = 32_768;

interface Seen {
  /** Faded to `at`. */
  score: number;
  at: number;
  /** The newest part it was counted for, and whether that was the model's or the user's words. */
  part: number;
  /** The newest entry it stands in. */
  entry: number;
  /** The newest entry whose call or words name it; -1 for none. */
  named: number;
  readonly isPath: boolean;
}

/** One name and what it counts. */
export interface Identifier {
  readonly text: string;
  readonly score: number;
  readonly isPath: boolean;
  /** The newest entry it stands in. */
  readonly entry: number;
  /** The newest entry in which the model or the user wrote it; -1 where none did. */
  readonly named: number;
}

export class IdentifierIndex {
  readonly #history: History;
  readonly #weights: Weights;
  #young = new Map<string, Seen>();
  #old = new Map<string, Seen>();
  #length = 0;
  #chars = 0;
  #parts = 0;

  constructor(history: History, weights: Weights = WEIGHTS) {
    this.#history = history;
    this.#weights = weights;
  }

  /** Takes in the entries before `until`: linear in their text. */
  extend(until: number = this.#history.length): this {
    for (; this.#length < until; this.#length += 1) {
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

  #identifier(text: string, { score, at, isPath, entry, named }: Seen): Identifier {
    return { text, score: score * this.#fading(at), isPath, entry, named };
  }

  #fading(at: number): number {
    return 2 ** ((at - this.#chars) / this.#weights.halfLifeChars);
  }

  #take(part: Part, isModel: boolean): void {
    const { call, user, model, result } = this.#weights;
    if (part.kind === 'call') this.#takeValue(part.input, call);
    else if (part.kind === 'result') this.#takeText(part.text, result);
    else if (part.kind === 'text') this.#takeText(part.text, isModel ? model : user);
    this.#parts += 1;
  }

  #takeValue(value: unknown, weight: number): void {
    if (typeof value === 'string') this.#takeText(value, weight);
    else if (Array.isArray(value)) for (const item of value) this.#takeValue(item, weight);
    else if (value !== null && typeof value === 'object')
      for (const item of Object.values(value)) this.#takeValue(item, weight);
  }

  #takeText(text: string, weight: number): void {
    const isNaming = weight > this.#weights.result;
    scanIdentifiers(text, (from, to, isPath) => {
      const seen = this.#seen(text.slice(from, to), isPath);
      seen.entry = this.#length;
      if (isNaming) seen.named = this.#length;
      if (seen.part === this.#parts) return;
      seen.part = this.#parts;
      seen.score = seen.score * this.#fading(seen.at) + weight;
      seen.at = this.#chars;
    });
    this.#chars += text.length;
  }

  #seen(name: string, isPath: boolean): Seen {
    const young = this.#young.get(name);
    if (young !== undefined) return young;
    if (this.#young.size >= MIN_NAMES) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    const seen = this.#old.get(name) ?? { score: 0, at: this.#chars, part: -1, entry: -1, named: -1, isPath };
    this.#young.set(name, seen);
    return seen;
  }
}
