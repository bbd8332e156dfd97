/** OpenAI's cache: every prefix is remembered, and a hit counts in steps of 128 tokens. */

import type { ChainedUnit } from '../tokens/units.ts';
import type { CacheOutcome } from './outcome.ts';
import type { CacheStore } from './store.ts';

const STEP_TOKENS = 128;

export function useAutomaticCache(
  store: CacheStore,
  units: readonly ChainedUnit[],
  limits: { readonly minimumTokens: number; readonly ttlMs: number },
): CacheOutcome {
  let sharedTokens = 0;
  for (const unit of units) {
    if (!store.touch(unit.prefixHash)) break;
    sharedTokens = unit.prefixTokens;
  }
  const readTokens = sharedTokens < limits.minimumTokens ? 0 : sharedTokens - (sharedTokens % STEP_TOKENS);
  return {
    readTokens,
    write5mTokens: 0,
    write1hTokens: 0,
    commit: () => {
      for (const unit of units) store.put(unit.prefixHash, limits.ttlMs);
    },
  };
}
