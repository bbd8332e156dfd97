/** Tells an exact result from what stands in its place: a placeholder, a preview, part of a file, one page of many. */

import type { ResultRecord } from './types.ts';

const ADDRESS = /\b[a-z]{1,3}_(?:\d{1,9}[-.]\d{1,9}_)?[0-9a-f]{8,64}\b/g;
const NAMED_ADDRESS = /\brecall:\s{0,3}[`"']?([\w./-]{6,200})/g;
const PLACEHOLDER_MAX = 600;
const SCAN_MAX = 40_000;

export interface Hit {
  readonly address: string;
  readonly text: string;
}

/** Whether the text is a stand-in. A result nobody has answered yet is exact unless it was persisted on arrival. */
export function isStub(result: ResultRecord): boolean {
  const text = result.text.trim();
  if (text.startsWith('<persisted-output>')) return addressesIn(text).length > 0 || !result.fresh;
  if (result.fresh) return isUnchangedNote(text);
  if (text.length > PLACEHOLDER_MAX || text.includes('\n')) return false;
  return /\brecall\b/i.test(text) ? addressesIn(text).length > 0 : isUnchangedNote(text);
}

/** A read tool may answer that the file is as it was read before. */
function isUnchangedNote(text: string): boolean {
  return text.length <= 300 && !text.includes('\n') && /\bunchanged since\b/i.test(text);
}

/** Addresses of single results, those introduced by the word recall first. Ranges of history are no exact text. */
export function addressesIn(text: string): string[] {
  const scanned = text.length > SCAN_MAX ? text.slice(0, SCAN_MAX / 2) + text.slice(-SCAN_MAX / 2) : text;
  const named = [...scanned.matchAll(NAMED_ADDRESS)].map((match) => (match[1] ?? '').replace(/[.,]+$/, ''));
  const plain = [...scanned.matchAll(ADDRESS)].map((match) => match[0]);
  return [...new Set([...named, ...plain])].filter((address) => !isRange(address));
}

/** Whether an address names a stretch of messages; what it gives back is readable, but no file's exact text. */
export function isRange(address: string): boolean {
  return /^h_\d{1,9}-/.test(address);
}

/** The hits of a recall query: each address with the lines up to the next one. */
export function hitsIn(text: string): Hit[] {
  const hits: { address: string; text: string }[] = [];
  for (const line of text.slice(0, SCAN_MAX).split('\n')) {
    const found = [...line.matchAll(ADDRESS)].map((match) => match[0]);
    const address = found[0] ?? [...line.matchAll(NAMED_ADDRESS)][0]?.[1];
    const open = hits.at(-1);
    if (address !== undefined) hits.push({ address, text: line });
    else if (open) open.text += `\n${line}`;
  }
  return hits;
}

/** A read with a limit says at its end how much it left out. */
export function isPartialRead(text: string): boolean {
  return /\(\d{1,9} more lines?\)\s*$/.test(text.slice(-80));
}

export interface Page {
  readonly body: string;
  readonly next?: number;
}

/** Splits one page of a recall from the closing line that says where to go on. */
export function readPage(text: string, offset: number): Page {
  const start = text.trimEnd().lastIndexOf('\n') + 1;
  const closing = text.slice(start);
  const next = nextOffset(closing);
  if (next === undefined || next <= offset) return { body: text };
  const kept = text.slice(0, start);
  return { body: exactBody(kept, next - offset), next };
}

function nextOffset(line: string): number | undefined {
  if (line.length > 400 || !/\b(?:recall|more|continue|next|rest|page|remain\w*|go on)\b/i.test(line)) return undefined;
  const match = /\boffset\W{0,12}(?:is |of |to |= ?)?(\d{1,12})/i.exec(line);
  return match ? Number(match[1]) : undefined;
}

/** The line break before the closing line may belong to it or to the text; the offset tells which, in any unit. */
function exactBody(kept: string, size: number): string {
  const cut = [kept, kept.replace(/\n$/, ''), kept.replace(/\n\n$/, '')];
  const fits = (body: string): boolean =>
    body.length === size || [...body].length === size || utf8Length(body) === size;
  const exact = cut.find(fits);
  if (exact !== undefined) return exact;
  const inLines = kept.split('\n').length - 1 === size;
  return (inLines ? kept : cut[1]) ?? kept;
}

function utf8Length(text: string): number {
  let size = 0;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    size += 1 + Number(code >= 0x80) + Number(code >= 0x800) + Number(code >= 0x10000);
  }
  return size;
}
