/**
 * The breaker: after three failures in a row no model is asked for a summary until one succeeds by hand, or model or window change. The
 * digest works meanwhile. Three is autoCompact.ts:70 as the seed cites it.
 */

export interface Breaker {
  readonly failures: number;
  /** The model and window the failures belong to. */
  readonly target: string;
}

export const MAX_SUMMARY_FAILURES = 3;

export const CLOSED_BREAKER: Breaker = { failures: 0, target: '' };

export function isOpen(breaker: Breaker, target: string): boolean {
  return breaker.target === target && breaker.failures >= MAX_SUMMARY_FAILURES;
}

export function afterFailure(breaker: Breaker, target: string): Breaker {
  return { target, failures: breaker.target === target ? breaker.failures + 1 : 1 };
}
