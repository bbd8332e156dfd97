/** What the archives on disk share: a text as bytes, smaller where that is worth it, and a bound on what comes out again. */

import * as crypto from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRawSync, gunzip, gzip, inflateRawSync } from 'node:zlib';
import { isWellFormed } from '../core/archive.ts';

/** Of deflate, which anybody can read with `zcat`. What brotli makes of tools' output is little smaller, and takes longer to make. */
const LEVEL = 6;

/** However small a file is, it may hold this much: no bomb, and repetitive logs stay small. */
const ANY_BYTES = 64 * 1024 * 1024;

/** Above that, a text that shrinks further is kept as it is, and what claims to hold more is damaged. */
const MAX_RATIO = 100;

/** A text as bytes: UTF-8, or a JSON string where UTF-8 cannot hold it. */
export function bytesOf(text: string): Buffer {
  return Buffer.from(isWellFormed(text) ? text : JSON.stringify(text), 'utf8');
}

/** The text a JSON string in bytes spells, undefined where they hold none. */
export function textOfJson(json: string): string | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

function isWorthIt(packed: number, whole: number): boolean {
  return packed < whole && whole <= mostBytes(packed);
}

function mostBytes(packed: number): number {
  return Math.max(ANY_BYTES, packed * MAX_RATIO);
}

const gzipped = promisify(gzip) as (bytes: Buffer, options: object) => Promise<Buffer>;
const gunzipped = promisify(gunzip) as (bytes: Buffer, options: object) => Promise<Buffer>;

/** `bytes` as a gzip file, undefined where that is not smaller. */
export async function zipped(bytes: Buffer): Promise<Buffer | undefined> {
  const packed = await gzipped(bytes, { level: LEVEL });
  return isWorthIt(packed.length, bytes.length) ? packed : undefined;
}

/** A gzip file ends with how many bytes it holds. */
const SIZE_BYTES = 4;

/** What a gzip file holds, undefined where it is damaged or holds more than it says. */
export async function unzipped(packed: Buffer): Promise<Buffer | undefined> {
  if (packed.length < SIZE_BYTES) return undefined;
  const size = packed.readUInt32LE(packed.length - SIZE_BYTES);
  if (size > mostBytes(packed.length)) return undefined;
  return gunzipped(packed, { maxOutputLength: Math.max(1, size) }).catch(() => undefined);
}

/** `bytes` packed without a frame, undefined where that is not smaller. */
export function deflated(bytes: Buffer): Buffer | undefined {
  const packed = deflateRawSync(bytes, { level: LEVEL });
  return isWorthIt(packed.length, bytes.length) ? packed : undefined;
}

/** What was packed without a frame, `size` bytes of it; undefined where it is anything else. */
export function inflated(packed: Buffer, size: number): Buffer | undefined {
  if (!(size > 0 && size <= mostBytes(packed.length))) return undefined;
  try {
    const bytes = inflateRawSync(packed, { maxOutputLength: size });
    return bytes.length === size ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** `crypto.hash` came with Node 20.12 and takes half the time; it is not there on the first releases of Node 20. */
export function sha256(text: string): string {
  if (typeof crypto.hash === 'function') return crypto.hash('sha256', text, 'hex');
  return crypto.createHash('sha256').update(text, 'utf8').digest('hex');
}
