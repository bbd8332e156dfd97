/**
 * A fast estimate of token counts: one pass over the text, no vocabulary.
 *
 * A byte-pair tokenizer first cuts the text into pieces by character class (a word with the space before it, up to
 * three digits, a run of punctuation, an indent) and then spends one or more tokens on each piece. The scanner below
 * makes the same cuts as the public o200k pattern (openai/tiktoken, `o200k_base`) and looks up what a piece of that
 * kind and length costs on average. The averages were measured with gpt-tokenizer 4.0.0 over prose, code, JSON, logs,
 * diffs, encoded data and thirteen languages, half of each corpus held back to check them.
 *
 * Appending text never lowers the estimate: every table rises with length, and a cut that a later character can undo
 * is only charged once it is certain.
 */

const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const BLANK = 4;
const NEWLINE = 5;
const PUNCTUATION = 6;
/** Non-ASCII symbols: marks, dashes, full-width punctuation, drawing characters. */
const SYMBOL = 7;
/** One half of a character beyond the basic plane: mostly emoji. */
const SURROGATE = 8;
const LATIN = 9;
const CYRILLIC = 10;
const CJK = 11;
const HANGUL = 12;
/** Greek, Arabic, Hebrew, northern Indic scripts and the rest. */
const SCRIPT = 13;
/** Scripts the vocabulary serves worse: southern Indic, Thai, and the letters only Ukrainian and Belarusian use. */
const SPARSE = 14;

const SPACE = 0x20;
const UNDERSCORE = 0x5f;

/** First code unit of each range beyond ASCII and its class; a range ends where the next begins. */
const RANGES: readonly (readonly [fromCode: number, kind: number])[] = [
  [0x0080, SYMBOL],
  [0x00aa, LATIN],
  [0x00ab, SYMBOL],
  [0x00b5, LATIN],
  [0x00b6, SYMBOL],
  [0x00ba, LATIN],
  [0x00bb, SYMBOL],
  [0x00c0, LATIN],
  [0x00d7, SYMBOL],
  [0x00d8, LATIN],
  [0x00f7, SYMBOL],
  [0x00f8, LATIN],
  [0x0370, SCRIPT],
  [0x0400, CYRILLIC],
  [0x0454, SPARSE],
  [0x0458, CYRILLIC],
  [0x0530, SCRIPT],
  [0x0b80, SPARSE],
  [0x10a0, SCRIPT],
  [0x1100, HANGUL],
  [0x1200, SCRIPT],
  [0x1e00, LATIN],
  [0x1f00, SCRIPT],
  [0x2000, SYMBOL],
  [0x3041, CJK],
  [0x3130, HANGUL],
  [0x3190, CJK],
  [0xa000, SCRIPT],
  [0xac00, HANGUL],
  [0xd800, SURROGATE],
  [0xe000, SYMBOL],
  [0xf900, CJK],
  [0xfb00, SCRIPT],
  [0xfe00, SYMBOL],
  [0xfe70, SCRIPT],
  [0xff00, SYMBOL],
  [0xff66, CJK],
  [0xffa0, HANGUL],
  [0xffe0, SYMBOL],
];

/** Class of every UTF-16 code unit: one array read per character is what keeps the scan fast. */
const KIND: Uint8Array = buildKinds();

/**
 * Tokens of a word by its number of ASCII letters (index 0 is one letter), measured as described above.
 * `lower`: no capital; `title`: one capital, then others; `upper`: two capitals or more.
 */
interface WordCosts {
  readonly lower: readonly number[];
  readonly title: readonly number[];
  readonly upper: readonly number[];
  /** Tokens per letter beyond the end of the table. */
  readonly slope: number;
}

