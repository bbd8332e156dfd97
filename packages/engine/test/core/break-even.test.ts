import { expect, it } from 'vitest';
import { breakEven, epochSize } from '../../src/core/break-even.ts';
import type { View, ViewEntry } from '../../src/core/view.ts';

const WARM = { readTimes: 0.1, writeTimes: 1.25 };

it('writes what follows the change once, and reads less with every call', () => {
  const result = breakEven({ removedTokens: 40_000, behindTokens: 20_000 }, WARM);
  expect(result.costNowTokens).toBeCloseTo(23_000, 6);
  expect(result.savesPerCallTokens).toBeCloseTo(4_000, 6);
  expect(result.breakEvenCalls).toBeCloseTo(5.75, 6);
});

it('adds what the writer of the summary is paid', () => {
  const result = breakEven({ removedTokens: 40_000, behindTokens: 20_000, summaryTokens: 17_000 }, WARM);
  expect(result.costNowTokens).toBeCloseTo(40_000, 6);
  expect(result.breakEvenCalls).toBeCloseTo(10, 6);
});

it.each([
  ['nothing behind the change was read', { removedTokens: 500, behindTokens: 0 }, WARM, 0],
  ['nothing is freed', { removedTokens: 0, behindTokens: 100 }, WARM, Number.POSITIVE_INFINITY],
  ['the view grows', { removedTokens: -5, behindTokens: 100 }, WARM, Number.POSITIVE_INFINITY],
  [
    'reading is free',
    { removedTokens: 500, behindTokens: 100 },
    { readTimes: 0, writeTimes: 0 },
    Number.POSITIVE_INFINITY,
  ],
  ['no cache at all', { removedTokens: 500, behindTokens: 100 }, { readTimes: 1, writeTimes: 1 }, 0],
  ['a write is cheaper than a read', { removedTokens: 500, behindTokens: 100 }, { readTimes: 1, writeTimes: 0.5 }, 0],
])('%s', (_, size, prices, expected) => {
  expect(breakEven(size, prices).breakEvenCalls).toBe(expected);
});

function viewOf(entries: readonly ViewEntry[]): View {
  return { entries, tokens: entries.reduce((sum, { tokens }) => sum + tokens, 0), bytes: 0 };
}

it('sizes a change from the first entry that differs, without what was never sent', () => {
  const entries = [100, 200, 300, 400, 500].map((tokens, from) => ({ from, to: from + 1, tokens, bytes: 0 }));
  const [head, , , tail, fresh] = entries as [ViewEntry, ViewEntry, ViewEntry, ViewEntry, ViewEntry];
  const before = viewOf(entries);
  const after = viewOf([head, { from: 1, to: 3, tokens: 50, bytes: 0 }, tail, fresh]);
  expect(epochSize(before, after, 4)).toEqual({ removedTokens: 450, behindTokens: 450 });
  expect(epochSize(before, after, 5)).toEqual({ removedTokens: 450, behindTokens: 950 });
});

it('two views with the same entries differ in nothing', () => {
  const entry = { from: 0, to: 1, tokens: 7, bytes: 0 };
  expect(epochSize(viewOf([entry]), viewOf([entry]), 1)).toEqual({ removedTokens: 0, behindTokens: 0 });
});
