/** When changing what was sent pays: pure arithmetic, used by the schedule and shown by `preview`. */
import type { CachePrices } from './prices.ts';
import type { View } from './view.ts';

/** How much an epoch changes, tokens by the meter. */
export interface EpochSize {
  /** S: what the view loses, net of what replaces it. */
  readonly removedTokens: number;
  /** T: from the first changed entry of the new view on, replacement included, without what was never sent: that is written in any case. */
  readonly behindTokens: number;
  /** C: what the model that writes the summary is paid, in tokens of fresh input. @default 0, the code writer's */
  readonly summaryTokens?: number;
}

/** All in tokens of fresh input, so that a price per token makes money of them. */
export interface BreakEven {
  /** `T·(w − r) + C`: what was read from the cache so far is written once more. */
  readonly costNowTokens: number;
  /** `S·r`: what each call reads less, this one included. */
  readonly savesPerCallTokens: number;
  /** The epoch pays where more calls than this are to come, this one included; a real number, `Infinity` where it never pays. */
  readonly breakEvenCalls: number;
}

/** The gate `n·S·r > T·(w − r) + C` on a warm cache. On a cold one nothing is read, and T counts nothing: pass 0. */
export function breakEven(
  { removedTokens, behindTokens, summaryTokens = 0 }: EpochSize,
  { readTimes, writeTimes }: Pick<CachePrices, 'readTimes' | 'writeTimes'>,
): BreakEven {
  const costNowTokens = behindTokens * Math.max(0, writeTimes - readTimes) + summaryTokens;
  const savesPerCallTokens = Math.max(0, removedTokens) * readTimes;
  const breakEvenCalls = savesPerCallTokens > 0 ? costNowTokens / savesPerCallTokens : Number.POSITIVE_INFINITY;
  return { costNowTokens, savesPerCallTokens, breakEvenCalls };
}

/** Tokens of the change from one view of a history to another; entries from `sentLength` on were never sent. All 0 where nothing changed. */
export function epochSize(before: View, after: View, sentLength: number): Omit<EpochSize, 'summaryTokens'> {
  const first = after.entries.findIndex((entry, index) => entry !== before.entries[index]);
  const changed = first < 0 ? [] : after.entries.slice(first);
  const behindTokens = changed.reduce((sum, { from, tokens }) => (from < sentLength ? sum + tokens : sum), 0);
  return { removedTokens: before.tokens - after.tokens, behindTokens };
}
