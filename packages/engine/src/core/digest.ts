/**
 * Identity of messages and of ranges of messages. One walk over a canonical value gives a 64-bit hash and its size;
 * polynomial prefix sums over those hashes make the digest of any range O(1), so one mechanism serves matching
 * a known prefix, forks, rewinds and amended messages.
 *
 * Not a security boundary: a collision would apply an edit to another history, and never returns other bytes from
 * the archive, whose addresses are SHA-256.
 */

/** Sixteen hex digits. */
export type Digest = string;

/** The same as two words of 32 bits: what is kept of each message, since a text of its own takes five times the memory. */
export interface Words {
  readonly a: number;
  readonly b: number;
}

interface Lanes {
  a: number;
  b: number;
  bytes: number;
}

const BASE_A = 0x9e3779b1;
const BASE_B = 0x85ebca6b;

function feed(lanes: Lanes, value: number): void {
  lanes.a = Math.imul(lanes.a ^ value, 0x01000193) ^ (lanes.a >>> 15);
  lanes.b = Math.imul(lanes.b + value, 0xcc9e2d51) ^ (lanes.b >>> 13);
}

function feedString(lanes: Lanes, text: string): void {
  feed(lanes, text.length + 0x10000);
  let { a, b } = lanes;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193) ^ (a >>> 15);
    b = Math.imul(b + unit, 0xcc9e2d51) ^ (b >>> 13);
  }
  lanes.a = a;
  lanes.b = b;
  lanes.bytes += text.length + 2;
}

const TAG = { null: 1, true: 2, false: 3, number: 4, string: 5, array: 6, object: 7, end: 8 } as const;

/** Keys in order by the keys as they come: messages have a handful of shapes, and sorting them again and again takes longer than the rest. */
const shapes: { readonly keys: readonly string[]; readonly sorted: readonly string[] }[] = [];
const MAX_SHAPES = 32;

function isShape(keys: readonly string[], known: readonly string[] | undefined): boolean {
  if (known?.length !== keys.length) return false;
  for (let i = 0; i < keys.length; i += 1) if (known[i] !== keys[i]) return false;
  return true;
}

function sortedKeys(value: object): readonly string[] {
  const keys = Object.keys(value);
  for (const shape of shapes) if (isShape(keys, shape.keys)) return shape.sorted;
  const sorted = keys.toSorted();
  if (shapes.length < MAX_SHAPES) shapes.push({ keys, sorted });
  return sorted;
}

function feedObject(lanes: Lanes, value: Record<string, unknown>): void {
  feed(lanes, TAG.object);
  lanes.bytes += 1;
  let comma = 0;
  for (const key of sortedKeys(value)) {
    const member = value[key];
    if (member === undefined) continue;
    feedString(lanes, key);
    feedValue(lanes, member);
    // A colon, and a comma before all but the first.
    lanes.bytes += 1 + comma;
    comma = 1;
  }
  feed(lanes, TAG.end);
  lanes.bytes += 1;
}

function feedValue(lanes: Lanes, value: unknown): void {
  if (typeof value === 'string') {
    feed(lanes, TAG.string);
    feedString(lanes, value);
  } else if (Array.isArray(value)) {
    feed(lanes, TAG.array);
    for (const item of value) feedValue(lanes, item);
    feed(lanes, TAG.end);
    lanes.bytes += Math.max(2, value.length + 1);
  } else if (value !== null && typeof value === 'object') {
    feedObject(lanes, value as Record<string, unknown>);
  } else if (typeof value === 'number') {
    feed(lanes, TAG.number);
    feedString(lanes, String(value));
    // Numbers have no quotes.
    lanes.bytes -= 2;
  } else {
    const tag = value === true ? TAG.true : TAG.null;
    feed(lanes, value === false ? TAG.false : tag);
    lanes.bytes += value === false ? 5 : 4;
  }
}

/** The finaliser of MurmurHash3: spreads every input bit over the word. */
function mix(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

function hex(a: number, b: number): Digest {
  return (a >>> 0).toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0');
}

/** Digest of a canonical value, and its size as JSON in characters, escapes not counted. Key order does not matter; `undefined` members do not count. */
export function wordsOf(value: unknown): Words & { readonly bytes: number } {
  // Signed words: an unsigned one would make a number on the heap of every `a` there is.
  const lanes: Lanes = { a: 0x811c9dc5 | 0, b: 0x1b873593, bytes: 0 };
  feedValue(lanes, value);
  return { a: mix(lanes.a) | 0, b: mix(lanes.b) | 0, bytes: lanes.bytes };
}

/** The digest of a canonical value as text. */
export function digestValue(value: unknown): Digest {
  const { a, b } = wordsOf(value);
  return hex(a, b);
}

/** The words a digest spells. */
export function wordsIn(digest: Digest): Words {
  return { a: Number.parseInt(digest.slice(0, 8), 16) | 0, b: Number.parseInt(digest.slice(8), 16) | 0 };
}

function power(base: number, exponent: number): number {
  let result = 1;
  let square = base;
  for (let left = exponent; left > 0; left >>>= 1) {
    if (left & 1) result = Math.imul(result, square);
    square = Math.imul(square, square);
  }
  return result;
}

/** Prefix sums of the digests of entries: append at the end, range digests anywhere. */
export class RangeDigests {
  /** Both sums of each prefix, one behind the other. */
  #sums = new Int32Array(64);
  #length = 0;

  append({ a, b }: Words): void {
    const last = this.#length * 2;
    if (last + 3 >= this.#sums.length) this.#sums = grown(this.#sums);
    const sums = this.#sums;
    sums[last + 2] = Math.imul(sums[last] ?? 0, BASE_A) + a;
    sums[last + 3] = Math.imul(sums[last + 1] ?? 0, BASE_B) + b;
    this.#length += 1;
  }

  /** Digest of entries `[from, to)`. */
  range(from: number, to: number): Digest {
    const sums = this.#sums;
    const a = (sums[to * 2] ?? 0) - Math.imul(sums[from * 2] ?? 0, power(BASE_A, to - from));
    const b = (sums[to * 2 + 1] ?? 0) - Math.imul(sums[from * 2 + 1] ?? 0, power(BASE_B, to - from));
    return hex(mix(a ^ (to - from)), mix(b ^ (to - from)));
  }
}

/** Half as much room again. */
function grown(words: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const more = new Int32Array(Math.ceil(words.length * 0.75) * 2);
  more.set(words);
  return more;
}
