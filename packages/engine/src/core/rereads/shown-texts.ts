/**
 * What the results of a history say, indexed by whole text and by line, so that a text that comes again is found without comparing all with all.
 * Grows with the history; what lies too far back is forgotten.
 */
import type { History, Place } from '../history.ts';
import { Indices } from '../indices.ts';

/** A result's text, by its number in the index. */
export interface ShownText extends Place {
  readonly text: string;
  /** Characters of all indexed texts up to and with this one. */
  readonly totalChars: number;
}

/** A line of an indexed text. */
export interface Anchor {
  readonly id: number;
  readonly offset: number;
}

/** Texts that are remembered, characters: a window of a million tokens at four each. */
const REMEMBERED_CHARS = 4_000_000;

/** Shorter texts and lines are in no index: they are everywhere, and pointing at them costs more. */
const MIN_TEXT_CHARS = 200;
export const MIN_LINE_CHARS = 12;

/** Places looked at for one line or text, newest first. */
const MAX_CANDIDATES = 8;

/** FNV-1a over `[from, to)`; what it finds is compared character by character afterwards. */
export function hashOf(text: string, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let i = from; i < to; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash ^ (hash >>> 15);
}

/** Calls `visit` for each line `[from, to)` of `text` that is long enough, until it returns false. */
export function eachLine(text: string, visit: (from: number, to: number) => void): void {
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end;
    if (to - from >= MIN_LINE_CHARS) visit(from, to);
    from = to + 1;
  }
}

/** Chains of numbers by a hash, newest first. */
class Chains {
  readonly #newest = new Map<number, number>();
  readonly #previous = new Indices();

  get length(): number {
    return this.#previous.length;
  }

  /** Adds the next number under `hash`. */
  add(hash: number): void {
    this.#previous.push(this.#newest.get(hash) ?? -1);
    this.#newest.set(hash, this.#previous.length - 1);
  }

  newest(hash: number): number {
    return this.#newest.get(hash) ?? -1;
  }

  before(number: number): number {
    return this.#previous.at(number) ?? -1;
  }
}

export class ShownTexts {
  readonly #texts: ShownText[] = [];
  readonly #byText = new Chains();
  readonly #byLine = new Chains();
  readonly #lineIds = new Indices();
  readonly #lineOffsets = new Indices();
  /** Entries read so far. */
  #next: number;

  constructor(history: History, until: number) {
    this.#next = firstRemembered(history, until);
  }

  get chars(): number {
    return this.#texts.at(-1)?.totalChars ?? 0;
  }

  /** Takes in the entries up to `until`. */
  extend(history: History, until: number): void {
    for (; this.#next < until; this.#next += 1) {
      history.at(this.#next).parts.forEach((part, index) => {
        if (part.kind !== 'result' || part.mediaCount > 0 || part.text.length < MIN_TEXT_CHARS) return;
        this.#add({ entry: this.#next, part: index }, part.text);
      });
    }
  }

  #add({ entry, part }: Place, text: string): void {
    const id = this.#texts.length;
    this.#texts.push({ entry, part, text, totalChars: this.chars + text.length });
    this.#byText.add(hashOf(text, 0, text.length));
    eachLine(text, (from, to) => {
      this.#lineIds.push(id);
      this.#lineOffsets.push(from);
      this.#byLine.add(hashOf(text, from, to));
    });
  }

  text(id: number): ShownText | undefined {
    return this.#texts[id];
  }

  /** Whether the text is near enough to be found whatever the index was built from. */
  #isNear(id: number): boolean {
    return this.chars - (this.#texts[id]?.totalChars ?? 0) <= REMEMBERED_CHARS;
  }

  /** Numbers of texts that may equal `text`, newest first. */
  sameAs(text: string): readonly number[] {
    const found: number[] = [];
    let id = this.#byText.newest(hashOf(text, 0, text.length));
    while (id >= 0 && this.#isNear(id) && found.length < MAX_CANDIDATES) {
      found.push(id);
      id = this.#byText.before(id);
    }
    return found;
  }

  /** Lines that may equal the line `[from, to)` of `text`, newest first. */
  sameLines(text: string, from: number, to: number): readonly Anchor[] {
    const found: Anchor[] = [];
    let at = this.#byLine.newest(hashOf(text, from, to));
    while (at >= 0 && found.length < MAX_CANDIDATES) {
      const id = this.#lineIds.at(at) ?? 0;
      if (!this.#isNear(id)) break;
      found.push({ id, offset: this.#lineOffsets.at(at) ?? 0 });
      at = this.#byLine.before(at);
    }
    return found;
  }
}

/** The entry from which on the results before `until` hold what is remembered. */
function firstRemembered(history: History, until: number): number {
  let chars = 0;
  let first = until;
  while (first > 0 && chars <= REMEMBERED_CHARS) {
    first -= 1;
    for (const part of history.at(first).parts) {
      if (part.kind === 'result' && part.mediaCount === 0 && part.text.length >= MIN_TEXT_CHARS)
        chars += part.text.length;
    }
  }
  return first;
}

/** One index for each history, which only ever grows. */
const INDEXES = new WeakMap<History, ShownTexts>();

/** The index of the results before entry `until`. */
export function shownTexts(history: History, until: number): ShownTexts {
  const known = INDEXES.get(history);
  const index = known === undefined || known.chars > REMEMBERED_CHARS * 2 ? new ShownTexts(history, until) : known;
  INDEXES.set(history, index);
  index.extend(history, until);
  return index;
}
