/**
 * Finds names in a text in one pass: paths, addresses of the web, words with an inner capital, an underscore or a digit
 * (hashes and ids among them), hosts with a port. No expression that could backtrack; time is linear in the text.
 */

/** Called with the borders of each name. */
export type OnIdentifier = (from: number, to: number, isPath: boolean) => void;

/** Shorter names are words of every text. */
const MIN_CHARS = 6;

/** Longer runs are data: base64, minified code. */
const MAX_WORD_CHARS = 80;
const MAX_PATH_CHARS = 240;

const OTHER = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
/** `_`, `$`. */
const LINE = 4;
/** `. - + @ ~`, which join parts of file names. */
const JOINER = 5;
const SLASH = 6;

const SLASH_CODE = 47;
const COLON_CODE = 58;

/** Beyond ASCII, everything is taken for a letter: names end at signs of ASCII, as they do in code. */
const CLASSES: Uint8Array = classTable();

function classTable(): Uint8Array {
  const table = new Uint8Array(0x10000).fill(LOWER, 128);
  const set = (text: string, value: number): void => {
    for (let i = 0; i < text.length; i += 1) table[text.charCodeAt(i)] = value;
  };
  set('abcdefghijklmnopqrstuvwxyz', LOWER);
  set('ABCDEFGHIJKLMNOPQRSTUVWXYZ', UPPER);
  set('0123456789', DIGIT);
  set('_$', LINE);
  set('.-+@~', JOINER);
  table[SLASH_CODE] = SLASH;
  return table;
}

function classOf(code: number): number {
  return CLASSES[code] as number;
}

function isJoiner(code: number): boolean {
  const kind = classOf(code);
  return kind === JOINER || kind === SLASH;
}

/** What an address of the web cannot hold or would not end with in prose and code: white space, quotes, brackets, a bar. */
const URL_BORDERS: Uint8Array = borders();

/** Signs that belong to the sentence when they stand at the end. */
const SENTENCE_ENDS = '.,;:!?/';

function borders(): Uint8Array {
  const table = new Uint8Array(0x10000).fill(1, 0, 33);
  for (const sign of `"'<>()\\[]{}|\``) table[sign.charCodeAt(0)] = 1;
  return table;
}

/** End of the address whose scheme and `://` stand before `at`. */
function urlEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && URL_BORDERS[text.charCodeAt(end)] === 0) end += 1;
  while (end > at && SENTENCE_ENDS.includes(text.charAt(end - 1))) end -= 1;
  return end;
}

/** Digits behind `at`, at most five and not more: a port. Returns their end, or `at`. */
function portEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && classOf(text.charCodeAt(end)) === DIGIT) end += 1;
  return end - at >= 2 && end - at <= 5 ? end : at;
}

class Scanner {
  readonly text: string;
  readonly found: OnIdentifier;

  constructor(text: string, found: OnIdentifier) {
    this.text = text;
    this.found = found;
  }

  run(): void {
    const { text } = this;
    const { length } = text;
    let at = 0;
    while (at < length) {
      if (classOf(text.charCodeAt(at)) === OTHER) at += 1;
      else at = this.#chunk(at);
    }
  }

