/** A text as a row of a SQLite database, and back: compressed, and safe to hand to the drivers there are. */
import { contentAddress, isWellFormed } from '../core/archive.ts';
import { bytesOf, deflated, inflated, sha256, textOfJson } from './packed.ts';

/** As drivers give a blob: a Buffer, an array of bytes, or the bare bytes where it is one of many rows. */
export type Blob = Uint8Array | ArrayBuffer | null;

export interface Row {
  readonly id: number;
  readonly address: Blob;
  /** `FORM` bits. */
  readonly form: number;
  readonly size: number;
  readonly body: Blob;
}

/** A column as bytes: libsql ends the process on a text that is damaged and no UTF-8 any more. */
export function asBytes(column: string): string {
  return `CAST(${column} AS BLOB) AS ${column}`;
}

/** The columns of a `Row`. */
export const ROW: string = `id, ${asBytes('address')}, CAST(form AS INTEGER) AS form, CAST(size AS INTEGER) AS size, ${asBytes('body')}`;

export function bufferOf(blob: Blob): Buffer {
  if (blob === null) return Buffer.alloc(0);
  return blob instanceof ArrayBuffer ? Buffer.from(blob) : Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength);
}

/** `text` as it may be bound: it would end at its first NUL. */
export function bindable(text: string): string {
  return text.replaceAll(/[\0\p{Surrogate}]/gu, '\ufffd');
}

/** Bits of a row's form: a JSON string; packed. */
const FORM = { json: 1, packed: 2 } as const;

/** Shorter texts are not packed, bytes. */
const PACK_FROM_BYTES = 256;

/** A text as columns of its row. */
export function packed(text: string): Pick<Row, 'form' | 'size'> & { readonly body: Buffer } {
  const bytes = bytesOf(text);
  const smaller = bytes.length < PACK_FROM_BYTES ? undefined : deflated(bytes);
  const form = (isWellFormed(text) ? 0 : FORM.json) | (smaller === undefined ? 0 : FORM.packed);
  return { form, size: bytes.length, body: smaller ?? bytes };
}

/** The text of a row, undefined where it is not the one it was stored with. */
export function textOf({ address, form, size, body }: Row): string | undefined {
  const stored = bufferOf(body);
  const bytes = (form & FORM.packed) === 0 ? stored : inflated(stored, size);
  const text = (form & FORM.json) === 0 ? bytes?.toString('utf8') : textOfJson(bytes?.toString('utf8') ?? '');
  return text !== undefined && contentAddress(text, sha256) === bufferOf(address).toString() ? text : undefined;
}
