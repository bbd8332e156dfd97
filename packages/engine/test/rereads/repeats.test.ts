import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repeatsIn, type Repeats } from '../../src/core/rereads/repeats.ts';
import { shownTexts } from '../../src/core/rereads/shown-texts.ts';
import { historyOf, build } from '../core/support.ts';
import { hostileTexts } from '../previews/made.ts';
import { stepsOf } from '../previews/steps.ts';

function repeats(older: readonly string[], text: string, minChars = 20): Repeats | undefined {
  const messages = older.flatMap((one, i) => [
    build.assistant({ calls: [{ id: `c${i}`, name: 'read_file', input: {} }] }),
    ...build.results([{ callId: `c${i}`, text: one }]),
  ]);
  const history = historyOf(messages);
  return repeatsIn(text, shownTexts(history, history.length), { minChars, isUsable: () => true });
}

const LINES = Array.from({ length: 60 }, (_, i) => `line number ${i} of the file`);

describe('what a new text has in common with older ones', () => {
  it('is all of it where it is the same', () => {
    const text = LINES.join('\n');
    expect(repeats([text], text)).toMatchObject({
      runs: [{ from: 0, to: text.length, offset: 0 }],
      chars: text.length,
    });
  });

  it('is whole lines, with those too short to be looked up', () => {
    const older = [...LINES, '}', '', '{', ...LINES.map((line) => `more: ${line}`)].join('\n');
    const text = ['new first line here', ...LINES.slice(50), '}', '', '{', 'more: line number 0 of the file', 'x'].join(
      '\n',
    );
    const found = repeats([older], text);
    expect(found?.runs.map(({ from, to }) => text.slice(from, to))).toEqual([
      [...LINES.slice(50), '}', '', '{', 'more: line number 0 of the file'].join('\n'),
    ]);
  });

  it('begins and ends with whole lines in both', () => {
    const older = `prefix ${LINES.join('\n')} suffix`;
    const text = LINES.join('\n');
    const found = repeats([older], text);
    expect(found?.runs.map(({ from, to }) => text.slice(from, to))).toEqual([LINES.slice(1, -1).join('\n')]);
  });

  it('is told of the text that says most, the newest of equals', () => {
    const [first, second] = [LINES.slice(0, 40).join('\n'), LINES.slice(20).join('\n')];
    expect(repeats([first, second], LINES.slice(25, 60).join('\n'))?.target.entry).toBe(3);
    expect(repeats([first, first], first)?.target.entry).toBe(3);
  });

  it('is nothing where lines are equal and too few', () => {
    expect(repeats([LINES.join('\n')], `${LINES[3]}\nother\n${LINES[9]}`, 100)).toBeUndefined();
  });

  it('is equal text, in order and apart, for any texts', () => {
    const line = fc.constantFrom(
      'alpha beta gamma delta',
      'one two three four five',
      'x',
      '',
      '🙂 emoji in this line 🙂',
      '    indented line of code;',
    );
    const text = fc.array(line, { minLength: 8, maxLength: 40 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), text, (older, fresh) => {
        const found = repeats(older, fresh);
        if (found === undefined) return;
        let end = -1;
        for (const { from, to, offset } of found.runs) {
          expect(from).toBeGreaterThan(end);
          expect(fresh.slice(from, to)).toBe(found.target.text.slice(offset, offset + to - from));
          expect(from === 0 || fresh[from - 1] === '\n').toBe(true);
          expect(to === fresh.length || fresh[to] === '\n').toBe(true);
          end = to;
        }
      }),
      { numRuns: 500 },
    );
  });

  it.each(hostileTexts(8_000).map(([name], index) => [name, index] as const))(
    'of %s takes at most about twice the steps for twice the text',
    (_, index) => {
      const steps = (chars: number): number => {
        const text = hostileTexts(chars)[index]?.[1] ?? '';
        const other = `${text.slice(7)}\nand an end`;
        return stepsOf(() => repeats([text, other, `x${text}`], `y\n${text}\nz`, 400));
      };
      expect(steps(16_000)).toBeLessThan(steps(8_000) * 2.4 + 2_000);
    },
  );
});
