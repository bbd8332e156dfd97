/**
 * Summary: one layer for the teaching system's compact history, reactive compact and the compact tool. A trigger and a span make a
 * plan; a writer makes the text; `summaryEdits` freezes both. The code writer is every trigger's last rung.
 */
import type { Address } from '../archive.ts';
import type { Piece, RangeEdit } from '../edit.ts';
import type { History } from '../history.ts';
import type { View } from '../view.ts';
import type { LayerInput } from './layer.ts';
import { recallNote } from './marker.ts';
import { carryNewestUser, carryNotes, freedByRange, rangeEdit, type Span, replaceableSpans } from './range-edits.ts';

export type SummaryTrigger = 'threshold' | 'manual' | 'overflow';

/** All of it, or up to an entry (not included) with the rest kept as it is. */
export type SummarySpan = 'all' | { readonly upTo: number };

export interface SummaryRule {
  /** First words of the replacing message, by trigger: the teaching system's strings. */
  readonly titles: Readonly<Record<SummaryTrigger, string>>;
  /** Most tokens a model may write, at a 200,000-token window. */
  readonly maxOutputTokens: number;
  /** Most characters of transcript given to the writer, at a 200,000-token window. */
  readonly maxInputChars: number;
  /** Messages kept verbatim behind an overflow's summary. */
  readonly overflowTailMessages: number;
  /** Tokens the layer must free beyond its own text, at a 200,000-token window. */
  readonly minFreedTokens: number;
}

function spanOf(span: SummarySpan, history: History): Span {
  return { from: 0, to: history.cutBefore(span === 'all' ? history.length : span.upTo) };
}

/** The whole view but its last `messages` entries, never inside a round. */
export function spanBeforeTail(view: View, history: History, messages: number): Span {
  const first = view.entries[Math.max(0, view.entries.length - messages)];
  return { from: 0, to: history.cutBefore(first?.from ?? history.length) };
}

/** Everything before the newest round, whose results the model may not have seen. */
export function spanBeforeNewestRound(history: History): Span {
  return { from: 0, to: history.newestModel < 0 ? 0 : history.cutBefore(history.newestModel) };
}

export function resolveSpan(span: SummarySpan, history: History): Span {
  const { from, to } = spanOf(span, history);
  return { from, to: Math.max(from, to) };
}

/** Tokens in `span` that no earlier summary stands for: what there is to summarise. */
export function freshTokens(span: Span, view: View): number {
  return view.entries
    .filter((entry) => entry.from >= span.from && entry.to <= span.to && entry.range?.layer !== 'summary')
    .reduce((sum, entry) => sum + entry.tokens, 0);
}

export interface SummaryText {
  readonly span: Span;
  readonly title: string;
  readonly text: string;
  /** Most tokens of the newest user message. @default its share of the window */
  readonly carryTokens?: number | undefined;
  readonly reason: string;
  /** Whether the model could make use of the originals' address. */
  readonly offersRecall: boolean;
}

export interface SummaryEdits {
  readonly edits: readonly RangeEdit[];
  readonly kept: ReadonlyMap<Address, string>;
  readonly freedTokens: number;
}

/** Freezes a summary: the text in the newest stretch between barriers, a pointer to it in older ones, the newest user message carried. */
export function summaryEdits(summary: SummaryText, input: LayerInput): SummaryEdits {
  const { history, view } = input;
  const spans = replaceableSpans(summary.span, input);
  const kept = new Map<Address, string>();
  let freedTokens = 0;
  const edits = spans.flatMap((span, index) => {
    const carry = carryNewestUser(span, input, summary.carryTokens);
    const address = history.address(span.from, span.to);
    const isNewest = index === spans.length - 1;
    const body = isNewest ? summary.text : 'Summarised in a later message.';
    const pieces: readonly Piece[] = [
      `${summary.title}\n\n${body}${summary.offersRecall ? `\n\nThe original messages: ${recallNote(address)}` : ''}`,
      ...carry.pieces,
    ];
    const addresses = [address, ...carry.kept.keys()];
    const carried = carryNotes(span, input);
    const edit = rangeEdit(
      { ...span, layer: 'summary', reason: summary.reason, pieces, capped: carry.capped, carried, addresses },
      history,
    );
    const freed = freedByRange(edit, view, input);
    if (freed.tokens <= 0 || freed.bytes <= 0) return [];
    freedTokens += freed.tokens;
    for (const [key, text] of carry.kept) kept.set(key, text);
    return [edit];
  });
  return { edits, kept, freedTokens };
}
