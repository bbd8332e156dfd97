/**
 * Micro compaction in batches: at an epoch, results that a later one stands for become one line, since the bytes behind them are written again
 * anyway. A file's text stays after an edit of it: most of it is still true, and the next edit is likely to need it.
 */
import type { Address } from '../archive.ts';
import type { PartEdit } from '../edit.ts';
import { factsOf } from '../facts/facts-of.ts';
import { defaultLens } from '../lenses/default.ts';
import { isVerbatim } from '../view.ts';
import { scaled } from '../window.ts';
import type { Layer, LayerInput, Proposal } from './layer.ts';
import { microMarker } from './marker.ts';
import { planPart, resultsFrom, type VisibleResult } from './part-edits.ts';

/** Of `superseded`; all have defaults. */
export interface SupersededOptions {
  /** Results up to this many characters stay, at a 200,000-token window. @default 400 */
  readonly minChars?: number;
}

/** A marker takes about a quarter of it. */
export const DEFAULT_SUPERSEDED: Required<SupersededOptions> = { minChars: 400 };

/** What stands for a result and is itself in view whole, in words; undefined where nothing does. */
function standIn({ at, part }: VisibleResult, { history, view, lens = defaultLens }: LayerInput): string | undefined {
  const found = factsOf(history, lens).superseding({ entry: at, part });
  if (found === undefined || found.how === 'changed' || !isVerbatim(view, found.result)) return undefined;
  return found.how;
}

/** The layer that takes out, at epochs, what was read or run again, or fixed, since. */
export function superseded(options: SupersededOptions = {}): Layer {
  const { minChars } = { ...DEFAULT_SUPERSEDED, ...options };
  return {
    name: 'micro',
    when: 'epoch',
    constants: (window) => ({ minChars: scaled(minChars, window.windowTokens) }),
    propose(input): Proposal {
      const edits: PartEdit[] = [];
      const kept = new Map<Address, string>();
      const min = scaled(minChars, input.window.windowTokens);
      for (const result of resultsFrom(input.view, input, 0)) {
        if (result.isReplaced || result.chars <= min || result.at > input.history.newestModel) continue;
        const how = standIn(result, input);
        if (how === undefined) continue;
        const text = (_: string, address: Address): string => microMarker(address);
        const planned = planPart({ ...result, layer: 'micro', reason: `superseded: ${how}`, text }, input);
        if (planned === undefined) continue;
        edits.push(planned.edit);
        kept.set(planned.address, planned.exact);
      }
      return { edits, kept };
    },
  };
}
