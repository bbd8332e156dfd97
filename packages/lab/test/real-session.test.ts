import { describe, expect, it } from 'vitest';
import { measure } from '../src/measured.ts';
import { policyOf } from '../src/policies/by-name.ts';
import { pricesOf } from '../src/prices.ts';
import { replay } from '../src/replay.ts';
import { readSession } from '../src/session/read.ts';
import { billedThen } from '../src/limits.ts';
import { dataFile } from './support/data.ts';

const REAL = dataFile('pi/before-compaction.jsonl');
const prices = pricesOf('anthropic');

describe.skipIf(REAL.isAbsent)(`a real session of 484 calls (${REAL.reason} where skipped)`, () => {
  it('costs about twice under append-only of what it was billed, and lacks nothing', async () => {
    const measured = measure(await readSession(REAL.path));
    // Measured independently: 1.275 tokens a counted one, 7.58M as billed, 13.53M append-only with a peak of 451k.
    expect(measured.calibration.factor).toBeCloseTo(1.27, 2);
    expect(billedThen(measured, prices)).toBeCloseTo(7_579_707, -1);
    const figures = await replay(measured, policyOf('append-only'), { prices });
    expect(figures.bill / 13_530_000).toBeCloseTo(1, 1);
    expect(figures.peakTokens / 451_000).toBeCloseTo(1, 1);
    expect(figures).toMatchObject({ calls: 484, steps: 433, refetchSteps: 0, penalty: 0, epochs: 0, breaks: 0 });
    for (const { found, inView } of Object.values(figures.availability)) expect(inView).toBe(found);
  });

  it('comes to about half where results are cleared in batches', async () => {
    const measured = measure(await readSession(REAL.path));
    const figures = await replay(measured, policyOf('batch-clear'), { prices });
    // Measured independently: 6.75M.
    expect(figures.bill / 6_750_000).toBeCloseTo(1, 1);
    expect(figures.availability['edit-line'].inView / figures.availability['edit-line'].found).toBeGreaterThan(0.99);
  });
});
