/** The index of a history's calls, remembered with the history. */
import type { History } from '../history.ts';
import type { Lens } from '../lens.ts';
import { FactIndex } from './fact-index.ts';

/** A history only grows, so its index does too; it goes when the history goes. */
const INDICES = new WeakMap<History, WeakMap<Lens, FactIndex>>();

/** The facts of `history` as `lens` reads them, up to its end. Costs what came since the last call. */
export function factsOf(history: History, lens: Lens): FactIndex {
  const byLens = INDICES.get(history) ?? new WeakMap<Lens, FactIndex>();
  INDICES.set(history, byLens);
  const index = byLens.get(lens) ?? new FactIndex(history, lens);
  byLens.set(lens, index);
  return index.extend();
}
