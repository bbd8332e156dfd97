import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alarmOf } from '../../src/core/previews/alarms.ts';
import { isWellFormed } from '../../src/core/archive.ts';
import { foldableChars } from '../../src/core/previews/may-fold.ts';
import { visibleLines } from '../../src/core/previews/noise.ts';
import { foldedText, previewOf } from '../../src/core/previews/preview.ts';
import { realResults } from './data.ts';
import { stepsOf } from './steps.ts';
import { csvTable, hostileTexts, madeTexts, patch, serverLog, sourceFile } from './made.ts';

const shown = (text: string, maxChars = 2_000, path?: string): string =>
  previewOf(text, { maxChars, path })?.text ?? '';

describe('a preview of a log', () => {
  it('shows head, tail and every error with what is around it', () => {
    const lines = Array.from({ length: 300 }, (_, i) => `${'abcdefgh'[i % 8]} step ${'ijklmnop'[(i >> 3) % 8]} done`);
    lines[150] = 'TypeError: x is not a function';
    lines[151] = '    at run (/app/src/run.ts:10:3)';
    lines[152] = '    at load (/app/node_modules/a/index.js:1:1)';
    lines[153] = '    at wrap (/app/node_modules/a/index.js:2:1)';
    const text = shown(lines.join('\n'), 500).split('\n');
    expect(text.slice(0, 2)).toEqual([lines[0], lines[1]]);
    expect(text).toContain('TypeError: x is not a function');
    expect(text).toContain('    at run (/app/src/run.ts:10:3)');
    expect(text).toContain('    … 2 frames in dependencies');
    expect(text.at(-1)).toBe(lines[299]);
    expect(text.filter((line) => line.startsWith('[…')).length).toBe(2);
  });

  it('says how many errors it had no room for', () => {
    const text = Array.from({ length: 400 }, (_, i) => `error number ${i}: ${'abcdefghij'[i % 10]}`).join('\n');
    const preview = shown(text, 1_000);
    const left = [...preview.matchAll(/(\d+) with errors/g)].reduce((sum, [, count]) => sum + Number(count), 0);
    expect(left + preview.split('\n').filter((line) => line.startsWith('error')).length).toBe(400);
  });

  it('folds what repeats and drops what a terminal would not show', () => {
    expect(foldedText('\u001b[32mok\u001b[0m\n10%\r50%\r100%\nwait here\nwait here\nwait here\n\n\n\nend').text).toBe(
      'ok\n100%\nwait here … repeated 3 times\n\nend',
    );
  });

  it('folds progress and no other lines that differ in numbers', () => {
    const progress = Array.from({ length: 9 }, (_, i) => `Downloading package ${i}0%`);
    const names = Array.from({ length: 9 }, (_, i) => `created image${i}.png`);
    expect(foldedText([...progress, ...names].join('\n')).text.split('\n')).toEqual([
      'Downloading package 00%',
      '… 7 lines like the one above and the one below',
      'Downloading package 80%',
      ...names,
    ]);
  });

  it('keeps errors that a carriage return would overwrite', () => {
    expect(foldedText('10%\rError: disk full\r20%\rdone').text).toBe('Error: disk full\ndone');
  });
});

describe('lines that tell of an error', () => {
  it.each([
    ['Error: no such file', 2],
    ['src/a.ts(3,4): error TS2322: not assignable', 2],
    ['error[E0308]: mismatched types', 2],
    ['FAILED tests/test_a.py::test_b - AssertionError', 2],
    ['java.lang.IllegalStateException: closed', 2],
    ['Traceback (most recent call last):', 2],
    ['npm ERR! code ELIFECYCLE', 2],
    ['Process exited with code 1', 2],
    ['exit status 2', 2],
    ['  ✗ adds numbers', 2],
    ['E   assert 1 == 2', 2],
    ['bash: foo: Permission denied', 2],
    ['warning: unused variable', 1],
    ['DeprecationWarning: old', 1],
    ['0 errors, 0 warnings', 0],
    ['no errors found', 0],
    ['Process exited with code 0', 0],
    ['src/errors.ts:12: export class X', 0],
    ['lib/error-handler.js', 0],
    ['see terror and mirrors', 0],
    ['all good', 0],
  ] as const)('%s', (line, alarm) => {
    expect(alarmOf(line)).toBe(alarm);
  });
});

