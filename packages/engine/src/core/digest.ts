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

function feedObject(lanes: Lanes, value: Record<string, unknown>): void {
  feed(lanes, TAG.object);
  lanes.bytes += 1;
  let comma = 0;
  for (const key of Object.keys(value).sort()) {
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
export function digestValue(value: unknown): { readonly digest: Digest; readonly bytes: number } {
  const lanes: Lanes = { a: 0x811c9dc5, b: 0x1b873593, bytes: 0 };
  feedValue(lanes, value);
  return { digest: hex(mix(lanes.a), mix(lanes.b)), bytes: lanes.bytes };
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

/** Prefix sums of entry digests: append and truncate at the end, range digests anywhere. */
export class RangeDigests {
  readonly #a: number[] = [0];
  readonly #b: number[] = [0];

  append(digest: Digest): void {
    const last = this.#a.length - 1;
    this.#a.push((Math.imul(this.#a[last] ?? 0, BASE_A) + Number.parseInt(digest.slice(0, 8), 16)) | 0);
    this.#b.push((Math.imul(this.#b[last] ?? 0, BASE_B) + Number.parseInt(digest.slice(8), 16)) | 0);
  }

  /** Digest of entries `[from, to)`. */
  range(from: number, to: number): Digest {
    const a = (this.#a[to] ?? 0) - Math.imul(this.#a[from] ?? 0, power(BASE_A, to - from));
    const b = (this.#b[to] ?? 0) - Math.imul(this.#b[from] ?? 0, power(BASE_B, to - from));
    return hex(mix(a ^ (to - from)), mix(b ^ (to - from)));
  }
}
