/** SHA-256 in plain JavaScript: the digest where no native one is injected (browsers, workers, edge runtimes). */

const BLOCK_BYTES = 64;

/** Room the padding needs after the text: the 0x80 byte and the 64-bit length. */
const PADDING_BYTES = 9;

/** Round constants of FIPS 180-4, section 4.2.2: fractions of the cube roots of the first 64 primes. */
const ROUND_CONSTANTS: Int32Array = Int32Array.from(firstPrimes(64), (prime) => fractionBits(Math.cbrt(prime)));

/** Initial state of FIPS 180-4, section 5.3.3: fractions of the square roots of the first 8 primes. */
const INITIAL_STATE: Int32Array = Int32Array.from(firstPrimes(8), (prime) => fractionBits(Math.sqrt(prime)));

const encoder: InstanceType<typeof TextEncoder> = new TextEncoder();

/**
 * SHA-256 of the UTF-8 bytes of `text`, as 64 lower-case hex digits.
 *
 * The text must be well formed: UTF-8 has no form for a lone surrogate, so texts that differ only in one would share
 * a digest. `archiveForm` in archive.ts gives ill-formed texts a form of their own first. Never throws.
 */
export function sha256Hex(text: string): string {
  const bytes = encoder.encode(text);
  const state = Int32Array.from(INITIAL_STATE);
  const schedule = new Int32Array(BLOCK_BYTES);
  const wholeBytes = bytes.length - (bytes.length % BLOCK_BYTES);
  compress(state, schedule, bytes.subarray(0, wholeBytes));
  compress(state, schedule, paddedTail(bytes, wholeBytes));
  let hex = '';
  for (const word of state) hex += (word >>> 0).toString(16).padStart(8, '0');
  return hex;
}

/** The bytes after the last whole block, with the padding of FIPS 180-4, section 5.1.1. */
function paddedTail(bytes: Uint8Array, fromByte: number): Uint8Array {
  const rest = bytes.subarray(fromByte);
  const tail = new Uint8Array(rest.length + PADDING_BYTES <= BLOCK_BYTES ? BLOCK_BYTES : 2 * BLOCK_BYTES);
  tail.set(rest);
  tail[rest.length] = 0x80;
  const view = new DataView(tail.buffer);
  view.setUint32(tail.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(tail.length - 4, bytes.length * 8);
  return tail;
}

/** Folds every block of `bytes` (a multiple of 64 long) into `state`. `w` is scratch space for the schedule. */
function compress(state: Int32Array, w: Int32Array, bytes: Uint8Array): void {
  for (let offset = 0; offset < bytes.length; offset += BLOCK_BYTES) {
    expand(w, bytes, offset);
    rounds(state, w);
  }
}

/** The message schedule of one block: FIPS 180-4, section 6.2.2, step 1. */
function expand(w: Int32Array, bytes: Uint8Array, offset: number): void {
  for (let i = 0; i < 16; i++) {
    const at = offset + i * 4;
    w[i] = (byte(bytes, at) << 24) | (byte(bytes, at + 1) << 16) | (byte(bytes, at + 2) << 8) | byte(bytes, at + 3);
  }
  for (let i = 16; i < 64; i++) {
    const x = word(w, i - 15);
    const y = word(w, i - 2);
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = (word(w, i - 16) + s0 + word(w, i - 7) + s1) | 0;
  }
}

/** The 64 rounds of one block: FIPS 180-4, section 6.2.2, steps 2 to 4. */
function rounds(state: Int32Array, w: Int32Array): void {
  let a = word(state, 0);
  let b = word(state, 1);
  let c = word(state, 2);
  let d = word(state, 3);
  let e = word(state, 4);
  let f = word(state, 5);
  let g = word(state, 6);
  let h = word(state, 7);
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + word(ROUND_CONSTANTS, i) + word(w, i)) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] = word(state, 0) + a;
  state[1] = word(state, 1) + b;
  state[2] = word(state, 2) + c;
  state[3] = word(state, 3) + d;
  state[4] = word(state, 4) + e;
  state[5] = word(state, 5) + f;
  state[6] = word(state, 6) + g;
  state[7] = word(state, 7) + h;
}

/** Reads an index known to exist; the assertion costs nothing at run time. */
function word(words: Int32Array, index: number): number {
  return words[index] as number;
}

function byte(bytes: Uint8Array, index: number): number {
  return bytes[index] as number;
}

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++) {
    if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  }
  return primes;
}

/** The first 32 bits of the fraction of `root`; a double carries more than enough of them for these roots. */
function fractionBits(root: number): number {
  return ((root - Math.floor(root)) * 2 ** 32) | 0;
}
