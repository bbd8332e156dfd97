import { modelFacts, type Receipt } from '@holdover/engine';
import { describe, expect, it } from 'vitest';
import { createCostMeter } from '../../src/agent/cost.ts';

const PRICED = { price: { inputUsd: 10, outputUsd: 50, cacheReadUsd: 1, cacheWriteUsd: 12.5 } };

function receiptOf(parts: Partial<Receipt>): Receipt {
  const tokens = { head: 100, appendOnly: 5_000, view: 900, calibrated: 1_000 };
  return { model: 'priced', tokens, ...parts } as Receipt;
}

const USAGE = { inputTokens: 1_000, cacheReadTokens: 600, cacheWriteTokens: 300, outputTokens: 200 };

describe('the cost meter', () => {
  const factsOf = (model: string): ReturnType<typeof modelFacts> => modelFacts(model, model === 'priced' ? PRICED : {});

  it('adds up calls and the summaries made for them, each at its own price', () => {
    const meter = createCostMeter(factsOf);
    meter.add(receiptOf({ usage: USAGE }));
    const summary = { writer: 'priced', trigger: 'manual', attempts: 2, inputTokens: 4_000, outputTokens: 100 };
    meter.add(receiptOf({ usage: USAGE, summary }));
    // A call: 100 fresh at 10, 600 read at 1, 300 written at 12.5, 200 out at 50 USD per million. The summary: 4,000 at 10, 100 at 50.
    const usd = 2 * (0.001 + 0.0006 + 0.00375 + 0.01) + 0.04 + 0.005;
    const report = meter.report();
    expect(report.usd).toBeCloseTo(usd, 9);
    expect(report).toMatchObject({
      calls: 4,
      usage: { inputTokens: 6_000, cacheReadTokens: 1_200, cacheWriteTokens: 600, outputTokens: 500 },
      appendOnlyTokens: 10_000,
    });
    expect(report.models.map(({ model, calls }) => [model, calls])).toEqual([['priced', 4]]);
  });

  it('has no sum of money where one model has no price', () => {
    const meter = createCostMeter(factsOf);
    meter.add(receiptOf({ usage: USAGE }));
    meter.add(receiptOf({ usage: USAGE, model: 'nobody-knows-it' }));
    const report = meter.report();
    expect('usd' in report).toBe(false);
    expect(report.models.map(({ usd }) => usd !== undefined)).toEqual([true, false]);
  });

  it('goes on from what a log says, and takes nonsense for nothing', () => {
    const first = createCostMeter(factsOf);
    first.add(receiptOf({ usage: USAGE }));
    const stored = JSON.parse(JSON.stringify(first.snapshot())) as unknown;
    expect(createCostMeter(factsOf, stored).report()).toEqual(first.report());
    for (const nonsense of [undefined, null, 7, [], { models: 'x' }, { models: [{ model: 'a', calls: -1 }, null] }]) {
      expect(createCostMeter(factsOf, nonsense).report()).toMatchObject({ calls: 0, appendOnlyTokens: 0 });
    }
  });
});
