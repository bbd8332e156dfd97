/** Price lists by name, as multiples of the price of fresh input. */
import { cachePricesOf, type CachePrices, modelFacts } from '@holdover/engine';
import { LabError } from './errors.ts';
import { listOf, numberOf, objectOf } from './session/json.ts';

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

const NUMBERS = ['readTimes', 'writeTimes', 'outputTimes', 'ttlMs'] as const;

/** A price list from a JSON value: `readTimes`, `writeTimes`, `outputTimes`, `ttlMs`, and `cliffs` where there are some. Throws `unknown_prices`. */
export function pricesFrom(value: unknown): CachePrices {
  const fields = objectOf(value);
  const missing = NUMBERS.filter((name) => !(typeof fields[name] === 'number' && fields[name] >= 0));
  if (missing.length > 0)
    throw new LabError('unknown_prices', `a price list needs ${missing.join(', ')} as numbers from 0`);
  const cliffs = listOf(fields['cliffs'])
    .map(objectOf)
    .map(({ aboveTokens, inputTimes }) => ({ aboveTokens: numberOf(aboveTokens), inputTimes: numberOf(inputTimes) }))
    .sort((a, b) => a.aboveTokens - b.aboveTokens);
  const [readTimes, writeTimes, outputTimes, ttlMs] = NUMBERS.map((name) => numberOf(fields[name])) as [
    number,
    number,
    number,
    number,
  ];
  return { readTimes, writeTimes, outputTimes, ttlMs, cliffs };
}

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
