/**
 * Tool result budget (L3 of the teaching system): the results of the newest user message together over the limit go to the archive, the
 * largest first, each leaving a preview. Runs on arrival, before the message was ever sent. What was just recalled counts, and stays.
 */
import type { Address } from '../archive.ts';
import type { PartEdit } from '../edit.ts';
import { scaled } from '../window.ts';
import type { Layer, LayerInput, Proposal } from './layer.ts';
import { NOTHING } from './layer.ts';
import { persistedMarker } from './marker.ts';
import { picturesIn, planPart, resultsFrom } from './part-edits.ts';
import { isUnreadRecall } from '../unread-recalls.ts';

/** Of `budget`; all have defaults. */
export interface BudgetOptions {
  /** Characters of all results in one message, at a 200,000-token window. @default 200_000 (toolLimits.ts:49 as the seed cites it) */
  readonly limitChars?: number;
  /** Characters of the preview that stays, at a 200,000-token window. @default 2_000 */
  readonly previewChars?: number;
}

/** The teaching system's numbers, characters. */
export const DEFAULT_BUDGET: Required<BudgetOptions> = { limitChars: 200_000, previewChars: 2_000 };

/** View index of the first entry behind the newest model entry: one user message to the provider, however many entries. */
function newestMessageStart(input: LayerInput): number {
  const { entries } = input.view;
  let start = entries.length;
  while (start > 0 && (entries[start - 1]?.from ?? 0) > input.history.newestModel) start -= 1;
  return start;
}

/** The layer that puts the largest results of the newest message away, where together they are over the limit. */
export function budget(options: BudgetOptions = {}): Layer {
  const { limitChars, previewChars } = { ...DEFAULT_BUDGET, ...options };
  return {
    name: 'budget',
    constants: (window) => ({
      limitChars: scaled(limitChars, window.windowTokens),
      previewChars: scaled(previewChars, window.windowTokens),
    }),
    propose(input): Proposal {
      const limit = scaled(limitChars, input.window.windowTokens);
      const results = resultsFrom(input.view, input, newestMessageStart(input)).filter((result) => !result.isReplaced);
      let total = results.reduce((sum, result) => sum + result.chars, 0);
      if (total <= limit) return NOTHING;
      const edits: PartEdit[] = [];
      const kept = new Map<Address, string>();
      for (const result of results.toSorted((a, b) => b.chars - a.chars)) {
        if (total <= limit) break;
        if (isUnreadRecall({ entry: result.at, part: result.part }, input)) continue;
        const planned = planPart(
          {
            ...result,
            layer: 'budget',
            reason: `results of one message hold ${total} characters, over ${limit}`,
            text: (text, address, part) =>
              persistedMarker(
                { text, pictures: picturesIn(part) },
                address,
                scaled(previewChars, input.window.windowTokens),
              ),
          },
          input,
        );
        if (planned === undefined) continue;
        edits.push(planned.edit);
        kept.set(planned.address, planned.exact);
        total += planned.edit.text.length - result.chars;
      }
      return { edits, kept };
    },
  };
}
