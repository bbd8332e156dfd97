/** The model's own words about what came before: merged with what is new a few times, then written anew from the messages themselves. */
import type { RangeEdit } from '../edit.ts';
import type { Span } from '../layers/range-edits.ts';
import type { View } from '../view.ts';

/** Times a narrative is merged before it is written from the messages again: each time it may lose or bend a little. */
const MAX_GENERATIONS = 4;

/** How the next narrative of a span is come by. */
export interface NarrativePlan {
  /** The one so far, to be merged; absent where there is none, or where it is not to be built upon. */
  readonly previous?: string;
  /** Whether earlier summaries are passed over and the messages they stand for read again. */
  readonly isRebuilt: boolean;
  /** Of the narrative to be written. */
  readonly generation: number;
}

/** The model's words in a range, or undefined. */
export function narrativeOf({ narrative, pieces }: RangeEdit): string | undefined {
  const piece = narrative === undefined ? undefined : pieces[narrative.piece];
  if (narrative === undefined || typeof piece !== 'string') return undefined;
  return piece.slice(narrative.from, narrative.from + narrative.chars);
}

/** A summary by code has no narrative to go on with: what it stands for is read again. */
export function planNarrative(view: View, span: Span): NarrativePlan {
  const summaries = view.entries.flatMap(({ from, to, range }) =>
    range?.layer === 'summary' && from >= span.from && to <= span.to ? [range] : [],
  );
  if (summaries.length === 0) return { isRebuilt: false, generation: 1 };
  const newest = summaries.findLast((range) => narrativeOf(range) !== undefined);
  const generation = newest?.narrative?.generation ?? MAX_GENERATIONS;
  const previous = newest === undefined ? undefined : narrativeOf(newest);
  if (previous === undefined || generation >= MAX_GENERATIONS) return { isRebuilt: true, generation: 1 };
  return { previous, isRebuilt: false, generation: generation + 1 };
}
