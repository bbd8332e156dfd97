/** Small text helpers shared by the rules. */

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** A small deterministic number for a text (FNV-1a, 32 bit). */
export function hashOf(text: string): number {
  let hash = FNV_OFFSET;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  return hash >>> 0;
}

/** Four hex digits that name an instruction; white space does not count, since a wire format may change it. */
export function tagOf(text: string): string {
  const hash = hashOf(text.trim().split(/\s+/).join(' '));
  return ((hash >>> 16) ^ (hash & 0xffff)).toString(16).padStart(4, '0');
}

/** One line, control characters removed, cut to `max` with an ellipsis. */
export function oneLine(text: string, max: number): string {
  const head = text.slice(0, max * 4 + 200);
  const flat = head.replace(/\p{Cc}+/gu, ' ').trim();
  return flat.length > max ? `${sliceWhole(flat, max - 1)}…` : flat;
}

/** `slice(0, end)` that never parts a surrogate pair. */
export function sliceWhole(text: string, end: number): string {
  const code = text.charCodeAt(end - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? end - 1 : end);
}

/** The first line with something on it. */
export function firstLine(text: string): string {
  const head = text.slice(0, 4_000);
  return head.split('\n').find((line) => line.trim() !== '') ?? '';
}

/** Lines as `wc -l` would count them, plus a last line without a newline. */
export function lineCount(text: string): number {
  if (text === '') return 0;
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return text.endsWith('\n') ? count : count + 1;
}

/** Head and tail of a text too long to look at whole. */
export function bounded(text: string, max: number): string {
  if (text.length <= max) return text;
  const half = Math.floor(max / 2);
  return `${text.slice(0, half)}\n\n${text.slice(-half)}`;
}

/** A text as one word of a POSIX shell. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll('\u0000', '').replaceAll("'", "'\\''")}'`;
}

export function normalPath(path: string): string {
  return path.replace(/^(?:\.\/)+/, '').replace(/\/{2,}/g, '/');
}

/** Whether two paths name one file; an absolute one matches the relative one it ends with. */
export function samePath(left: string, right: string): boolean {
  const a = normalPath(left);
  const b = normalPath(right);
  if (a === b) return true;
  return (a.startsWith('/') && a.endsWith(`/${b}`)) || (b.startsWith('/') && b.endsWith(`/${a}`));
}

export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