describe('a preview of JSON', () => {
  it('tells the shape of records, the first and the last', () => {
    const records = Array.from({ length: 50 }, (_, id) => ({
      id,
      state: id % 5 === 0 ? 'closed' : 'open',
      tags: ['a'],
      note: id === 3 ? null : 'x'.repeat(50),
    }));
    expect(shown(JSON.stringify(records), 1_000).split('\n')).toEqual([
      'JSON array of 50 records, each value by its shape:',
      'object',
      '  id: integer 0–49',
      '  state: "closed" ×10, "open" ×40',
      '  tags: array of 1',
      '    each: "a" ×50',
      '  note: string of 50 characters | null',
      `first: {"id": 0, "state": "closed", "tags": ["a"], "note": "${'x'.repeat(50)}"}`,
      `last: {"id": 49, "state": "open", "tags": ["a"], "note": "${'x'.repeat(50)}"}`,
    ]);
  });

  it('counts records with errors', () => {
    const lines = Array.from({ length: 50 }, (_, id) =>
      JSON.stringify({ id, level: id === 7 ? 'error' : 'info', message: `m${id}` }),
    );
    const preview = shown(lines.join('\n'), 1_000);
    expect(preview).toContain('JSON lines of 50 records');
    expect(preview).toContain('records with errors: 1\n  {"id": 7, "level": "error", "message": "m7"}');
  });

  it('tells an object with many keys by what its values have in common', () => {
    const table = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`key${i}`, { size: i }]));
    expect(shown(JSON.stringify(table), 600).split('\n').slice(0, 4)).toEqual([
      'JSON, each value by its shape:',
      'object with 500 keys',
      '  each value: object',
      '    size: integer 0–499',
    ]);
  });
});

describe('a preview of code', () => {
  it('is a skeleton with the numbers of lines', () => {
    const code = [
      "import { a } from './a.ts';",
      '',
      '/** Says. */',
      'export class Greeter {',
      '  readonly #name: string;',
      '',
      '  constructor(name: string) {',
      '    this.#name = name;',
      '  }',
      '',
      '  greet(): string {',
      '    const words = [a, this.#name];',
      "    return words.join(' ');",
      '  }',
      '}',
      '',
      'export function longName(',
      '  first: string,',
      '  second: number,',
      '): string {',
      '  return first.repeat(second);',
      '}',
    ].join('\n');
    expect(shown(code, 500, 'src/greeter.ts').split('\n')).toEqual([
      'Skeleton (typescript), 22 lines, each behind its number:',
      " 1: import { a } from './a.ts';",
      ' 4: export class Greeter {',
      ' 5:   readonly #name: string;',
      ' 7:   constructor(name: string) { … 1 line }',
      '11:   greet(): string { … 2 lines }',
      '17: export function longName(first: string, second: number): string { … 1 line }',
    ]);
  });

  it('knows Python by its lines, and numbers in front of them', () => {
    const code = [
      'import os',
      '',
      'class A(Base):',
      '    """Doc."""',
      '    def run(self, x):',
      '        if x:',
      '            return 1',
      '        return 2',
      '',
      'def main():',
      '    A().run(3)',
      '    A().run(4)',
      '    A().run(5)',
      '',
      'main()',
    ];
    const numberedCode = code.map((line, i) => `${String(i + 10).padStart(6)}\t${line}`).join('\n');
    expect(shown(numberedCode, 250).split('\n')).toEqual([
      'Skeleton (python), 15 lines, each behind its number:',
      '10: import os',
      '12: class A(Base):',
      '14:   def run(self, x): … 3 lines',
      '19: def main(): … 3 lines',
      '24: main()',
    ]);
  });

  it('takes a parser in its place, and does not believe one that leaves lines out', () => {
    const code = sourceFile(60);
    const lines = code.split('\n').length;
    const item = { from: 0, to: lines, at: 2, text: 'all of it', rank: 0 as const };
    const half = { ...item, to: 3 };
    const rest = { ...item, from: 3, at: 5, text: 'the rest' };
    const skeleton = previewOf(code, { maxChars: 400, path: 'a.ts', skeleton: () => [half, rest] });
    expect(skeleton?.text.split('\n').slice(1)).toEqual(['3: all of it', '6: the rest']);
    expect(
      previewOf(code, { maxChars: 400, path: 'a.ts', skeleton: () => [half, { ...rest, from: 4 }] })?.text,
    ).toContain('export function');
  });
});

describe('a preview of a diff', () => {
  it('lists files with counts, then places and first changes', () => {
    const text = shown(patch(3), 900).split('\n');
    expect(text[0]).toBe('3 files changed, +12 −12:');
    expect(text.slice(1, 4).every((line) => /^ {2}src\/\w+\/\w+\.ts \+4 −4$/.test(line))).toBe(true);
    expect(text.filter((line) => line.startsWith('@@'))).toHaveLength(3);
  });
});

