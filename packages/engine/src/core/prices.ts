/**
 * What a provider's prompt cache charges, as multiples of the price of fresh input. The schedule reads nothing else, so another price file moves
 * the epochs.
 */

/** Above so many tokens of prompt, everything of the request costs so many times as much. */
export interface CacheCliff {
  readonly aboveTokens: number;
  readonly inputTimes: number;
}

/** Multiples of the price of one fresh input token. */
export interface CachePrices {
  /** A token read from the cache. */
  readonly readTimes: number;
  /** A token written to it, the fresh input included. */
  readonly writeTimes: number;
  /** A token of the reply. */
  readonly outputTimes: number;
  /** How long an entry lives after it was last read, milliseconds. */
  readonly ttlMs: number;
  /** Ascending. */
  readonly cliffs: readonly CacheCliff[];
}

/**
 * Of a model whose prices nobody knows: Anthropic's for a life of five minutes (prompt caching guide), the most common and, among the hosted
 * models, neither the dearest nor the cheapest to break.
 */
export const UNKNOWN_PRICES: CachePrices = {
  readTimes: 0.1,
  writeTimes: 1.25,
  outputTimes: 5,
  ttlMs: 300_000,
  cliffs: [],
};

/** How many times dearer everything of a request of so many tokens is. */
export function cliffTimes({ cliffs }: CachePrices, tokens: number): number {
  return cliffs.findLast(({ aboveTokens }) => tokens > aboveTokens)?.inputTimes ?? 1;
}
