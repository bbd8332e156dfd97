/**
 * The texts that stand where something was taken out. Each begins with the teaching system's own string, then names its address
 * and says how much is missing. They are known from the ledger and never parsed.
 */
import type { Address } from '../archive.ts';

/** How a marker tells the model to get the original back. */
export function recallNote(address: Address): string {
  return `recall: ${address}`;
}

export function microMarker(address: Address): string {
  return `[Earlier tool result compacted. Re-run if needed.] ${recallNote(address)}`;
}

export function snipMarker(count: number, address: Address): string {
  return `[snipped ${count} messages from conversation middle] ${recallNote(address)}`;
}

export function olderMarker(count: number, address: Address): string {
  return `[${count} older ${count === 1 ? 'message' : 'messages'} of the user left out too] ${recallNote(address)}`;
}

/** What is put away: its readable text, and how many pictures or pages stand beside it. */
export interface Persisted {
  readonly text: string;
  readonly pictures: number;
}

export function persistedMarker({ text, pictures }: Persisted, address: Address, previewChars: number): string {
  const preview = headOf(text, previewChars);
  const missing = text.length - preview.length;
  const beside = pictures === 0 ? '' : ` and ${pictures} ${pictures === 1 ? 'picture' : 'pictures'}`;
  return `<persisted-output>\nFull output: ${text.length} characters${beside}, ${recallNote(address)}\nPreview, ${missing} characters${beside} left out:\n${preview}\n</persisted-output>`;
}

/** `body`: what stays of the text; `what`: how it was made; `missing`: what it leaves out. */
export interface Shaped {
  readonly chars: number;
  readonly what: string;
  readonly missing: string;
  readonly body: string;
}

/** What stands for a result that was shaped before it was sent. */
export function shapedMarker({ chars, what, missing, body }: Shaped, address: Address): string {
  return `<persisted-output>\nFull output: ${chars} characters, ${recallNote(address)}\n${what}, ${missing} left out:\n${body}\n</persisted-output>`;
}

/** What stands for a result whose text is in view already: `where` says which part of which result. */
export function unchangedMarker(chars: number, where: string, address: Address): string {
  return `<persisted-output>\nUnchanged: the same ${chars} characters as ${where}, ${recallNote(address)}\n</persisted-output>`;
}

export function mediaMarker(mediaType: string, address: Address): string {
  return `[${mediaType} left out, ${recallNote(address)}]`;
}

/** Head, tail and address of a text too large to stay whole. */
export function cappedText(text: string, address: Address, keepChars: number): string {
  const head = headOf(text, Math.ceil(keepChars / 2));
  const tail = tailOf(text, Math.floor(keepChars / 2));
  return `${head}\n[${text.length - head.length - tail.length} characters left out here, ${recallNote(address)}]\n${tail}`;
}

/** The first `chars` characters, never half a surrogate pair. */
export function headOf(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const code = text.charCodeAt(chars - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? chars - 1 : chars);
}

/** The last `chars` characters, never half a surrogate pair. */
export function tailOf(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const from = text.length - chars;
  const code = text.charCodeAt(from);
  return text.slice(code >= 0xdc00 && code <= 0xdfff ? from + 1 : from);
}
