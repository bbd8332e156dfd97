import { describe, expect, it } from 'vitest';
import { sanitise, sanitiseLine } from '../../src/interactive/text/sanitise.ts';

const ESC = '\u001b';

describe('sanitise', () => {
  it.each([
    ['the clipboard', `a${ESC}]52;c;cm0=\u0007b`, 'ab'],
    ['a title, ended the other way', `a${ESC}]0;owned${ESC}\\b`, 'ab'],
    ['a link', `${ESC}]8;;https://evil.example\u0007click${ESC}]8;;\u0007`, 'click'],
    ['colours and cursor moves', `${ESC}[31mred${ESC}[0m${ESC}[2J${ESC}[1;1H`, 'red'],
    ['a private mode', `${ESC}[?1049hx${ESC}[?25l`, 'x'],
    ['a reset and a character set', `${ESC}c${ESC}(0x`, 'x'],
    ['a device control string', `${ESC}P1$r0m${ESC}\\x`, 'x'],
    ['a picture', `${ESC}_Gf=100;AAAA${ESC}\\x`, 'x'],
    ['8-bit forms', '\u009d0;owned\u009cx\u009b31my', 'xy'],
    ['a sequence without its end', `x${ESC}]0;still open`, 'x0;still open'],
    ['an escape at the end', `x${ESC}`, 'x'],
    ['bells, backspaces, NUL, DEL', 'a\u0007\u0008\u0000\u007fb', 'ab'],
    ['an escape inside an escape', `${ESC}${ESC}[31m[31mx`, '31mx'],
  ])('takes out %s', (_what, text, clean) => {
    expect(sanitise(text)).toBe(clean);
  });

  it('keeps lines, tabs and every script; names changes of direction', () => {
    expect(sanitise('a\r\nb\rc\td 漢字 👩‍💻 é')).toBe('a\nb\nc\td 漢字 👩‍💻 é');
    expect(sanitise('rm \u202e/ \u2066x')).toBe('rm <U+202E>/ <U+2066>x');
  });

  it('never leaves an escape, whatever the order of the pieces', () => {
    const pieces = [ESC, '[', ']', '0;', '\u0007', 'm', '\\', '\u009b', '\u009d', 'x', '31', ESC + ESC, 'P', '_'];
    let seed = 1;
    const next = (): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed;
    };
    for (let run = 0; run < 5_000; run += 1) {
      const text = Array.from({ length: 12 }, () => pieces[next() % pieces.length]).join('');
      expect([...sanitise(text)].filter((one) => /\p{Cc}/u.test(one))).toEqual([]);
    }
  });

  it('makes one line of several', () => {
    expect(sanitiseLine(' a\n\n  b\tc ')).toBe('a b c');
  });
});
