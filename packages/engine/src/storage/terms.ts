/**
 * What a full-text index is given and asked. Names (paths, file names, identifiers) get a column of their own, each as one word: a tokenizer parts
 * `src/core/plan.ts` at every sign, and one that does not keeps the full stop of the sentence it ends.
 */
import { scanIdentifiers } from '../core/facts/scan-identifiers.ts';

/** Names are looked up by at most so many of their last folders. */
const MAX_TAILS = 8;

/** A file name without folders. What stands before it is looked at, so that a long run is tried once. */
const FILE_NAME = /(?<![\w$@~+.-])[\w$@~+-]+(?:\.[\w$@~+-]+)*\.[A-Za-z][A-Za-z0-9]{0,9}(?![\w$@~+-])/g;
const MAX_FILE_NAME_CHARS = 120;

/** The first characters of a text that is longer are what can be found. */
const MAX_INDEXED_CHARS = 8_000_000;

/** Where signs of a name go: letters of nobody, which every tokenizer of SQLite takes for parts of words. */
const PRIVATE = 0xe000;

/** A name as one word, in lower case. */
export function nameTerm(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, (sign) => String.fromCharCode(PRIVATE + ((sign.codePointAt(0) ?? 0) & 0xfff)));
}

/** A path and its last parts, down to the file name; whatever is no path by itself. */
function tailsOf(name: string): readonly string[] {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
  const tails = parts.map((_, index) => parts.slice(index).join('/')).slice(-MAX_TAILS);
  return [name.replace(/^\.\//, ''), ...tails];
}

/** The names in `text` as the words of their column, each once. */
export function nameTerms(text: string, paths: readonly string[] = []): string {
  const names = new Set<string>();
  const add = (name: string): void => {
    for (const tail of tailsOf(name)) names.add(nameTerm(tail));
  };
  scanIdentifiers(text, (from, to) => add(text.slice(from, to)));
  for (const [name] of text.matchAll(FILE_NAME)) if (name.length <= MAX_FILE_NAME_CHARS) add(name);
  for (const path of paths) add(path);
  return [...names].join(' ');
}

/** `text` as an index can take it: NUL and lone surrogates are no words. */
export function indexedText(text: string): string {
  const head = text.length > MAX_INDEXED_CHARS ? text.slice(0, MAX_INDEXED_CHARS) : text;
  return head.replaceAll(/[\0\p{Surrogate}]/gu, ' ');
}

const AROUND = /^[^\p{L}\p{N}/.~$@_-]+|[^\p{L}\p{N}_$/]+$/gu;
/** A query is words; what holds more of them is a text. */
const MAX_WORDS = 24;
const MAX_WORD_CHARS = 240;

/** The words of a query, without the punctuation around them. */
export function queryWords(query: string): readonly string[] {
  const words = query
    .slice(0, MAX_WORDS * MAX_WORD_CHARS)
    .replaceAll(/[\p{C}\p{Surrogate}]/gu, ' ')
    .split(/\s+/)
    .map((word) => word.replaceAll(AROUND, '').replace(/(\.[a-z]\w{0,9})(?::\d+)+$/i, '$1'))
    .filter((word) => /[\p{L}\p{N}]/u.test(word) && word.length <= MAX_WORD_CHARS);
  return [...new Set(words)].slice(0, MAX_WORDS);
}

function isName(word: string): boolean {
  let found = false;
  scanIdentifiers(word, (from, to) => {
    found ||= from === 0 && to === word.length;
  });
  return found || /[^\p{L}\p{N}]/u.test(word.replace(/^\.\//, ''));
}

/** A string of the query language: nothing in it is an operator. */
function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

const byName = (word: string): string => `names : ${quoted(nameTerm(word.replace(/^\.\//, '').replace(/\/$/, '')))}`;
const byText = (word: string): string => `text : ${quoted(word)}`;

/**
 * What to ask an index for `words`, the narrowest first: the next where one finds nothing. All of them, names as names; all of them, names as names or
 * as they are written; any of them.
 */
export function matchExpressions(words: readonly string[]): readonly string[] {
  if (words.length === 0) return [];
  const narrow = words.map((word) => (isName(word) ? byName(word) : byText(word)));
  const wide = words.map((word) => (isName(word) ? `(${byName(word)} OR ${byText(word)})` : byText(word)));
  return [...new Set([narrow.join(' AND '), wide.join(' AND '), wide.join(' OR ')])];
}

/** Share of a snippet that stands before the first word. */
const LEAD_SHARE = 0.25;

interface WordPlace {
  readonly at: number;
  readonly word: string;
}

/** The stretch of `text` with most of the words, at most `maxChars`, from the start of a line where there is one. */
export function snippetOf(text: string, words: readonly string[], maxChars: number): string {
  const lower = text.toLowerCase();
  // Where lower case has another length, places would be off.
  const searched = lower.length === text.length ? lower : text;
  const places = words.flatMap((word) => placesOf(searched, word.toLowerCase())).toSorted((a, b) => a.at - b.at);
  const leadChars = Math.floor(maxChars * LEAD_SHARE);
  const first = densest(places, maxChars - leadChars);
  const from = Math.max(0, first - leadChars);
  const line = text.indexOf('\n', from) + 1;
  const start = from > 0 && line > 0 && line <= first ? line : from;
  return text.slice(start, start + maxChars).trim();
}

/** Where the `chars` begin that hold most of the words. */
function densest(places: readonly WordPlace[], chars: number): number {
  let best = { at: 0, kinds: 0 };
  for (const [index, { at }] of places.entries()) {
    const end = places.findIndex((place) => place.at + place.word.length > at + chars);
    const kinds = new Set(places.slice(index, end < 0 ? undefined : end).map(({ word }) => word)).size;
    if (kinds > best.kinds) best = { at, kinds };
  }
  return best.at;
}

/** Of a word that stands everywhere, so many places are looked at. */
const MAX_PLACES = 60;

function placesOf(text: string, word: string): readonly WordPlace[] {
  const places: WordPlace[] = [];
  let at = text.indexOf(word);
  while (at >= 0 && places.length < MAX_PLACES) {
    places.push({ at, word });
    at = text.indexOf(word, at + word.length);
  }
  return places;
}
