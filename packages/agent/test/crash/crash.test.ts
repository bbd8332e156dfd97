/** A few runs of the crash test; a thousand of them: `npm run test:crash`. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleChild } from './bundle.ts';
import { missed } from './ledger.ts';
import { createResumer, type Resumer } from './resume.ts';
import { NO_FIGURES, runOnce } from './run.ts';

const RUNS = 12;
/** At once: a run mostly waits for its process. */
const WORKERS = 4;

/** A second, but for a machine that has much else to do. */
const BUNDLE_MS = 60_000;

let program: string;
let resumer: Resumer;
beforeAll(async () => {
  program = await bundleChild('holdover-crash-test');
  resumer = await createResumer();
}, BUNDLE_MS);
afterAll(() => resumer.close());

describe('a process killed at any moment', () => {
  it(`leaves a session that goes on, ${RUNS} times`, async () => {
    const seeds = Array.from({ length: RUNS }, (_, index) => index + 1);
    const totals = { ...NO_FIGURES, runs: 0, broken: [] as { seed: number; problems: readonly string[] }[] };
    const work = async (): Promise<void> => {
      for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
        const { problems, ...figures } = await runOnce({ seed, program, resumer });
        totals.runs += 1;
        for (const key of Object.keys(NO_FIGURES) as (keyof typeof figures)[]) totals[key] += figures[key];
        if (problems.length > 0) totals.broken.push({ seed, problems });
      }
    };
    await Promise.all(Array.from({ length: WORKERS }, work));
    expect(missed(totals, RUNS)).toEqual([]);
  });
});