/** After a space: mostly whole words of prose, the cheapest kind. */
const SPACED: WordCosts = {
  lower: [1, 1, 1.01, 1.02, 1.03, 1.05, 1.05, 1.1, 1.1, 1.14, 1.14, 1.2, 1.29, 1.4],
  title: [1, 1, 1.01, 1.02, 1.06, 1.06, 1.08, 1.24, 1.31, 1.49, 1.49, 1.49, 1.6, 1.74],
  upper: [1, 1.02, 1.2, 1.29, 1.44, 1.59, 1.59, 2.3, 2.4, 2.55, 2.7, 2.8, 2.9, 3.1],
  slope: 0.25,
};

/** At a line start, after a run of punctuation or an underscore, or the next hump of a camelCase name. */
const BARE: WordCosts = {
  lower: [1, 1.01, 1.06, 1.06, 1.13, 1.17, 1.21, 1.4, 1.45, 1.7, 1.9, 2.2, 2.4, 2.7],
  title: [1.01, 1.03, 1.03, 1.06, 1.06, 1.06, 1.06, 1.1, 1.17, 1.3, 1.3, 1.3, 1.78, 2.03],
  upper: [1, 1.04, 1.46, 1.53, 1.53, 1.64, 1.79, 1.98, 2.45, 2.54, 3.08, 3.08, 3.62, 4.1],
  slope: 0.28,
};

/** Behind one punctuation character, which counts into the piece. */
const PREFIXED: WordCosts = {
  lower: [1.01, 1.5, 1.57, 1.57, 1.57, 1.6, 1.77, 1.96, 2, 2.24, 2.4, 2.7, 2.96, 3.21],
  title: [1.33, 1.66, 1.66, 1.66, 1.7, 1.92, 2, 2.36, 2.7, 2.84, 2.98, 3.23, 3.48, 3.73],
  upper: [1.3, 1.7, 2.05, 2.3, 2.4, 2.66, 2.7, 2.8, 3.2, 3.6, 3.8, 4, 4.2, 4.4],
  slope: 0.28,
};

/** Behind a full stop, slash or opening bracket, for which the vocabulary has many whole pieces. */
const PATHLIKE: WordCosts = {
  lower: [1, 1.06, 1.21, 1.21, 1.24, 1.24, 1.31, 1.75, 1.8, 2.02, 2.28, 2.4, 2.9, 3.2],
  title: [1.23, 1.45, 1.48, 1.48, 1.5, 1.9, 2.1, 2.4, 2.7, 2.84, 2.98, 3.23, 3.48, 3.73],
  upper: [1.1, 1.8, 1.85, 1.95, 2, 2.66, 2.69, 2.84, 2.99, 3.3, 3.6, 3.9, 4.1, 4.3],
  slope: 0.28,
};

/** Beside digits, or deep in a chain of letters and digits without a gap: hex, base64, hashes, keys. */
const RANDOM: WordCosts = {
  lower: [1, 1.01, 1.54, 1.86, 2.1, 2.1, 2.1, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.8],
  title: [1.13, 1.27, 1.93, 2.3, 2.6, 2.9, 3, 3, 3, 3, 3, 3, 3.14, 3.39],
  upper: [1, 1.07, 2.01, 2.36, 2.95, 3.34, 3.7, 4.33, 4.78, 5.1, 5.64, 6.03, 6.68, 7.01],
  slope: 0.45,
};

/** The same behind one punctuation character. */
const RANDOM_PREFIXED: WordCosts = {
  lower: [1.09, 1.6, 1.75, 1.85, 1.85, 2, 2, 2, 2.02, 2.1, 2.25, 2.52, 2.7, 2.95],
  title: [1.56, 2.11, 2.62, 3, 3.3, 3.4, 3.5, 3.5, 3.5, 3.75, 4, 4.25, 4.5, 4.75],
  upper: [1.42, 2.04, 2.71, 3.14, 3.5, 3.6, 3.9, 4.72, 5.46, 5.69, 6.2, 6.94, 7.19, 7.44],
  slope: 0.45,
};

/** A chain of this many letter-digit-case changes without a gap is taken for encoded data, not for a name. */
const RANDOM_CHAIN = 5;

