/** Anthropic's cache: written only at breakpoints, found by looking back a bounded number of blocks. */

import type { ChainedUnit } from '../tokens/units.ts';
import { HOUR_MS, type CacheOutcome } from './outcome.ts';
import type { CacheStore } from './store.ts';

/** Positions checked per breakpoint, the breakpoint itself being the first. */
const LOOK_BACK_BLOCKS = 20;

export function useExplicitCache(
  store: CacheStore,
  units: readonly ChainedUnit[],
  minimumTokens: number,
): CacheOutcome {
  const breakpoints = units.flatMap((unit, index) => (isEligible(unit, minimumTokens) ? [index] : []));
  const readTokens = Math.max(0, ...breakpoints.map((index) => findEntry(store, units, { index, minimumTokens })));
  let write5mTokens = 0;
  let write1hTokens = 0;
  let paidTokens = readTokens;
  for (const index of breakpoints) {
    const { prefixTokens = 0, breakpointTtlMs = 0 } = units[index] ?? {};
    const newTokens = Math.max(0, prefixTokens - paidTokens);
    paidTokens += newTokens;
    if (breakpointTtlMs >= HOUR_MS) write1hTokens += newTokens;
    else write5mTokens += newTokens;
  }
  return { readTokens, write5mTokens, write1hTokens, commit: () => writeEntries(store, units, minimumTokens) };
}

function isEligible(unit: ChainedUnit, minimumTokens: number): boolean {
  return unit.breakpointTtlMs !== undefined && unit.prefixTokens >= minimumTokens;
}

/** Tokens of the longest remembered prefix within reach of one breakpoint; 0 when there is none. */
function findEntry(
  store: CacheStore,
  units: readonly ChainedUnit[],
  from: { readonly index: number; readonly minimumTokens: number },
): number {
  const last = Math.max(0, from.index - LOOK_BACK_BLOCKS + 1);
  for (let index = from.index; index >= last; index -= 1) {
    const unit = units[index];
    if (unit === undefined || unit.prefixTokens < from.minimumTokens) return 0;
    if (store.touch(unit.prefixHash)) return unit.prefixTokens;
  }
  return 0;
}

function writeEntries(store: CacheStore, units: readonly ChainedUnit[], minimumTokens: number): void {
  for (const unit of units) {
    if (isEligible(unit, minimumTokens)) store.put(unit.prefixHash, unit.breakpointTtlMs ?? 0);
  }
}