  /** One run of characters that may stand in a path. Returns where to go on. */
  #chunk(from: number): number {
    const { text } = this;
    let mask = 0;
    let end = from;
    for (; end < text.length; end += 1) {
      const kind = classOf(text.charCodeAt(end));
      if (kind === OTHER) break;
      mask |= 1 << kind;
    }
    if (text.charCodeAt(end) === COLON_CODE) {
      const next = this.#behindColon(from, end);
      if (next > end) return next;
    }
    if (end - from >= MIN_CHARS) this.#names(from, end, mask);
    return end;
  }

  /** `https://…` and `localhost:3000`; returns the end of such a name, or `end`. */
  #behindColon(from: number, end: number): number {
    const { text } = this;
    if (text.charCodeAt(end + 1) === SLASH_CODE && text.charCodeAt(end + 2) === SLASH_CODE) {
      const until = urlEnd(text, end + 3);
      const isAddress = until > end + 3 && until - from >= MIN_CHARS;
      if (isAddress && until - from <= MAX_PATH_CHARS) this.found(from, until, true);
      return until;
    }
    const port = portEnd(text, end + 1);
    if (port === end + 1 || !this.#isHost(from, end)) return end;
    this.found(from, port, false);
    return port;
  }

  /** `localhost`, or numbers and dots. */
  #isHost(from: number, end: number): boolean {
    const { text } = this;
    if (end - from === 9 && text.startsWith('localhost', from)) return true;
    let dots = 0;
    for (let i = from; i < end; i += 1) {
      const code = text.charCodeAt(i);
      if (code === 46) dots += 1;
      else if (classOf(code) !== DIGIT) return false;
    }
    return dots === 3;
  }

  #names(from: number, to: number, mask: number): void {
    if ((mask & (1 << SLASH)) !== 0) {
      this.#path(from, to);
      return;
    }
    const hasJoiner = (mask & (1 << JOINER)) !== 0;
    if (hasJoiner && (mask & (1 << DIGIT)) !== 0 && (mask & ((1 << LOWER) | (1 << UPPER))) !== 0) {
      this.#joined(from, to);
    }
    if (hasJoiner) this.#words(from, to);
    else this.#word(from, to, mask);
  }

  /** A name of several parts with a digit in it: a uuid, a version, `gpt-4o`. */
  #joined(from: number, to: number): void {
    const { text } = this;
    let start = from;
    let end = to;
    while (start < end && isJoiner(text.charCodeAt(start))) start += 1;
    while (end > start && isJoiner(text.charCodeAt(end - 1))) end -= 1;
    if (end - start >= MIN_CHARS && end - start <= MAX_WORD_CHARS) this.found(start, end, false);
  }

  #path(from: number, to: number): void {
    const { text } = this;
    const start = this.#pathStart(from, to);
    let end = to;
    while (end > start && isJoiner(text.charCodeAt(end - 1))) end -= 1;
    let letters = 0;
    let slashes = 0;
    for (let i = start; i < end; i += 1) {
      const kind = classOf(text.charCodeAt(i));
      if (kind === SLASH) slashes += 1;
      else if (kind === LOWER || kind === UPPER) letters += 1;
    }
    if (letters < 2 || end - start < MIN_CHARS) return;
    if (slashes === 0) this.#words(start, end);
    else if (end - start <= MAX_PATH_CHARS) this.found(start, end, true);
  }

  /** Behind signs of a diff or a list, of comments and of closing tags. */
  #pathStart(from: number, to: number): number {
    const { text } = this;
    let start = from;
    while (start < to && (text[start] === '-' || text[start] === '+')) start += 1;
    if (text.charCodeAt(start) !== SLASH_CODE) return start;
    const isComment = text.charCodeAt(start + 1) === SLASH_CODE;
    while (text.charCodeAt(start + 1) === SLASH_CODE) start += 1;
    return isComment || (start > 0 && text[start - 1] === '<') ? start + 1 : start;
  }

  /** The words between joiners. */
  #words(from: number, to: number): void {
    const { text } = this;
    let start = from;
    let mask = 0;
    for (let i = from; i <= to; i += 1) {
      const kind = i < to ? classOf(text.charCodeAt(i)) : JOINER;
      if (kind !== JOINER && kind !== SLASH) {
        mask |= 1 << kind;
        continue;
      }
      if (i - start >= MIN_CHARS) this.#word(start, i, mask);
      start = i + 1;
      mask = 0;
    }
  }

  /** A word is a name with a capital behind a small letter, an underscore or a digit in it; else it is anybody's word. */
  #word(from: number, to: number, mask: number): void {
    if (to - from > MAX_WORD_CHARS) return;
    const isName = (mask & ((1 << DIGIT) | (1 << LINE))) !== 0 || (mask & (1 << UPPER) && this.#hasHump(from, to));
    if (isName) this.found(from, to, false);
  }

  #hasHump(from: number, to: number): boolean {
    const { text } = this;
    let before = OTHER;
    for (let i = from; i < to; i += 1) {
      const kind = classOf(text.charCodeAt(i));
      if (kind === UPPER && before === LOWER) return true;
      before = kind;
    }
    return false;
  }
}

/** Calls `found` for each name in `text`, in order. */
export function scanIdentifiers(text: string, found: OnIdentifier): void {
  new Scanner(text, found).run();
}
