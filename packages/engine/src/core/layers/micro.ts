/**
 * Micro compaction (L2 of the teaching system): all but the newest results, when long enough to matter, become one line. Only results
 * the model has seen; the teaching system clears unseen ones too, which loses them before they were read.
 */
import type { Address } from '../archive.ts';
import type { PartEdit } from '../edit.ts';
import { scaled } from '../window.ts';
import type { Layer, Proposal } from './layer.ts';
import { microMarker } from './marker.ts';
import { planPart, resultsFrom } from './part-edits.ts';

/** Of `micro`; all have defaults. */
export interface MicroOptions {
  /** Newest results kept whole. @default 3 */
  readonly keepResults?: number;
  /** Results up to this many characters stay, at a 200,000-token window. @default 120 */
  readonly minChars?: number;
}

/** The teaching system's numbers. */
export const DEFAULT_MICRO: Required<MicroOptions> = { keepResults: 3, minChars: 120 };

/** The layer that makes one line of every result but the newest. */
export function micro(options: MicroOptions = {}): Layer {
  const { keepResults, minChars } = { ...DEFAULT_MICRO, ...options };
  return {
    name: 'micro',
    constants: (window) => ({ keepResults, minChars: scaled(minChars, window.windowTokens) }),
    propose(input): Proposal {
      const edits: PartEdit[] = [];
      const kept = new Map<Address, string>();
      const results = resultsFrom(input.view, input, 0);
      const min = scaled(minChars, input.window.windowTokens);
      for (const result of results.slice(0, Math.max(0, results.length - keepResults))) {
        if (result.isReplaced || result.chars <= min || result.at > input.history.newestModel) continue;
        const reason = `older than the newest ${keepResults} results`;
        const planned = planPart(
          { layer: 'micro', reason, text: (_, address) => microMarker(address), ...result },
          input,
        );
        if (planned === undefined) continue;
        edits.push(planned.edit);
        kept.set(planned.address, planned.exact);
      }
      return { edits, kept };
    },
  };
}
