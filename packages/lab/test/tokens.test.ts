import { expect, it } from 'vitest';
import { BlockTable } from '../src/prompt/blocks.ts';
import type { RecordedSession } from '../src/session/recorded.ts';
import { calibrate } from '../src/tokens/calibrate.ts';
import { createCounter } from '../src/tokens/count.ts';

/** A session of texts of `size` counted tokens each; call `i` was billed `billed[i]` for the first 2i + 1 of them. */
function sessionOf(size: number, billed: readonly number[], compactedAt: readonly number[] = []): RecordedSession {
  const text = 'x'.repeat(size);
  return {
    format: 'pi',
    messages: billed.flatMap(() => [
      { role: 'user', content: [{ type: 'text', text }] },
      { role: 'assistant', content: [{ type: 'text', text }] },
    ]),
    calls: billed.map((inputTokens, index) => ({
      promptLength: 2 * index + 1,
      hasReply: true,
      atMs: index,
      model: '',
      usage: { inputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 },
      reasoning: index === 0 ? 'xxxxxxxxxx' : '',
    })),
    compactions: compactedAt.map((at) => ({ at, atMs: 0, tokensBefore: undefined })),
    problems: [],
  };
}

const count = (text: string): number => text.length;
const calibrated = (session: RecordedSession): ReturnType<typeof calibrate> =>
  calibrate(session, new BlockTable(count), count);

it('is the growth that was billed, over the growth that was counted with the reasoning', () => {
  // 2,010 counted between the calls, 3,015 billed; the first prompt counts 1,000, so 1,500 of its 1,800 are messages.
  expect(calibrated(sessionOf(1_000, [1_800, 4_815]))).toEqual({ factor: 1.5, headTokens: 300, pairs: 1 });
});

it('passes over a compaction, and over calls that were billed nothing', () => {
  expect(calibrated(sessionOf(1_000, [1_800, 4_815, 900, 2_900], [4])).factor).toBeCloseTo((3_015 + 2_000) / 4_010, 12);
  expect(calibrated(sessionOf(1_000, [1_800, 0, 7_815])).factor).toBeCloseTo(6_015 / 4_010, 12);
});

it('is 1.22 where the log says too little, or what cannot be', () => {
  expect(calibrated(sessionOf(1_000, [5_000, 6_000]))).toMatchObject({ factor: 1.22, pairs: 0 });
  expect(calibrated(sessionOf(1_000, [5_000, 4_000]))).toMatchObject({ factor: 1.22, pairs: 0 });
  expect(calibrated(sessionOf(100, [0, 0]))).toEqual({ factor: 1.22, headTokens: 0, pairs: 0 });
});

it('counts o200k tokens, also of what spells a special token or never ends', () => {
  const counted = createCounter();
  expect(counted('hello world')).toBe(2);
  expect(counted('<|endoftext|>')).toBeGreaterThan(0);
  expect(counted('a'.repeat(100_000))).toBeGreaterThan(0);
});
