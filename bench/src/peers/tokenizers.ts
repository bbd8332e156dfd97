/** How fast tokens are counted, and whether a megabyte of one letter, without a space, hangs the counter. */
import { codePointTokens, estimateTokens, guardedCounter } from '@holdover/engine';
import { Bench } from 'tinybench';
import { piecesOf } from '../kinds.ts';
import type { Case, Row } from '../row.ts';
import { timed } from '../stats.ts';
import { COUNTERS, type Count } from './counters.ts';
import { SECTIONS } from '../sections.ts';

/** Milliseconds a counter is run for, and as many before to compile. */
const TIME_MS = 1_500;

const QUICK: Readonly<Record<string, Count>> = {
  'holdover estimateTokens, bare': estimateTokens,
  'holdover estimateTokens': estimateTokens,
  'holdover codePointTokens (chars/4)': codePointTokens,
};

function exactCounter(subject: string): Promise<Count> {
  const load = Object.entries(COUNTERS).find(([name]) => subject.startsWith(name))?.[1];
  if (load === undefined) throw new RangeError(`no counter ${subject}`);
  return load();
}

async function speed(subject: string, count: Count): Promise<Row> {
  const pieces = piecesOf('session');
  const megabytes = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0) / 1e6;
  const bench = new Bench({ time: TIME_MS, warmupTime: TIME_MS / 3 });
  bench.add(subject, () => {
    for (const piece of pieces) count(piece);
  });
  await bench.run();
  const { result } = bench.tasks[0] ?? {};
  const ms = result !== undefined && 'latency' in result ? result.latency.p50 : Number.NaN;
  return { section: SECTIONS.counters, who: subject, values: { 'MB/s': (megabytes / ms) * 1_000 } };
}

export const run: Case['run'] = async ({ subject, begin }): Promise<readonly Row[]> => {
  const isHangTest = subject.endsWith('guarded') || subject.endsWith('bare');
  const count = QUICK[subject] ?? (await exactCounter(subject));
  begin();
  if (!isHangTest) return [await speed(subject, count)];
  const counter = subject.endsWith('guarded') ? guardedCounter(count) : count;
  const letters = 'a'.repeat(1_000_000);
  let tokens = 0;
  const ms = await timed(() => (tokens = counter(letters)));
  return [{ section: SECTIONS.letters, who: subject, values: { ms, tokens } }];
};
