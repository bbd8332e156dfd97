/**
 * `npm run mutation -- [options] [files…]`: changes the core in small ways and sees which change no test notices. Without files, all of the
 * core. `--jobs 2`: processes at a time, 1 by default. `--seconds 3`: time of tests a mutant may outlive. `--show`: lists survivors.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runBatch } from './batch.ts';
import { instrument } from './instrument.ts';
import { alive, missed, table, unexplained } from './report.ts';
import { filesUnder, type Result, Results } from './results.ts';

const root = resolve(import.meta.dirname, '../..');
const folder = join(root, '.mutation');
const CORE = 'packages/engine/src/core';
/** Mutants of one batch: a batch is kept when it is through, and runs every test file. */
const BATCH_MUTANTS = 900;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    jobs: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '3' },
    show: { type: 'boolean', default: false },
  },
});

const core = filesUnder(root, CORE);
const named = positionals.map((path) => relative(root, resolve(path)));
for (const file of named) if (!core.includes(file)) throw new Error(`${file} is no file of ${CORE}`);
const files = named.length === 0 ? core : named;
const results = new Results(root, folder);

/** Durations of test files in earlier runs, ms. */
function testTimes(): Record<string, number> {
  try {
    return JSON.parse(readFileSync(join(folder, 'tests.json'), 'utf8')) as Record<string, number>;
  } catch {
    return {};
  }
}

function keepTimes(times: ReadonlyMap<string, number>): void {
  writeFileSync(
    join(folder, 'tests.json'),
    JSON.stringify({ ...testTimes(), ...Object.fromEntries(times) }, undefined, 1),
  );
}

/** Files whose results are missing or stale, some hundred mutants each. Files that lack the same tests run together. */
async function batches(): Promise<readonly (readonly string[])[]> {
  const list: string[][] = [];
  let size = Infinity;
  let lacks = '';
  for (const file of files) {
    const missing = results.missing(file).join();
    if (missing === '') continue;
    const { mutants } = await instrument(root, [file]);
    if (size + mutants.length > BATCH_MUTANTS || missing !== lacks) {
      list.push([]);
      size = 0;
    }
    lacks = missing;
    size += mutants.length;
    list.at(-1)!.push(file);
  }
  return list;
}

async function run(batch: readonly string[], number: number): Promise<void> {
  const began = Date.now();
  const scratch = join(folder, 'work', `${process.pid}-${number}`);
  const times = testTimes();
  const tests = [...results.missing(batch[0]!)].sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0));
  const { mutants, verdicts, testMs } = await runBatch({
    root,
    folder: scratch,
    files: batch,
    tests,
    budgetMs: Number(values.seconds) * 1_000,
    known: (list) => results.known(list),
  });
  results.keep(mutants, verdicts);
  keepTimes(testMs);
  for (const [test, reason] of verdicts.unfit) console.log(`not used, it fails without a mutant: ${test}: ${reason}`);
  console.log(
    `${batch.length} files, ${mutants.length} mutants, ${Math.round((Date.now() - began) / 1000)} s: ${batch.map((file) => file.slice(CORE.length + 1)).join(', ')}`,
  );
  rmSync(scratch, { recursive: true });
}

// Processes of tests are in groups of their own: they end when this one says that it ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

mkdirSync(folder, { recursive: true });
const queue = [...(await batches()).entries()];
await Promise.all(
  Array.from({ length: Number(values.jobs) }, async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await run(next[1], next[0]);
  }),
);

const all = files.map((file) => results.get(file)).filter((result): result is Result => result !== undefined);
if (values.show) console.log(all.flatMap(alive).join('\n'));
console.log(table(all));
const problems = [...missed(all, named.length === 0), ...unexplained(root, all)];
for (const problem of problems) console.log(problem);
if (problems.length > 0) process.exitCode = 1;
