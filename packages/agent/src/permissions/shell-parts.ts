/**
 * Splits a command line into the simple commands it runs, well enough to decide whether all of them are
 * allowed. It is no shell: wherever the text could mean something else to a shell (substitution inside quotes,
 * here-documents, comments, `$'…'`, parameter expansion with braces), the result says it is not sure.
 */

export interface ShellPart {
  /** As written, without surrounding space. */
  readonly text: string;
  /** Quotes and backslashes taken away, runs of space made one. */
  readonly plain: string;
  /** Output goes to a file other than /dev/null and the like. */
  readonly writesFile: boolean;
}

export interface ShellParts {
  readonly parts: readonly ShellPart[];
  /** False: a shell may run commands that are not in `parts`. */
  readonly sure: boolean;
}

interface Scan {
  readonly source: string;
  readonly parts: ShellPart[];
  index: number;
  text: string;
  plain: string;
  writesFile: boolean;
  sure: boolean;
}

type Step = (scan: Scan) => void;

/** Never throws; linear time. */
export function splitShell(command: string): ShellParts {
  const scan: Scan = { source: command, parts: [], index: 0, text: '', plain: '', writesFile: false, sure: true };
  while (scan.index < command.length) {
    const character = command[scan.index] ?? '';
    const step = STEPS[character];
    if (step !== undefined) step(scan);
    else if (isControl(character)) takeUnsure(scan);
    else take(scan, character, character);
  }
  flush(scan);
  return { parts: scan.parts, sure: scan.sure };
}

/**
 * Without surrounding space, tabs and line feeds. Other white space (a carriage return, a no-break space) is part of
 * a word for the shell, and so it is here.
 */
export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && BLANKS.has(text[start] ?? '')) start += 1;
  while (end > start && BLANKS.has(text[end - 1] ?? '')) end -= 1;
  return text.slice(start, end);
}

/** The command with quotes and backslashes taken away: what a word looks like to the program that gets it. */
export function unquoted(command: string): string {
  return command
    .replace(/\\\n/g, '')
    .replace(/["'\\]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

const STEPS: Readonly<Record<string, Step>> = {
  ';': separate,
  '\n': separate,
  '|': separate,
  '(': separate,
  ')': separate,
  '&': ampersand,
  '>': redirectOutput,
  '<': redirectInput,
  "'": singleQuoted,
  '"': doubleQuoted,
  '\\': escaped,
  '`': backtick,
  $: dollar,
  '#': hash,
  ' ': blank,
  '\t': blank,
};

const BLANKS = new Set([' ', '\t', '\n']);
/** Outside single quotes, each of these can start a substitution or a nested kind of quoting. */
const AFTER_DOLLAR_UNSURE = new Set(['(', '{', '[', "'", '"']);
/** After these an unquoted `#` begins a comment. */
const WORD_BREAKS = new Set([' ', '\t', '\n', '<', '>', '&']);
const HARMLESS_TARGET = /^[ \t]*\/dev\/(?:null|stdout|stderr|tty)(?=[ \t\n;&|<>()]|$)/;
const DESCRIPTOR_COPY = /^&(?:\d+-?|-)(?=[ \t\n;&|<>()]|$)/;

function take(scan: Scan, text: string, plain: string): void {
  scan.text += text;
  scan.plain += plain;
  scan.index += text.length;
}

function takeUnsure(scan: Scan): void {
  scan.sure = false;
  const character = scan.source[scan.index] ?? '';
  take(scan, character, character);
}

function flush(scan: Scan): void {
  const text = trimBlanks(scan.text);
  const plain = scan.plain.replace(/\s+/g, ' ').trim();
  if (text !== '') scan.parts.push({ text, plain, writesFile: scan.writesFile });
  if (startsUncertain(plain)) scan.sure = false;
  scan.text = '';
  scan.plain = '';
  scan.writesFile = false;
}

/** The name of the command itself is expanded: nobody can tell what runs. */
function startsUncertain(plain: string): boolean {
  const first = plain.split(' ', 1)[0] ?? '';
  return first.length > 1 && /[$*?[{~]/.test(first);
}

function separate(scan: Scan): void {
  flush(scan);
  scan.index += 1;
}

function blank(scan: Scan): void {
  take(scan, scan.source[scan.index] ?? ' ', ' ');
}

function ampersand(scan: Scan): void {
  // &> redirects both streams
  if (scan.source[scan.index + 1] === '>') take(scan, '&', '&');
  else separate(scan);
}

function redirectOutput(scan: Scan): void {
  const operator = /^>[>|]?/.exec(scan.source.slice(scan.index, scan.index + 2))?.[0] ?? '>';
  take(scan, operator, operator);
  // long enough for every harmless target, short enough to keep the whole scan linear
  const next = scan.source.slice(scan.index, scan.index + 64);
  const copy = DESCRIPTOR_COPY.exec(next)?.[0];
  if (copy !== undefined) return take(scan, copy, copy);
  if (next.startsWith('&')) take(scan, '&', '&');
  if (!HARMLESS_TARGET.test(next)) scan.writesFile = true;
}

function redirectInput(scan: Scan): void {
  const next = scan.source[scan.index + 1];
  if (next === '<') scan.sure = false;
  if (next === '<' || next === '&') take(scan, `<${next}`, `<${next}`);
  else take(scan, '<', '<');
}

function singleQuoted(scan: Scan): void {
  const end = scan.source.indexOf("'", scan.index + 1);
  if (end === -1) return takeUnsure(scan);
  const inner = scan.source.slice(scan.index + 1, end);
  take(scan, `'${inner}'`, inner);
}

function doubleQuoted(scan: Scan): void {
  const end = closingQuote(scan.source, scan.index + 1);
  if (end === -1) return takeUnsure(scan);
  const inner = scan.source.slice(scan.index + 1, end);
  if (/`|\$[({[]/.test(inner)) scan.sure = false;
  take(scan, `"${inner}"`, inner.replace(/\\\n/g, '').replace(/\\/g, ''));
}

function closingQuote(source: string, start: number): number {
  for (let index = start; index < source.length; index += 1) {
    if (source[index] === '\\') index += 1;
    else if (source[index] === '"') return index;
  }
  return -1;
}

function escaped(scan: Scan): void {
  const next = scan.source[scan.index + 1];
  if (next === undefined) return takeUnsure(scan);
  if (next !== '\n') return take(scan, `\\${next}`, next);
  // the shell joins the two lines before it reads words
  scan.index += 2;
}

function backtick(scan: Scan): void {
  scan.sure = false;
  separate(scan);
}

function dollar(scan: Scan): void {
  if (AFTER_DOLLAR_UNSURE.has(scan.source[scan.index + 1] ?? '')) scan.sure = false;
  take(scan, '$', '$');
}

/** At the start of a word a comment begins, and quotes in it mean nothing. */
function hash(scan: Scan): void {
  if (scan.text !== '' && !WORD_BREAKS.has(scan.text.slice(-1))) return take(scan, '#', '#');
  scan.sure = false;
  const end = scan.source.indexOf('\n', scan.index);
  scan.index = end === -1 ? scan.source.length : end;
}

function isControl(character: string): boolean {
  const unit = character.charCodeAt(0);
  return unit < 0x20 || unit === 0x7f;
}
