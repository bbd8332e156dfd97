/** What a session was billed, and the least any policy could be. */
import type { CachePrices } from '@holdover/engine';
import type { MeasuredSession } from './measured.ts';

/** As billed then, at `prices`, input-token equivalents; undefined where the log has no usage. */
export function billedThen({ session }: MeasuredSession, { readTimes, writeTimes }: CachePrices): number | undefined {
  const usages = session.calls.flatMap(({ usage }) => usage ?? []);
  if (usages.length === 0) return undefined;
  return usages.reduce((sum, { inputTokens, cacheReadTokens, cacheWriteTokens }) => {
    const freshTokens = inputTokens - cacheReadTokens - cacheWriteTokens;
    return sum + readTimes * cacheReadTokens + writeTimes * cacheWriteTokens + freshTokens;
  }, 0);
}

/** Everything that is ever sent is written once, and system and tools are read at every call: no policy that sends it all can be cheaper. */
export function floorOf({ session, table, calibration }: MeasuredSession, prices: CachePrices): number {
  const { factor, headTokens } = calibration;
  const sentUntil = session.calls.at(-1)?.promptLength ?? 0;
  const counted = session.messages.slice(0, sentUntil).reduce((sum, message) => sum + table.tokensOf(message), 0);
  return prices.writeTimes * (factor * counted + headTokens) + prices.readTimes * headTokens * session.calls.length;
}
