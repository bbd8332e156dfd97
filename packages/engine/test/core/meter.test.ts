import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calibrated, INITIAL_METER, type MeterState, observe, observeOverflow } from '../../src/core/meter.ts';

const report = (estimatedTokens: number, reportedTokens: number, seq = 1): Parameters<typeof observe>[1] => ({
  seq,
  estimatedTokens,
  reportedTokens,
});

describe('meter', () => {
  it('believes the estimate until something is reported', () => {
    expect(calibrated(INITIAL_METER, 1_234, 1)).toBe(1_234);
  });

  it('goes on from the newest report with what came since', () => {
    const meter = observe(INITIAL_METER, report(1_000, 1_500));
    expect(calibrated(meter, 1_000, 1)).toBe(1_500);
    expect(calibrated(meter, 1_100, 1)).toBe(1_500 + 150);
  });

  it('never uses a report from before an epoch after it', () => {
    const meter: MeterState = { ratio: 1, reports: 1, anchor: report(1_000, 9_000, 1) };
    expect(calibrated(meter, 1_000, 2)).toBe(1_000);
  });

  it('never uses a report about more than is sent now', () => {
    const meter = observe(INITIAL_METER, report(1_000, 1_500));
    expect(calibrated(meter, 500, 1)).toBe(750);
  });

  it('ignores reports of nothing', () => {
    expect(observe(INITIAL_METER, report(1_000, 0))).toBe(INITIAL_METER);
    expect(observe(INITIAL_METER, report(0, 1_000))).toBe(INITIAL_METER);
  });

  it('takes at once what an overflow says, and lets the anchor go', () => {
    const meter = observeOverflow(observe(INITIAL_METER, report(1_000, 1_000)), 1_000, 2_000);
    expect(meter).toEqual({ ratio: 2, reports: 2 });
  });

  it('converges on a constant ratio', () => {
    let meter = observe(INITIAL_METER, report(1_000, 800));
    for (let seq = 2; seq < 12; seq += 1) meter = observe(meter, report(1_000, 1_300, seq));
    expect(meter.ratio).toBeCloseTo(1.3, 2);
  });

  it('is clamped whatever is reported, whole and monotone', () => {
    const numbers = fc.oneof(
      fc.integer({ min: -10, max: 1_000_000_000 }),
      fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(numbers, numbers), { maxLength: 20 }),
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.nat(1_000),
        (reports, tokens, more) => {
          let meter = INITIAL_METER;
          reports.forEach(([estimated, reported], seq) => {
            meter =
              seq % 3 === 2
                ? observeOverflow(meter, estimated, reported)
                : observe(meter, report(estimated, reported, seq));
            expect(meter.ratio).toBeGreaterThanOrEqual(0.25);
            expect(meter.ratio).toBeLessThanOrEqual(4);
          });
          const [less, larger] = [calibrated(meter, tokens, 999), calibrated(meter, tokens + more, 999)];
          expect(Number.isInteger(less) && less >= 0 && larger >= less).toBe(true);
        },
      ),
    );
  });
});
