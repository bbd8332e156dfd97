/** The constants of the break-even schedule, and the arithmetic of how often an epoch pays. */
import type { History } from '../history.ts';
import type { CachePrices } from '../prices.ts';

/** Of a policy whose epochs are scheduled by price. Sizes are for a 200,000-token window. */
export interface Rhythm {
  /**
   * Multiple of the cheapest growth between two epochs. 1 is the cheapest; more keeps more in view for longer. Where it is best is read off
   * the frontier of money against availability on recorded sessions.
   */
  readonly stretch: number;
  /** The least that stays verbatim behind an epoch's digest, tokens. */
  readonly tailTokens: number;
  /** The same, rounds. */
  readonly tailRounds: number;
  /** Rounds in which a read that nothing superseded, and a failure that nothing fixed, are being worked on: they stay too. */
  readonly workingRounds: number;
  /** Smaller results are cheaper to fetch again than to stay for, tokens. */
  readonly minWorkingTokens: number;
  /** Most that stays for the sake of what is being worked on, tokens. */
  readonly maxTailTokens: number;
}

/**
 * Tokens the view may grow by between two epochs at least cost: an order quantity (Wilson's formula) with the rewriting of what stays as the
 * cost of an order and the reading of what has grown as the cost of stock. In calls it is √(2(w·L + C)/(r·g)); times g it is this.
 */
export function cheapestGrowthTokens(
  { keptTokens, summaryTokens, perCallTokens }: { keptTokens: number; summaryTokens: number; perCallTokens: number },
  { readTimes, writeTimes }: Pick<CachePrices, 'readTimes' | 'writeTimes'>,
): number {
  if (readTimes <= 0) return Number.POSITIVE_INFINITY;
  return Math.sqrt((2 * (writeTimes * keptTokens + summaryTokens) * perCallTokens) / readTimes);
}

/** Calls over which the growth of a session is averaged. */
const RECENT_CALLS = 40;

/** Tokens a call of the session adds, over the newest calls. */
export function perCallTokens(history: History): number {
  const { models } = history;
  const calls = Math.min(models.length, RECENT_CALLS);
  const first = models[models.length - calls];
  return first === undefined ? history.tokens : (history.tokens - history.tokensBefore(first)) / calls;
}
