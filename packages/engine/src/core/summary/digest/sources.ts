/** What the sections of a digest are written from. */
import type { CallRecord } from '../../facts/call-record.ts';
import type { FactIndex } from '../../facts/fact-index.ts';
import type { History, Place } from '../../history.ts';
import type { Lens } from '../../lens.ts';
import type { Span } from '../../layers/range-edits.ts';

export interface Sources {
  readonly history: History;
  readonly span: Span;
  readonly lens: Lens;
  readonly facts: FactIndex;
  /** Whether the request offers a way to redeem addresses. */
  readonly offersRecall: boolean;
  /** Whether a narrative beside which the digest stands does not say this already. */
  readonly isNews: (text: string) => boolean;
}

/** Calls made in the span, in order. */
export function callsIn({ facts, span }: Sources): readonly CallRecord[] {
  const { calls } = facts;
  return calls.slice(firstFrom(calls, span.from), firstFrom(calls, span.to));
}

/** Index of the first call at or behind entry `entry`. */
function firstFrom(calls: readonly CallRecord[], entry: number): number {
  let low = 0;
  let high = calls.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((calls[middle]?.call.entry ?? 0) < entry) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The text of a result. */
export function resultText(history: History, place: Place | undefined): string {
  const part = place === undefined ? undefined : history.at(place.entry).parts[place.part];
  return part?.kind === 'result' ? part.text : '';
}
