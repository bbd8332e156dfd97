/** What lines have in common that differ in their numbers and bars only. */

const LETTER = 1;
const DIGIT = 2;
/** What bars of progress and rules are drawn of. */
const BAR = 3;

const KINDS: Uint8Array = kinds();

function kinds(): Uint8Array {
  const table = new Uint8Array(128);
  table.fill(LETTER, 0x41, 0x5b).fill(LETTER, 0x61, 0x7b).fill(DIGIT, 0x30, 0x3a);
  for (const char of '=->.*_ #') table[char.charCodeAt(0)] = BAR;
  return table;
}

function kindAt(line: string, at: number): number {
  const code = line.charCodeAt(at);
  if (code < 128) return KINDS[code] as number;
  // Block and box drawing characters.
  return code >= 0x2500 && code <= 0x259f ? BAR : 0;
}

/** Letters a line needs for its digits to be noise: fewer, and it is a row of numbers. */
const MIN_LETTERS = 6;
/** Longest line that is compared: longer ones are data. */
const MAX_CHARS = 600;

interface Scan {
  a: number;
  b: number;
  letters: number;
}

function feed(scan: Scan, code: number): void {
  scan.a = Math.imul(scan.a ^ code, 0x01000193);
  scan.b = Math.imul(scan.b + code, 0x85ebca6b) ^ (scan.b >>> 13);
}

function isWordAt(line: string, at: number): boolean {
  const kind = kindAt(line, at);
  return kind === LETTER || kind === DIGIT;
}

/** Takes a word: itself, or one sign for all words with digits. */
function takeWord(scan: Scan, line: string, from: number): number {
  let to = from;
  let hasDigit = false;
  for (; isWordAt(line, to); to += 1) hasDigit ||= kindAt(line, to) === DIGIT;
  if (hasDigit) feed(scan, 1);
  else for (let i = from; i < to; i += 1) feed(scan, line.charCodeAt(i));
  if (!hasDigit) scan.letters += to - from;
  return to;
}

/** Takes blanks and what bars are drawn of: one sign for two and more. */
function takeBar(scan: Scan, line: string, from: number): number {
  let to = from + 1;
  while (kindAt(line, to) === BAR) to += 1;
  feed(scan, to - from > 1 ? 2 : line.charCodeAt(from));
  return to;
}

/** A number that is the same for lines that are alike: 53 bits. Undefined for a line that is hardly words. */
export function patternOf(line: string): number | undefined {
  if (line.length > MAX_CHARS) return undefined;
  const scan: Scan = { a: 0x811c9dc5, b: 0, letters: 0 };
  for (let at = 0; at < line.length; ) {
    if (isWordAt(line, at)) at = takeWord(scan, line, at);
    else if (kindAt(line, at) === BAR) at = takeBar(scan, line, at);
    else feed(scan, line.charCodeAt(at++));
  }
  return scan.letters < MIN_LETTERS ? undefined : (scan.a >>> 0) * 0x200000 + (scan.b >>> 11);
}