/** Tokens of non-ASCII letters in a word: once for the first one, then for each. */
interface LetterCosts {
  readonly first: number;
  readonly each: number;
}

const LETTERS: Readonly<Record<number, LetterCosts>> = {
  [LATIN]: { first: 0.3, each: 0.55 },
  [CYRILLIC]: { first: 0.6, each: 0.19 },
  [CJK]: { first: 0.55, each: 0.73 },
  [HANGUL]: { first: 0.5, each: 0.6 },
  [SCRIPT]: { first: 0.6, each: 0.32 },
  [SPARSE]: { first: 0.6, each: 0.44 },
};

/** Tokens of a punctuation run by its number of characters, repeats beyond the third of one character left out. */
const PUNCTUATION_COSTS: readonly number[] = [1, 1.04, 1.2, 2, 2.3, 2.6, 3.1, 3.6, 4, 4.36];
const PUNCTUATION_SLOPE = 0.42;
/** A rule of one repeated character (`-----`) has tokens of its own for many lengths. */
const REPEATED_PUNCTUATION = 0.03;
const SYMBOL_COST = 0.95;
const REPEATED_SYMBOL = 0.12;
const SURROGATE_COST = 0.9;

/** Accented letters mark text that is not English, where longer ASCII words split more; the mark lasts so many words. */
const FOREIGN_WORDS = 48;
const FOREIGN_FROM_LETTERS = 4;
const FOREIGN_PER_LETTER = 0.11;
const FOREIGN_MOST_LETTERS = 10;

/** The characters `. / (`. */
const PATHLIKE_PREFIXES: ReadonlySet<number> = new Set([0x2e, 0x2f, 0x28]);
/** Characters that occur inside encoded data and names, so they do not end a chain: + - / = _ */
const CHAIN_LINKS: ReadonlySet<number> = new Set([0x2b, 0x2d, 0x2f, 0x3d, UNDERSCORE]);

interface Scan {
  readonly text: string;
  at: number;
  tokens: number;
  /** Changes between letters, digits and humps since the last gap. */
  chain: number;
  /** Class of the piece just before, or 0 after a gap. */
  before: number;
  /** Words for which the text still counts as not English. */
  foreignWords: number;
}

/**
 * Estimated tokens of `text`: an integer, 0 only for the empty string, deterministic, never lower for a longer text
 * that begins with this one. Within a few per cent of o200k over a few kilobytes of ordinary content; other
 * tokenizers differ by a steady factor, which the meter learns from reported usage. Never throws.
 */
export function estimateTokens(text: string): number {
  if (text.length === 0) return 0;
  const scan: Scan = { text, at: 0, tokens: 0, chain: 0, before: 0, foreignWords: 0 };
  while (scan.at < text.length) step(scan);
  return Math.max(1, Math.round(scan.tokens));
}

/**
 * Code points divided by four, rounded up: the usual rule of thumb, kept for policies whose thresholds were set with
 * it. A lone surrogate counts as one code point. Never throws.
 */
export function codePointTokens(text: string): number {
  let codePoints = text.length;
  for (let at = 1; at < text.length; at++) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xdc00 || (text.charCodeAt(at - 1) & 0xfc00) !== 0xd800) continue;
    codePoints--;
  }
  return Math.ceil(codePoints / 4);
}

function step(scan: Scan): void {
  const kind = kindOf(scan.text, scan.at);
  if (kind === BLANK || kind === NEWLINE) scanBlank(scan);
  else if (kind === DIGIT) scanDigits(scan);
  else if (isLetter(kind)) scanWord(scan, bareCosts(scan));
  else scanPunctuation(scan, kind);
}

/** The longest runs the o200k vocabulary has a token for, characters: of spaces, and of line breaks or tabs. */
const SPACES_A_TOKEN = 80;
const BREAKS_A_TOKEN = 16;

