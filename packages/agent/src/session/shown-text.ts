/** Text of a session file made fit to be shown: it may have been written by anybody. */

const ESC = String.fromCharCode(0x1b);
/** The one-character forms of `ESC [` and of the sequences that end in `ESC` and a backslash. */
const CSI = '\u009b';
const STRINGS = '\u0090\u0098\u009d-\u009f';
const END = `(?:${String.fromCharCode(7)}|${ESC}\\\\|\u009c)`;

/**
 * Colours, cursor movements, window titles: whole sequences, so that their tails are not left as text. One without its end loses its beginning
 * only. Linear: no sequence's text holds the beginning of another.
 */
const ESCAPES = new RegExp(
  [
    `(?:${ESC}\\[|${CSI})[0-?]*[ -/]*[@-~]`,
    `(?:${ESC}[PX\\]^_]|[${STRINGS}])[^\\p{Cc}]*${END}`,
    `${ESC}[ -/]*[0-~]?`,
  ].join('|'),
  'gu',
);
/** Everything that moves something other than the text: control characters, line separators, directions, marks of byte order. */
const CONTROLS = /(?![\n\t])\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** Without terminal escapes and control characters; line feeds and tabs stay. */
export function shownText(text: string): string {
  return text.toWellFormed().replaceAll('\r\n', '\n').replaceAll(ESCAPES, '').replaceAll(CONTROLS, '');
}

/** Two columns wide in every terminal: CJK, Hangul, full-width forms, pictures. */
const WIDE =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{17000}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|.\ufe0f)/u;
const WIDTHLESS = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Columns of one character as the reader sees it. */
function columnsOf(grapheme: string): number {
  if (WIDTHLESS.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
}

/** Text this long holds a title of any script; the rest is not looked at. */
const MOST_CHARS = 2_000;
const MAX_MARKS = 8;

/** The first line that says something, cut to `columns` of a terminal, with `…` for what was cut. */
export function titleLine(text: string, columns = 60): string {
  const lines = shownText(text.slice(0, MOST_CHARS)).split('\n');
  const line = lines.map((item) => item.replaceAll(/\s+/g, ' ').trim()).find((item) => item !== '') ?? '';
  let title = '';
  let width = 0;
  for (const { segment } of graphemes.segment(line)) {
    // A letter with a heap of marks on it covers the lines around.
    const shown = segment.length > MAX_MARKS && !WIDE.test(segment) ? segment.slice(0, 1) : segment;
    const more = columnsOf(shown);
    if (width + more > columns) return `${cutTo(title, columns - 1)}…`;
    title += shown;
    width += more;
  }
  return title;
}

function cutTo(text: string, columns: number): string {
  let width = 0;
  let kept = '';
  for (const { segment } of graphemes.segment(text)) {
    width += columnsOf(segment);
    if (width > columns) break;
    kept += segment;
  }
  return kept.trimEnd();
}
