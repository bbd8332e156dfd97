/** Which lines tell of an error or a warning: by their words, in one pass over each. */
import type { Alarm } from './rows.ts';

const ERRORS = [
  ...['error', 'errors', 'err', 'fatal', 'failed', 'fail', 'failure', 'failures', 'fails', 'panic', 'panicked'],
  ...['exception', 'traceback', 'critical', 'segfault', 'aborted', 'uncaught', 'unhandled', 'enoent', 'eacces'],
  ...['econnrefused', 'denied', 'emerg', 'crashed', 'killed', 'errored', 'cannot', 'unable'],
];
const WARNINGS = ['warn', 'warning', 'warnings', 'deprecated', 'deprecation'];
/** Behind these a number other than 0 is an error. */
const EXITS = ['exit', 'exited', 'status', 'code'];

type Meaning = Alarm | 'exit';

const MEANINGS: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ...ERRORS.map((word) => [word, 2] as const),
  ...WARNINGS.map((word) => [word, 1] as const),
  ...EXITS.map((word) => [word, 'exit'] as const),
]);
/** Ends of names: `TypeError`, `IndexOutOfBoundsException`, `DeprecationWarning`. */
const ENDINGS = [
  ['Error', 2],
  ['Exception', 2],
  ['Warning', 1],
] as const;

/** Longest word that is looked up. */
const MAX_WORD_CHARS = 48;
/** Longest line whose exit status is looked for. */
const MAX_STATUS_CHARS = 400;

const LETTER = 1;
/** A character that makes a word beside it part of a path, a name or a call. */
const JOINING = 2;

const KINDS: Uint8Array = kinds();

function kinds(): Uint8Array {
  const table = new Uint8Array(128);
  table.fill(LETTER, 0x41, 0x5b).fill(LETTER, 0x61, 0x7b).fill(JOINING, 0x30, 0x3a);
  for (const char of '/\\_-.$#@') table[char.charCodeAt(0)] = JOINING;
  return table;
}

function kindAt(line: string, at: number): number {
  const code = line.charCodeAt(at);
  return code < 128 ? (KINDS[code] as number) : 0;
}

function feed(hash: number, code: number): number {
  return Math.imul(hash ^ (code | 0x20), 0x01000193);
}

function hashOfWord(word: string): number {
  let hash = 0;
  for (let i = 0; i < word.length; i += 1) hash = feed(hash, word.charCodeAt(i));
  return hash;
}

/** Hashes of the words, so that most words are never cut out of their line. */
const HASHES: ReadonlySet<number> = new Set([...MEANINGS.keys()].map(hashOfWord));
const LAST_LETTERS: ReadonlySet<number> = new Set(ENDINGS.map(([ending]) => ending.charCodeAt(ending.length - 1)));

/** `0 errors`, `no failures`: the word says that there was none. */
function isDenied(line: string, start: number): boolean {
  return /(?:^|[^\w.])(?:0|no|not|without) $/i.test(line.slice(Math.max(0, start - 9), start));
}

/** Whether the word `[start, end)` is a part of a path, an option, a member or another name. */
function isName(line: string, start: number, end: number): boolean {
  // A full stop ends a sentence where a blank or nothing follows.
  const after = kindAt(line, end) === JOINING && !(line[end] === '.' && kindAt(line, end + 1) === 0);
  if (after || kindAt(line, start - 1) !== JOINING) return after;
  // `java.io.IOException: …`: what was thrown, with its package.
  const isThrown =
    line[start - 1] === '.' && end - start > 9 && (end === line.length || ': '.includes(line[end] ?? ''));
  return !isThrown;
}

function meaningOf(word: string): Meaning {
  const ending = ENDINGS.find(([end]) => word.endsWith(end));
  return MEANINGS.get(word.toLowerCase()) ?? ending?.[1] ?? 0;
}

const STATUS = /^(?:exit(?:ed)?|status|code):?(?: with)?(?: code| status)?[: ] ?[1-9]\d{0,2}(?!\w)/i;

/** What the word `[start, end)` of `line` says. */
function wordAlarm(line: string, start: number, end: number): Alarm {
  const meaning = meaningOf(line.slice(start, end));
  if (meaning === 'exit')
    return line.length <= MAX_STATUS_CHARS && STATUS.test(line.slice(start, start + MAX_WORD_CHARS)) ? 2 : 0;
  return meaning === 0 || isDenied(line, start) || isName(line, start, end) ? 0 : meaning;
}

/** Signs test runners put before what failed, and pytest's column of errors. */
const SIGNS = /^(?:\s{0,20}[✗✘✖❌]|E {3}\S)/;

/** The alarm of a line and the place of the word that gave it, 0 where none did. */
export function alarmAt(line: string): { readonly alarm: Alarm; readonly at: number } {
  let found: { alarm: Alarm; at: number } = { alarm: 0, at: 0 };
  for (let at = 0; at < line.length; at += 1) {
    if (kindAt(line, at) !== LETTER) continue;
    const start = at;
    let hash = 0;
    for (; kindAt(line, at) === LETTER; at += 1) hash = feed(hash, line.charCodeAt(at));
    const isCandidate = HASHES.has(hash) || LAST_LETTERS.has(line.charCodeAt(at - 1) | 0x20);
    if (!isCandidate || at - start < 3 || at - start > MAX_WORD_CHARS) continue;
    const alarm = wordAlarm(line, start, at);
    if (alarm === 2) return { alarm, at: start };
    if (alarm > found.alarm) found = { alarm, at: start };
  }
  return SIGNS.test(line) ? { alarm: 2, at: 0 } : found;
}

export function alarmOf(line: string): Alarm {
  return alarmAt(line).alarm;
}