describe('a preview of a table', () => {
  it('shows head, first rows, last rows and how many', () => {
    const text = shown(csvTable(900), 500).split('\n');
    expect(text.slice(0, 2)).toEqual(['Table (comma), 900 rows, 4 columns:', 'id,name,amount,city']);
    expect(text.at(-1)).toMatch(/^899,/);
  });

  it('knows columns that are aligned, and Markdown', () => {
    const aligned = [
      'NAME      READY   STATUS    AGE',
      ...Array.from(
        { length: 40 },
        (_, i) => `pod-${String(i).padEnd(6)}1/1     ${i === 20 ? 'Error    ' : 'Running  '} ${i}d`,
      ),
    ].join('\n');
    expect(shown(aligned, 500)).toContain('Table (aligned), 40 rows, 4 columns:');
    expect(shown(aligned, 500)).toContain('pod-20');
    const markdown = ['| a | b |', '| - | - |', ...Array.from({ length: 60 }, (_, i) => `| ${i} | x |`)].join('\n');
    expect(shown(markdown, 300)).toContain('Table (Markdown), 60 rows, 2 columns:\n| a | b |\n| - | - |\n| 0 | x |');
  });
});

/** Anything, with a taste for what previews look at. */
const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.constantFrom(
        '\n',
        '\r',
        '\u001b[1m',
        'Error: x',
        '{"a":1}',
        '    at f (a.js:1:1)',
        '| - | - |',
        '@@ -1 +1 @@',
        '--- a/x\n+++ b/x',
        'def f():\n  x',
        '🙂'.repeat(50),
        'a,b,c\n1,2,3',
        '\b',
      ),
    ),
    { maxLength: 60 },
  )
  .map((pieces) => pieces.join(''));

const cases = [...madeTexts(), ...hostileTexts(50_000)];

describe('every preview', () => {
  it.each(cases)('of %s keeps within its limit, and is shorter and well formed', (_, text) => {
    for (const maxChars of [50, 200, 1_000, 6_000]) {
      const preview = previewOf(text, { maxChars });
      if (preview === undefined) continue;
      expect(preview.text.length).toBeLessThanOrEqual(maxChars);
      expect(preview.text.length).toBeLessThan(text.length);
      expect(preview.left.chars).toBeGreaterThanOrEqual(0);
      expect(isWellFormed(preview.text)).toBe(true);
    }
  });

  it('holds for any text', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 2_000 }), (text, maxChars) => {
        const preview = previewOf(text, { maxChars });
        if (preview === undefined) return;
        expect(preview.text.length).toBeLessThanOrEqual(Math.min(maxChars, text.length - 1));
        expect(!isWellFormed(text) || isWellFormed(preview.text)).toBe(true);
        expect(previewOf(text, { maxChars })).toEqual(preview);
      }),
      { numRuns: 500 },
    );
  });

  it('shows every error of a log below the share that is kept for them', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 499 }), { maxLength: 12 }), (places) => {
        const lines = serverLog(500)
          .split('\n')
          .filter((line) => !line.includes('ERROR'));
        for (const at of places) lines.splice(at, 0, `2026-01-02 ERROR number ${at} failed`);
        const text = shown(lines.join('\n'), 4_000);
        for (const at of places) expect(text).toContain(`2026-01-02 ERROR number ${at} failed`);
      }),
      { numRuns: 50 },
    );
  });

  it.each(hostileTexts(8_000).map(([name], index) => [name, index] as const))(
    'of %s takes at most about twice the steps for twice the text',
    (_, index) => {
      const steps = (chars: number): number => {
        const text = hostileTexts(chars)[index]?.[1] ?? '';
        return stepsOf(() => [
          previewOf(text, { maxChars: 2_000 }),
          previewOf(text, { maxChars: 2_000, path: 'a.ts' }),
          foldedText(text),
        ]);
      };
      expect(steps(16_000)).toBeLessThan(steps(8_000) * 2.4 + 2_000);
    },
  );
});

describe('what folding could save', () => {
  it('is never less than what it saves', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(foldableChars(text)).toBeGreaterThanOrEqual(text.length - foldedText(text).text.length);
      }),
      { numRuns: 500 },
    );
    for (const [, text] of [...cases, ...realResults().map((result) => ['', result.text] as const)])
      expect(foldableChars(text)).toBeGreaterThanOrEqual(text.length - foldedText(text).text.length);
  });

  it('is nothing for lines of their own', () => {
    expect(foldableChars('one line here\nanother there\n  and a third, deeper')).toBe(0);
  });
});

const real = realResults();

describe.runIf(real.length > 0)('previews of real results', () => {
  it('show every error line of logs below the share that is kept for them', () => {
    const logs = real.filter(({ text }) => text.length > 6_000 && previewOf(text, { maxChars: 6_000 })?.kind === 'log');
    expect(logs.length).toBeGreaterThan(5);
    for (const { text } of logs) {
      const errors = [...new Set(visibleLines(text).map(({ line }) => line.trimEnd()))].filter(
        (line) => alarmOf(line) === 2,
      );
      const size = errors.reduce((sum, line) => sum + Math.min(400, line.length) + 65, 0);
      const preview = shown(text, 6_000);
      if (size <= 6_000 * 0.55 - 64) for (const line of errors) expect(preview).toContain(line.slice(0, 150));
    }
  });
});
