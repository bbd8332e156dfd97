/**
 * The account of a session: what its calls cost so far and would have cost had nothing ever been taken out, in tokens of fresh input by the bare
 * estimate. It bounds what a warm epoch may spend, and tells a cold cache from a warm one.
 */
import { type CachePrices, cliffTimes } from '../prices.ts';

/** Sums over the accepted calls. */
export interface Economy {
  readonly calls: number;
  readonly billTokens: number;
  readonly appendOnlyTokens: number;
  /** When the newest was made, by the context's clock; undefined where this process made none. */
  readonly lastCallAtMs?: number;
  readonly lastModel?: string;
}

export const NEW_ECONOMY: Economy = { calls: 0, billTokens: 0, appendOnlyTokens: 0 };

/** When and with which model a call is made. */
export interface Moment {
  readonly nowMs: number;
  readonly model: string;
  readonly prices: CachePrices;
}

/** Whether nothing of what was sent before can be read from the provider's cache: too long ago, another model, or another process. */
export function isCold({ lastCallAtMs, lastModel }: Economy, { nowMs, model, prices }: Moment): boolean {
  return lastCallAtMs === undefined || lastModel !== model || nowMs - lastCallAtMs > prices.ttlMs;
}

/** One accepted call, tokens. `cached` parts are what the cache held of it, were it warm. */
export interface CallSize {
  /** System, tools and view. */
  readonly sentTokens: number;
  readonly cachedTokens: number;
  /** System, tools and the whole history. */
  readonly appendOnlyTokens: number;
  readonly appendOnlyCachedTokens: number;
}

/** What a request costs, tokens of fresh input. */
export function priceOf(tokens: number, cachedTokens: number, prices: CachePrices): number {
  const { readTimes, writeTimes } = prices;
  return cliffTimes(prices, tokens) * (readTimes * cachedTokens + writeTimes * (tokens - cachedTokens));
}

/** The account after one more call. */
export function afterCall(economy: Economy, size: CallSize, moment: Moment): Economy {
  const warm = isCold(economy, moment) ? 0 : 1;
  const { prices, nowMs, model } = moment;
  return {
    calls: economy.calls + 1,
    billTokens: economy.billTokens + priceOf(size.sentTokens, size.cachedTokens * warm, prices),
    appendOnlyTokens:
      economy.appendOnlyTokens + priceOf(size.appendOnlyTokens, size.appendOnlyCachedTokens * warm, prices),
    lastCallAtMs: nowMs,
    lastModel: model,
  };
}
