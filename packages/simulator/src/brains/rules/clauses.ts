/**
 * Cuts an instruction into clauses. Quoted spans are taken out first and stand in the clause as one token each, so that
 * neither the splitting nor a rule's pattern ever looks inside them.
 */

import { bounded } from './text.ts';

export interface Quote {
  readonly raw: string;
  readonly text: string;
}

/** `text` holds a token for each quoted span; `argument` and `restore` bring the spans back. */
export interface Clause {
  readonly text: string;
  readonly quotes: readonly Quote[];
}

const OPEN = '\uE000';
export const CLOSE = '\uE001';
const TOKEN = /\uE000(\d+)\uE001/g;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t' };
const MAX_TEXT = 32_000;
const VERBS =
  '(?:read|open|run|execute|search|grep|list|find|replace|write|create|append|add|plan|make|compact|count|report|tell|edit|say|explain|in(?=\\s+(?:the\\s+file\\s+)?\\S+\\s+replace\\b))';
const PREFIX =
  /^(?:please|now|first(?:ly)?|second(?:ly)?|third(?:ly)?|next|finally|lastly|also|and|then|afterwards|kindly|(?:could|can|would) you|let us|let's|i (?:want|need|would like) you to|you should|after that|start by|begin by)\b[,:]?\s+/i;
const LIST_MARK = /^\s*(?:\(?\d{1,3}[.)]|[-*•])\s+/;
/** The stop in "the files in ." is a folder. */
const SENTENCE_END = /(?<!\b(?:in|of|under|inside|from)\s\.?)\.(?:\s+|$)|[;!?](?:\s+|$)/i;
const CONNECTOR = new RegExp(
  [
    ',?\\s+(?:and\\s+)?(?:then|after that),?\\s+',
    `,\\s+(?:and\\s+)?(?=${VERBS}\\s)`,
    `\\s+and\\s+(?=${VERBS}\\s)`,
    `:\\s+(?=${VERBS}\\s)`,
  ].join('|'),
  'i',
);
const INLINE_MARK = new RegExp(`(^|\\s)\\(?\\d{1,3}[.)]\\s+(?=${VERBS}\\s)`, 'gi');
const STARTS_CLAUSE = new RegExp(`^\\s*(?:then|and then|finally|next|please|${VERBS})\\s`, 'i');

export function splitClauses(text: string): Clause[] {
  const masked = mask(bounded(text, MAX_TEXT));
  const marked = masked.text.replace(INLINE_MARK, '\n- ');
  const pieces = segments(marked)
    .flatMap((segment) => segment.split(SENTENCE_END))
    .flatMap((sentence) => sentence.split(CONNECTOR))
    .map(stripPrefix)
    .filter((piece) => piece !== '');
  return joinInReplace(pieces).map((piece) => ({ text: piece, quotes: masked.quotes }));
}

/** The value of one word of a clause: the inside of a quoted span, or the word without closing punctuation. */
export function argument(clause: Clause, word: string): string {
  const match = /^\uE000(\d+)\uE001/.exec(word);
  const quote = match ? clause.quotes[Number(match[1])] : undefined;
  if (quote) return quote.text;
  return /^\.{1,2}$/.test(word) ? word : word.replace(/[,:;.!?]+$/, '');
}

export function isQuoted(word: string): boolean {
  return word.startsWith(OPEN);
}

/** A clause, or a piece of one, as the user wrote it. */
export function restore(clause: Clause, piece: string = clause.text): string {
  return piece.replace(TOKEN, (_, index: string) => clause.quotes[Number(index)]?.raw ?? '');
}

/** `\n`, `\t`, `\"` and `\\` in a quoted content, as people write them on one line. */
export function unescape(text: string): string {
  return text.replace(/\\([nt"\\])/g, (_, char: string) => ESCAPES[char] ?? char);
}

export function stripPrefix(piece: string): string {
  let text = piece.trim().replace(LIST_MARK, '');
  for (let round = 0; round < 6 && PREFIX.test(text); round++) text = text.replace(PREFIX, '');
  return text.replace(/[\s,]+$/, '');
}

/** "In FILE, replace …" is one clause although a verb follows its comma. */
function joinInReplace(pieces: readonly string[]): string[] {
  const joined: string[] = [];
  for (const piece of pieces) {
    const before = joined.at(-1);
    const splits = before !== undefined && /^in\s+(?:the\s+file\s+)?\S+$/i.test(before) && /^replace\s/i.test(piece);
    if (splits) joined[joined.length - 1] = `${before} ${piece}`;
    else joined.push(piece);
  }
  return joined;
}

/** A list gives one segment an item; prose gives one a paragraph, and one for each line that begins with a verb. */
function segments(text: string): string[] {
  const lines = text.split('\n');
  const isList = lines.some((line) => LIST_MARK.test(line));
  const begins = (line: string): boolean => LIST_MARK.test(line) || (!isList && STARTS_CLAUSE.test(`${line} `));
  const found: string[] = [];
  let open = false;
  for (const line of lines) {
    if (line.trim() === '') open = false;
    else if (open && !begins(line)) found[found.length - 1] += ` ${line.trim()}`;
    else {
      found.push(line.replace(LIST_MARK, '').trim());
      open = true;
    }
  }
  return found;
}

function mask(source: string): { text: string; quotes: Quote[] } {
  const text = source.replaceAll(OPEN, '').replaceAll(CLOSE, '');
  const quotes: Quote[] = [];
  let out = '';
  let at = 0;
  while (at < text.length) {
    const end = quoteEnd(text, at);
    if (end === undefined) {
      const size = text[at] === '\\' ? 2 : 1;
      out += text.slice(at, at + size);
      at += size;
      continue;
    }
    const raw = text.slice(at, end);
    out += `${OPEN}${quotes.length}${CLOSE}`;
    quotes.push({ raw, text: inside(raw) });
    at = end;
  }
  return { text: out, quotes };
}

function quoteEnd(text: string, at: number): number | undefined {
  if (text.startsWith('```', at)) return after(text.indexOf('```', at + 3), 3);
  switch (text[at]) {
    case '`':
      return after(text.indexOf('`', at + 1), 1);
    case '“':
      return after(text.indexOf('”', at + 1), 1);
    case '"':
      return after(closingQuote(text, at), 1);
    case "'":
      return after(closingApostrophe(text, at), 1);
    default:
      return undefined;
  }
}

function after(at: number, size: number): number | undefined {
  return at === -1 ? undefined : at + size;
}

function closingQuote(text: string, at: number): number {
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === '\\') end++;
    else if (text[end] === '"') return end;
  }
  return -1;
}

/** An apostrophe opens a quote only before a word, and closes it only after one, as in `'a b'` but not in `don't`. */
function closingApostrophe(text: string, at: number): number {
  if (at > 0 && !/[\s(,:]/.test(text[at - 1] ?? '')) return -1;
  const limit = Math.min(text.length, at + 400);
  for (let end = at + 2; end < limit; end++) {
    if (text[end] === "'" && !/\w/.test(text[end + 1] ?? ' ')) return end;
  }
  return -1;
}

function inside(raw: string): string {
  if (!raw.startsWith('```')) return raw.slice(1, -1);
  const body = raw.slice(3, -3);
  const lineEnd = body.indexOf('\n');
  const hasLanguage = lineEnd !== -1 && /^\s*[\w+-]*\s*$/.test(body.slice(0, Math.min(lineEnd, 40)));
  return hasLanguage ? body.slice(lineEnd + 1) : body;
}