/** Whitespace: a piece up to the last line break, then the indent; a run too long for one token costs more of them. */
function scanBlank(scan: Scan): void {
  const { text } = scan;
  const start = scan.at;
  let end = start;
  let afterNewline = 0;
  let spaces = 0;
  for (let kind = kindOf(text, end); kind === BLANK || kind === NEWLINE; kind = kindOf(text, end)) {
    if (text.charCodeAt(end) === SPACE) spaces++;
    end++;
    if (kind === NEWLINE) afterNewline = end;
  }
  scan.tokens += Math.floor(spaces / SPACES_A_TOKEN) + Math.floor((end - start - spaces) / BREAKS_A_TOKEN);
  scan.chain = 0;
  scan.before = 0;
  scan.at = end;
  if (afterNewline > 0) scan.tokens += 1;
  const blanks = end - (afterNewline || start);
  if (blanks === 0) return;
  if (end < text.length) scanIndented(scan, blanks);
  // A line break may still follow and take these blanks into the piece before, so behind one they are not certain.
  else if (afterNewline === 0) scan.tokens += 1;
}

/** `blanks` without a line break: one piece, less the last blank, which belongs to a word or marks behind it. */
function scanIndented(scan: Scan, blanks: number): void {
  const next = kindOf(scan.text, scan.at);
  const isSpace = scan.text.charCodeAt(scan.at - 1) === SPACE;
  if (blanks > 1) scan.tokens += 1;
  if (isLetter(next)) scanWord(scan, SPACED);
  else if (isSpace && next >= PUNCTUATION) scanRun(scan);
  else scan.tokens += 1;
}

/** Digits go by threes, each group a token. */
function scanDigits(scan: Scan): void {
  const start = scan.at;
  while (kindOf(scan.text, scan.at) === DIGIT) scan.at++;
  scan.tokens += Math.ceil((scan.at - start) / 3);
  if (isLetter(scan.before)) scan.chain++;
  scan.before = DIGIT;
}

/** One punctuation character directly before a letter belongs to the word; any other run is a piece of its own. */
function scanPunctuation(scan: Scan, kind: number): void {
  const code = scan.text.charCodeAt(scan.at);
  if (!CHAIN_LINKS.has(code)) scan.chain = 0;
  if (kind === SURROGATE || !isLetter(kindOf(scan.text, scan.at + 1))) {
    scanRun(scan);
    return;
  }
  scan.at++;
  if (kind === SYMBOL) scan.tokens += 0.1;
  scanWord(scan, prefixedCosts(scan, code));
}

/** A run of punctuation and symbols with the line breaks right behind it. Never under one token. */
function scanRun(scan: Scan): void {
  const { text } = scan;
  const first = text.charCodeAt(scan.at);
  let previous = first;
  let streak = 0;
  let isMixed = false;
  let counted = 0;
  let extra = 0;
  for (let kind = kindOf(text, scan.at); isMark(kind); kind = kindOf(text, scan.at)) {
    const code = text.charCodeAt(scan.at++);
    streak = code === previous ? streak + 1 : 1;
    isMixed ||= code !== first;
    previous = code;
    if (kind === SURROGATE) extra += SURROGATE_COST;
    else if (kind === SYMBOL) extra += streak > 2 ? REPEATED_SYMBOL : SYMBOL_COST;
    else if (streak > 3) extra += REPEATED_PUNCTUATION;
    else counted++;
  }
  const base = isMixed ? lookUp(PUNCTUATION_COSTS, counted, PUNCTUATION_SLOPE) : Math.min(counted, 1);
  scan.tokens += Math.max(1, base + extra);
  while (kindOf(text, scan.at) === NEWLINE) scan.at++;
  scan.before = 0;
}

