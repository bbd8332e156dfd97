import { describe, expect, it } from 'vitest';
import { shownText, titleLine } from '../../src/session/shown-text.ts';

const ESC = String.fromCharCode(27);
const BEL = String.fromCharCode(7);

describe('text to be shown', () => {
  it.each([
    ['colours', `${ESC}[31mred${ESC}[0m`, 'red'],
    ['a window title', `a${ESC}]0;owned${BEL}b`, 'ab'],
    ['a link', `${ESC}]8;;http://x${ESC}\\here${ESC}]8;;${ESC}\\`, 'here'],
    ['a device string', `a${ESC}P1$r0m${ESC}\\b`, 'ab'],
    ['the one-character forms', 'a\u009b2Jb\u009d0;t\u009cc', 'abc'],
    ['a sequence without an end', `a${ESC}]0;rest stays`, 'a0;rest stays'],
    ['a lone escape', `a${ESC}`, 'a'],
    ['carriage returns that write over a line', 'yes\rno', 'yesno'],
    ['line ends of Windows', 'a\r\nb', 'a\nb'],
    ['other directions', 'a\u202eevil\u2066b', 'aevilb'],
    ['NUL and DEL', 'a\0\u007fb', 'ab'],
    ['half a pair', 'a\ud83e', 'a\ufffd'],
    ['lines and tabs, which stay', 'a\n\tb', 'a\n\tb'],
  ])('loses %s', (_, text, shown) => {
    expect(shownText(text)).toBe(shown);
  });

  it('is made in time that grows with the text', () => {
    for (const text of [`${ESC}]`, '\u009d', `${ESC}[`, `${ESC}[0`, `${ESC}P `]) {
      const startMs = performance.now();
      shownText(text.repeat(200_000));
      expect(performance.now() - startMs, JSON.stringify(text)).toBeLessThan(2_000);
    }
  });
});

describe('a title', () => {
  it.each([
    ['the first line that says something', '\n \t \n  Fix   the\tbug  \nand more', 'Fix the bug'],
    ['nothing', '  \n', ''],
    ['sixty columns', 'a'.repeat(60), 'a'.repeat(60)],
    ['what is cut', 'a'.repeat(61), `${'a'.repeat(59)}…`],
    ['wide characters', '漢'.repeat(40), `${'漢'.repeat(29)}…`],
    ['families, whole', '👨‍👩‍👧'.repeat(31), `${'👨‍👩‍👧'.repeat(29)}…`],
    ['marks, which take no room', 'e\u0301'.repeat(60), 'e\u0301'.repeat(60)],
    ['a heap of marks', `a${'\u0301'.repeat(50)}b`, 'ab'],
    ['escapes', `${ESC}[2Jhello${BEL}`, 'hello'],
  ])('holds %s', (_, text, title) => {
    expect(titleLine(text)).toBe(title);
  });
});
