/**
 * The trial's workspace: made by rule, so that sizes and texts, and with them the order of events, are the same on every machine and
 * in every version of this repository.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const WORDS =
  'account balance buffer cursor digest entry filter gateway handle index journal kernel ledger marker notice offset packet queue record session token update vector window'.split(
    ' ',
  );

/** A linear congruential generator (Numerical Recipes' constants): only variety is wanted. */
function createWords(seed: number): () => string {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return WORDS[state % WORDS.length] ?? 'entry';
  };
}

function source(name: string, functions: number, seed: number): string {
  const word = createWords(seed);
  const bodies = Array.from({ length: functions }, (_, i) => {
    const verb = `${word()}${i}`;
    return `/** Returns the ${word()} of a ${word()}, or the ${word()} where there is none. */\nexport function ${verb}(${word()}: string, limit: number): string {\n  const ${word()}Count = limit * ${i + 2};\n  return \`${word()} \${limit} of \${${i}}\`;\n}\n`;
  });
  return `/** The ${word()} of ${name}. */\n${bodies.join('\n')}`;
}

function lockFile(packages: number): string {
  const word = createWords(99);
  const entries = Array.from({ length: packages }, (_, i) => [
    `node_modules/${word()}-${word()}-${i}`,
    {
      version: `${i % 9}.${i % 7}.${i % 5}`,
      integrity: `sha512-${word()}${word()}${i}${word()}==`,
      dependencies: { [word()]: `^${i % 4}.0.0`, [word()]: '*' },
    },
  ]);
  return `${JSON.stringify({ name: 'trial', lockfileVersion: 3, packages: Object.fromEntries(entries) }, null, 2)}\n`;
}

const KANA = '口座 残高 記録 索引 窓口 台帳 通知 区間 更新 符号 入口 出口 鍵 列 章 節'.split(' ');

/** Japanese prose: four characters a token is far from true of it, which is how an estimate fails in earnest. */
function japanese(sentences: number): string {
  return Array.from(
    { length: sentences },
    (_, i) => `${KANA[i % 16]}の${KANA[(i * 7 + 3) % 16]}は${KANA[(i * 5 + 1) % 16]}を${i}回まで確かめてから書き込む。`,
  ).join('\n');
}

const PACKAGES = ['alpha', 'beta', 'gamma', 'delta'];

/** Files of the workspace by path. */
function files(): Readonly<Record<string, string>> {
  const sources = PACKAGES.flatMap((name, p) =>
    ['index', 'model', 'store'].map(
      (file, f) =>
        [`packages/${name}/src/${file}.ts`, source(`${name}/${file}`, 10 + 4 * f + p, p * 10 + f + 1)] as const,
    ),
  );
  return {
    'README.md': `# Trial\n\nA small project for the trial of the context layers.\n\n${source('readme', 4, 7)}`,
    'code.ts': source('code', 18, 8),
    'docs/guide.md': `# Guide\n\n${source('guide', 12, 9)}`,
    'docs/guide.ja.md': `# 手引き\n\n${japanese(260)}\n`,
    'package-lock.json': lockFile(420),
    ...Object.fromEntries(sources),
  };
}

export function makeWorkspace(folder: string): void {
  for (const [path, text] of Object.entries(files())) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
}
