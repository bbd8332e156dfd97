/**
 * How much folding could save at most, in one pass that makes nothing: most results have nothing to fold, and should cost next to nothing.
 */

const DIGITS = 1;
const LETTERS = 2;
const BARS = 4;

function kindOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return DIGITS;
  const letter = code | 0x20;
  if (letter >= 0x61 && letter <= 0x7a) return LETTERS;
  // Characters bars are drawn of count for nothing here, nor does what is not ASCII.
  return code <= 0x20 || code >= 0x80 || '=->.*_#'.includes(String.fromCharCode(code)) ? BARS : 0;
}

const KINDS = Uint8Array.from({ length: 0x80 }, (_, code) => kindOf(code));

/** What a line has that stays the same where lines are alike. */
function lineHash(text: string, from: number, to: number): number {
  let line = 0;
  let word = 0;
  let kinds = 0;
  for (let at = from; at <= to; at += 1) {
    const code = at === to ? 0x20 : text.charCodeAt(at);
    const kind = code < 0x80 ? (KINDS[code] ?? 0) : BARS;
    if (kind === DIGITS || kind === LETTERS) {
      word = Math.imul(word ^ code, 0x01000193);
      kinds |= kind;
      continue;
    }
    // A word with a digit in it may be another in the next line.
    if (kinds === LETTERS) line = Math.imul(line ^ word, 0x85ebca6b);
    if (kind !== BARS) line = Math.imul(line ^ code, 0x01000193);
    word = 0;
    kinds = 0;
  }
  return line;
}

/** Whether a line may be a frame of a stack trace. */
function mayBeFrame(text: string, from: number): boolean {
  const first = text.charCodeAt(from);
  if (first !== 0x20 && first !== 0x09) return false;
  const head = text.slice(from, from + 24).trimStart();
  return /^(?:at |File "|\d|from |\S*\/)/.test(head);
}

/** Blanks at the end of a line, which are dropped. */
function blanksBefore(text: string, from: number, to: number): number {
  let at = to;
  for (; at > from; at -= 1) {
    const code = text.charCodeAt(at - 1);
    if (code > 0x20 && (code < 0x80 || !/\s/.test(text.charAt(at - 1)))) break;
  }
  return to - at;
}

/** Characters of lines that are like the one before or may be frames; all where a terminal would not show some. */
export function foldableChars(text: string): number {
  if (text.includes('\u001b') || text.includes('\b') || /\r(?!\n)/.test(text)) return text.length;
  let chars = 0;
  let last = Number.NaN;
  for (let from = 0; from <= text.length; ) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end;
    const hash = lineHash(text, from, to);
    if (hash === last || mayBeFrame(text, from)) chars += to - from + 1;
    else chars += blanksBefore(text, from, to);
    last = hash;
    from = to + 1;
  }
  return chars;
}
