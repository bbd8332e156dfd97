/** Price lists by name, as multiples of the price of fresh input. */
import { cachePricesOf, type CachePrices, modelFacts } from '@holdover/engine';
import { LabError } from './errors.ts';

const FIVE_MINUTES_MS = 300_000;
const HOUR_MS = 3_600_000;

/** From the vendors' price pages as of November 2026; `none`: no cache, every token at full price. */
export const PRICES: Readonly<Record<string, CachePrices>> = {
  anthropic: { readTimes: 0.1, writeTimes: 1.25, outputTimes: 5, ttlMs: FIVE_MINUTES_MS, cliffs: [] },
  'anthropic-1h': { readTimes: 0.1, writeTimes: 2, outputTimes: 5, ttlMs: HOUR_MS, cliffs: [] },
  openai: { readTimes: 0.1, writeTimes: 1, outputTimes: 5, ttlMs: FIVE_MINUTES_MS, cliffs: [] },
  deepseek: { readTimes: 0.02, writeTimes: 1, outputTimes: 5, ttlMs: FIVE_MINUTES_MS, cliffs: [] },
  none: { readTimes: 1, writeTimes: 1, outputTimes: 5, ttlMs: FIVE_MINUTES_MS, cliffs: [] },
};

/** The list of this name, or that of a model by its id. Throws `unknown_prices`. */
export function pricesOf(name: string): CachePrices {
  const known = Object.hasOwn(PRICES, name) ? PRICES[name] : undefined;
  if (known !== undefined) return known;
  const facts = modelFacts(name);
  if (facts.price !== undefined) return cachePricesOf(facts);
  throw new LabError(
    'unknown_prices',
    `no prices are known by the name ${JSON.stringify(name)}; there are ${Object.keys(PRICES).join(', ')}, and ids of models with a known price`,
  );
}
