/** Made texts of every kind, the same on every run. */

/** A generator of numbers in [0, 1): mulberry32. */
export function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const WORDS = 'alpha beta gamma delta request user cache index worker queue token page shard node socket'.split(' ');

function lines(count: number, line: (index: number, random: () => number) => string, seed = 7): string {
  const random = numbersFrom(seed);
  return Array.from({ length: count }, (_, index) => line(index, random)).join('\n');
}

const pick = (random: () => number): string => WORDS[Math.floor(random() * WORDS.length)] ?? 'alpha';

export function serverLog(count = 4_000): string {
  return lines(count, (i, random) => {
    const time = `2026-01-02T10:${String(Math.floor(i / 60) % 60).padStart(2, '0')}:${String(i % 60).padStart(2, '0')}Z`;
    if (random() < 0.004)
      return `${time} ERROR [${pick(random)}] ${pick(random)} failed for ${pick(random)} id=${Math.floor(random() * 1e6)}`;
    return `${time} INFO [${pick(random)}] handled ${pick(random)} in ${Math.floor(random() * 900)}ms`;
  });
}

export function buildLog(count = 800): string {
  const progress = Array.from({ length: 200 }, (_, i) => `\rDownloading [${'='.repeat(i / 10)}>] ${i / 2}%`).join('');
  const compiling = lines(count, (i, random) => `   Compiling ${pick(random)}-${pick(random)} v0.${i % 40}.${i % 7}`);
  const error = [
    'error[E0308]: mismatched types',
    '  --> src/main.rs:10:5',
    '   |',
    '10 |     "text"',
    '   |     ^^^^^^ expected `u32`, found `&str`',
  ].join('\n');
  return `\u001b[32m${progress}\u001b[0m\n${compiling}\n${error}\n${lines(200, () => 'warning: unused variable: `x`')}\nerror: could not compile\n`;
}

export function jsonRecords(count = 2_000): string {
  const random = numbersFrom(3);
  return JSON.stringify(
    Array.from({ length: count }, (_, id) => ({
      id,
      name: `${pick(random)} ${pick(random)}`,
      state: random() < 0.2 ? 'closed' : 'open',
      labels: Array.from({ length: Math.floor(random() * 4) }, () => pick(random)),
      owner: { login: pick(random), score: Math.floor(random() * 100) / 10 },
      ...(random() < 0.1 ? { error: 'timed out' } : {}),
    })),
    null,
    1,
  );
}

export function csvTable(count = 5_000): string {
  return `id,name,amount,city\n${lines(count, (i, random) => `${i},${pick(random)},${Math.floor(random() * 1e4)},"${pick(random)}, ${pick(random)}"`)}`;
}

export function sourceFile(count = 400): string {
  const functions = lines(
    count,
    (i, random) =>
      `/** Does ${pick(random)}. */\nexport function ${pick(random)}${i}(value: number, other: string): number {\n  const twice = value * 2;\n  if (other === '${pick(random)}') {\n    return twice;\n  }\n  return value + ${i};\n}\n`,
  );
  return `import { readFileSync } from 'node:fs';\nimport { join } from 'node:path';\n\n${functions}`;
}

export function patch(files = 60): string {
  return lines(files, (i, random) => {
    const path = `src/${pick(random)}/${pick(random)}${i}.ts`;
    const changes = Array.from({ length: 12 }, (_, j) =>
      j % 3 === 0 ? ` kept ${j}` : `${j % 3 === 1 ? '-' : '+'}${pick(random)} ${j}`,
    );
    return `diff --git a/${path} b/${path}\nindex 1111111..2222222 100644\n--- a/${path}\n+++ b/${path}\n@@ -1,8 +1,8 @@ function ${pick(random)}()\n${changes.join('\n')}`;
  });
}

/** Each with its name; about a quarter of a megabyte in all. */
export function madeTexts(): readonly (readonly [name: string, text: string])[] {
  return [
    ['server log', serverLog()],
    ['build log', buildLog()],
    ['JSON records', jsonRecords()],
    [
      'JSON lines',
      JSON.parse(jsonRecords())
        .map((record: unknown) => JSON.stringify(record))
        .join('\n') as string,
    ],
    ['CSV', csvTable()],
    ['source', sourceFile()],
    ['patch', patch()],
    ['prose', lines(2_000, (_, random) => Array.from({ length: 9 }, () => pick(random)).join(' '))],
  ];
}

/** Texts made to be slow or to break something. */
export function hostileTexts(chars = 1_000_000): readonly (readonly [name: string, text: string])[] {
  const many = (unit: string): string => unit.repeat(Math.ceil(chars / unit.length));
  return [
    ['one letter', many('a')],
    ['digits', many('1')],
    ['blanks', many(' ')],
    ['line breaks', many('\n')],
    ['carriage returns', many('\r')],
    ['carriage returns and errors', many('error x\r')],
    ['escapes', many('\u001b')],
    ['open titles', many('\u001b]')],
    ['open sequences', many('\u001b[1;')],
    ['backspaces', many('ab\b')],
    ['open brackets', many('[')],
    ['nested lists', `${'['.repeat(chars / 2)}${']'.repeat(chars / 2)}`],
    ['nested records', `${'{"a":'.repeat(chars / 6)}1${'}'.repeat(chars / 6)}`],
    ['one long list', `[${'1,'.repeat(chars / 2)}1]`],
    ['many keys', `{${Array.from({ length: chars / 10 }, (_, i) => `"${i}":1`).join(',')}}`],
    ['quotes', many('"')],
    ['pipes', many('|')],
    ['commas', many(',')],
    ['short lines', many('ab\n')],
    ['lines alike', Array.from({ length: chars / 20 }, (_, i) => `downloading part ${i}`).join('\n')],
    ['two lines in turn', many('first line of two\nthe other of two\n')],
    ['error lines', many('error: it failed here\n')],
    ['frames', many('    at f (node:internal/a.js:1:1)\n')],
    ['heads of diffs', many('--- a/x\n+++ b/x\n@@ -1,999999999 +1,999999999 @@\n')],
    ['heads of functions', many('function f(\n')],
    [
      'deeper and deeper',
      Array.from({ length: Math.sqrt(chars * 2) }, (_, i) => `${' '.repeat(i)}class A${i} {`).join('\n'),
    ],
    ['emoji', many('🙂')],
    ['NUL', many('\u0000')],
    ['letters and a mark', `${many('a')}!`],
    ['words', many('aaaa ')],
    ['numbers with letters', many('1a')],
    ['Markdown rules', many('| - | - |\n')],
    ['exits', many('exit code ')],
  ];
}