/** Letters up to the next hump: capitals, then everything that is not a capital. */
function scanWord(scan: Scan, costs: WordCosts): void {
  const { text } = scan;
  const start = scan.at;
  if (scan.before !== 0) scan.chain++;
  const capitals = countCapitals(text, start);
  let at = start + capitals;
  while (kindOf(text, at) === LOWER) at++;
  scan.at = at;
  scan.before = LOWER;
  const letters = at - start;
  if (kindOf(text, at) >= LATIN) scanMixedWord(scan, costs, start);
  else scan.tokens += asciiCost(costs, capitals, letters) + foreignCost(scan, letters);
}

/** The rest of a word from its first non-ASCII letter on; it begins at `start`. Never under one token. */
function scanMixedWord(scan: Scan, costs: WordCosts, start: number): void {
  const { text } = scan;
  const first = kindOf(text, scan.at);
  let ascii = scan.at - start;
  const capitals = countCapitals(text, start);
  let tokens = letterCosts(first).first;
  for (let kind = first; kind === LOWER || kind >= LATIN; kind = kindOf(text, ++scan.at)) {
    if (kind === LOWER) ascii++;
    else tokens += letterCosts(kind).each;
  }
  if (ascii > 0) tokens += asciiCost(costs, capitals, ascii) + foreignCost(scan, ascii);
  scan.tokens += Math.max(1, tokens);
  if (first === LATIN) scan.foreignWords = FOREIGN_WORDS;
}

function countCapitals(text: string, start: number): number {
  let at = start;
  while (kindOf(text, at) === UPPER) at++;
  return at - start;
}

function asciiCost(costs: WordCosts, capitals: number, letters: number): number {
  if (capitals === 0) return lookUp(costs.lower, letters, costs.slope);
  return lookUp(capitals === 1 && letters > 1 ? costs.title : costs.upper, letters, costs.slope);
}

function foreignCost(scan: Scan, letters: number): number {
  if (scan.foreignWords === 0) return 0;
  scan.foreignWords--;
  if (letters <= FOREIGN_FROM_LETTERS) return 0;
  return (Math.min(letters, FOREIGN_MOST_LETTERS + FOREIGN_FROM_LETTERS) - FOREIGN_FROM_LETTERS) * FOREIGN_PER_LETTER;
}

function bareCosts(scan: Scan): WordCosts {
  return scan.before === DIGIT || scan.chain >= RANDOM_CHAIN ? RANDOM : BARE;
}

function prefixedCosts(scan: Scan, code: number): WordCosts {
  scan.before = 0;
  if (scan.chain >= RANDOM_CHAIN) return RANDOM_PREFIXED;
  if (code === UNDERSCORE) return BARE;
  return PATHLIKE_PREFIXES.has(code) ? PATHLIKE : PREFIXED;
}

function letterCosts(kind: number): LetterCosts {
  return LETTERS[kind] as LetterCosts;
}

function lookUp(table: readonly number[], length: number, slope: number): number {
  if (length === 0) return 0;
  const known = table[length - 1];
  if (known !== undefined) return known;
  return (table[table.length - 1] as number) + (length - table.length) * slope;
}

/** Class of the code unit at `at`, 0 at the end of the text. */
function kindOf(text: string, at: number): number {
  return at < text.length ? (KIND[text.charCodeAt(at)] as number) : 0;
}

function isLetter(kind: number): boolean {
  return kind === LOWER || kind === UPPER || kind >= LATIN;
}

function isMark(kind: number): boolean {
  return kind >= PUNCTUATION && kind <= SURROGATE;
}

function buildKinds(): Uint8Array {
  const kinds = new Uint8Array(0x10000).fill(PUNCTUATION, 0, 0x80);
  kinds.fill(LOWER, 0x61, 0x7b).fill(UPPER, 0x41, 0x5b).fill(DIGIT, 0x30, 0x3a);
  kinds.fill(BLANK, 0x09, 0x0e);
  kinds[0x0a] = NEWLINE;
  kinds[0x0d] = NEWLINE;
  kinds[SPACE] = BLANK;
  for (const [fromCode, kind] of RANGES) kinds.fill(kind, fromCode);
  return kinds;
}
