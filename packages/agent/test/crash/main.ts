/**
 * The crash test: `npm run test:crash -- --runs 1000 [--from 1] [--workers 2]`. Real sessions in processes of their own, each killed at a moment
 * drawn at random, then gone on with. Stop it any time; what is finished is kept in `.crash/` and not run again under the same code. Exit code 1 and a
 * line for each figure that is missed.
 */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundleChild } from './bundle.ts';
import { missed, RunLedger, table } from './ledger.ts';
import { createResumer } from './resume.ts';
import { runOnce } from './run.ts';

const PROGRESS_MS = 10_000;

interface Options {
  readonly from: number;
  readonly runs: number;
  readonly workers: number;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '1000' },
      from: { type: 'string', default: '1' },
      workers: { type: 'string', default: String(Math.min(3, availableParallelism() + 1)) },
    },
  });
  const [runs, from, workers] = [Number(values.runs), Number(values.from), Number(values.workers)];
  if (![runs, from, workers].every((value) => Number.isInteger(value) && value >= 1))
    throw new Error('--runs, --from and --workers take whole numbers from 1');
  return { from, runs, workers };
}

async function main(): Promise<void> {
  const { from, runs, workers } = readOptions();
  const folder = fileURLToPath(new URL('../../../../.crash/', import.meta.url));
  const ledger = new RunLedger(`${folder}runs.jsonl`);
  const seeds = Array.from({ length: runs }, (_, index) => from + index).filter((seed) => !ledger.has(seed));
  process.stdout.write(`seeds ${from} to ${from + runs - 1}, ${runs - seeds.length} done before\n`);
  const program = await bundleChild();
  const resumer = await createResumer();
  const timer = setInterval(() => process.stdout.write(`${runs - seeds.length} of ${runs}\n`), PROGRESS_MS);
  const work = async (): Promise<void> => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const figures = await runOnce({ seed, program, resumer });
      ledger.add(seed, figures);
      for (const problem of figures.problems) process.stdout.write(`seed ${seed}: ${problem}\n`);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  clearInterval(timer);
  await resumer.close();
  const totals = ledger.totals(from, from + runs);
  process.stdout.write(table(totals));
  const lines = missed(totals, runs);
  for (const line of lines) process.stderr.write(`MISSED: ${line}\n`);
  process.exitCode = lines.length === 0 ? 0 : 1;
}

await main();
