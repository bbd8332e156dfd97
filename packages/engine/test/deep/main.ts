/**
 * The deep run: `npm run test:deep -- --runs 50000 --from 1 [--workers 2]`. Random histories by seed, each in every wire format, with every
 * invariant checked after every step. Stop it any time; what is finished is kept in `.deep/` and not run again under the same code.
 */
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { codeDigest, type Range, SeedLedger } from './ledger.ts';

const CHUNK = 25;
const PROGRESS_MS = 10_000;

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

interface Options {
  readonly from: number;
  readonly to: number;
  readonly workers: number;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '1000' },
      from: { type: 'string', default: '1' },
      workers: { type: 'string', default: String(Math.min(2, availableParallelism())) },
    },
  });
  const [runs, from, workers] = [Number(values.runs), Number(values.from), Number(values.workers)];
  if (![runs, from, workers].every((value) => Number.isInteger(value) && value >= 1))
    throw new Error('--runs, --from and --workers take whole numbers from 1');
  return { from, to: from + runs, workers };
}

function chunksOf({ from, to }: Options, ledger: SeedLedger): { from: number; to: number }[] {
  const chunks: { from: number; to: number }[] = [];
  for (let start = from; start < to; start += CHUNK) {
    const chunk = { from: start, to: Math.min(to, start + CHUNK) };
    if (!ledger.isDone(chunk.from, chunk.to)) chunks.push(chunk);
  }
  return chunks;
}

function report(violations: Range['violations']): void {
  for (const { seed, codec, what } of violations) console.log(`seed ${seed}, ${codec}: ${what}`);
}

/** Feeds one worker until no chunk is left. */
function work(chunks: { from: number; to: number }[], ledger: SeedLedger): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = fork(path('./worker.ts'), { execArgv: process.execArgv });
    const next = (): void => {
      const chunk = chunks.shift();
      if (chunk === undefined) worker.disconnect();
      else worker.send(chunk);
    };
    worker.on('message', (range: Omit<Range, 'code'>) => {
      ledger.add(range);
      report(range.violations);
      next();
    });
    worker.on('error', reject);
    worker.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a worker ended with code ${code}`))));
    next();
  });
}

async function main(): Promise<void> {
  const options = readOptions();
  const ledger = new SeedLedger(
    path('../../../../.deep/seeds.jsonl'),
    codeDigest([path('../../src'), path('../properties/support'), path('.')]),
  );
  const chunks = chunksOf(options, ledger);
  report(ledger.totals(options.from, options.to).violations);
  const started = Date.now();
  const before = ledger.totals(options.from, options.to).histories;
  const timer = setInterval(() => {
    const { histories, violations } = ledger.totals(options.from, options.to);
    const perSecond = ((histories - before) / (Date.now() - started)) * 1_000;
    console.log(
      `${histories} of ${options.to - options.from}, ${violations.length} violations, ${perSecond.toFixed(1)} a second`,
    );
  }, PROGRESS_MS);
  await Promise.all(Array.from({ length: options.workers }, () => work(chunks, ledger)));
  clearInterval(timer);
  const { histories, stats, violations } = ledger.totals(options.from, options.to);
  console.log(
    `each in 2 wire formats: ${stats.messages} messages, ${stats.turns} requests checked, ${stats.epochs} epochs, ${stats.summaries} summaries`,
  );
  console.log(`${histories} histories, ${violations.length} violations; ${ledger.earlier} more under earlier code`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}

await main();
