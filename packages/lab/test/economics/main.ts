/**
 * `npm run economics`: the points of the economic policy over the real session and the recorded ones, against their figures. Prints a table and a line
 * for each figure that is missed, and then exits with 1. `--sessions tune|held-out|all` picks recorded ones, `--prices` another list.
 */
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { parseArgs } from 'node:util';
import {
  measure,
  type MeasuredSession,
  parseSession,
  policyOf,
  pricesOf,
  readSession,
  replay,
} from '../../src/index.ts';
import type { Figures } from '../../src/index.ts';
import { dataFile } from '../support/data.ts';
import { missedBy, neverDearer, TARGETS } from './targets.ts';

const SESSIONS = new URL('../../sessions/', import.meta.url);

interface Recording {
  readonly file: string;
  readonly use: 'tune' | 'held-out';
}

interface Named {
  readonly name: string;
  readonly use: 'real' | Recording['use'];
  readonly measured: MeasuredSession;
}

async function recordings(): Promise<readonly Recording[]> {
  return JSON.parse(await readFile(new URL('index.json', SESSIONS), 'utf8')) as Recording[];
}

async function recorded({ file, use }: Recording): Promise<Named> {
  const text = gunzipSync(await readFile(new URL(file, SESSIONS))).toString('utf8');
  return { name: file.replace('.jsonl.gz', ''), use, measured: measure(parseSession(text)) };
}

function percent({ inView, byRecall, found }: Figures['availability']['identifier']): string {
  const share = (count: number): string => (found === 0 ? '–' : ((100 * count) / found).toFixed(1));
  return `${share(inView)} / ${share(byRecall)}`.padStart(14);
}

function row(use: string, name: string, figures: Figures, appendOnly: Figures): string {
  const millions = (value: number): string => `${(value / 1e6).toFixed(3)}M`.padStart(8);
  const against = `${(100 * (figures.score / appendOnly.score - 1)).toFixed(1)}%`.padStart(8);
  const { 'edit-line': lines, identifier } = figures.availability;
  return [
    `${use.padEnd(9)} ${name.padEnd(20)} ${figures.policy.padEnd(18)}`,
    millions(figures.score),
    against,
    `${Math.round(figures.peakTokens / 1_000)}k`.padStart(6),
    percent(lines),
    percent(identifier),
    String(figures.epochs).padStart(6),
  ].join(' ');
}

const POLICIES = ['append-only', 'classic', 'batch-clear', 'economic:generous', 'economic', 'economic:frugal'] as const;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { sessions: { type: 'string', default: 'all' }, prices: { type: 'string', default: 'anthropic' } },
  });
  const prices = pricesOf(values.prices);
  const real = dataFile('pi/before-compaction.jsonl');
  const missed: string[] = real.isAbsent ? [`the real session was not read: ${real.reason}`] : [];
  const wanted = (await recordings()).filter(({ use }) => values.sessions === 'all' || values.sessions === use);
  const makers: (() => Promise<Named>)[] = [
    ...(real.isAbsent
      ? []
      : [async (): Promise<Named> => ({ name: 'pi', use: 'real', measured: measure(await readSession(real.path)) })]),
    ...wanted.map((recording) => () => recorded(recording)),
  ];
  console.log(
    `${'use'.padEnd(9)} ${'session'.padEnd(20)} ${'policy'.padEnd(18)}    score vs append   peak   edit lines %  identifiers % epochs`,
  );
  for (const make of makers) {
    const { name, use, measured } = await make();
    let appendOnly: Figures | undefined;
    for (const policy of POLICIES) {
      const figures = await replay(measured, policyOf(policy), { prices });
      appendOnly ??= figures;
      console.log(row(use, name, figures, appendOnly));
      if (use === 'real' && values.prices === 'anthropic') missed.push(...missedBy(figures, TARGETS[policy]));
      if (policy.startsWith('economic')) missed.push(...neverDearer(name, figures, appendOnly));
    }
  }
  for (const line of missed) console.log(`missed: ${line}`);
  process.exitCode = missed.length === 0 ? 0 : 1;
}

await main();
