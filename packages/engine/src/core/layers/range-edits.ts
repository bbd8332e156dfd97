/** How layers make range edits: whole rounds, never over a barrier, the newest user message carried along, kept only where tokens are freed. */
import { type Address, contentAddress } from '../archive.ts';
import type { Piece, RangeEdit } from '../edit.ts';
import { exactText, isUserWords } from '../entry.ts';
import type { History } from '../history.ts';
import { locate, replacementSize, type View } from '../view.ts';
import type { LayerInput } from './layer.ts';
import { cappedText } from './marker.ts';

export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * `span` without its barriers, as the pieces between them. A barrier keeps its neighbours: what the provider wants in front of it is any
 * user message, behind it the model's answer.
 */
export function spansBetweenBarriers(history: History, span: Span): readonly Span[] {
  const spans: Span[] = [];
  let from = span.from;
  for (const barrier of history.barriers) {
    if (barrier < span.from || barrier >= span.to) continue;
    const before = history.cutBefore(barrier);
    if (before > from) spans.push({ from, to: before });
    from = history.cutAfter(Math.min(history.length, barrier + 2));
  }
  if (from < span.to) spans.push({ from, to: span.to });
  return spans;
}

/** The pieces that keep the newest user message when `span` covers it. */
export interface Carry {
  readonly pieces: readonly Piece[];
  readonly capped?: number;
  readonly kept: ReadonlyMap<Address, string>;
}

const NO_CARRY: Carry = { pieces: [], kept: new Map() };

/** Carries the newest user message's words and pictures; over `maxTokens` its text becomes head, tail and address. */
export function carryNewestUser(span: Span, input: LayerInput, maxTokens: number): Carry {
  const { history } = input;
  const user = history.newestUser;
  if (user < span.from || user >= span.to) return NO_CARRY;
  const entry = history.at(user);
  const own = entry.parts.flatMap((part, index) => (isUserWords(part) ? [index] : []));
  const tokens = own.reduce((sum, index) => sum + (entry.partTokens[index] ?? 0), 0);
  if (tokens <= maxTokens) return { pieces: own.map((part) => ({ entry: user, part })), kept: new Map() };
  const text = own.map((index) => exactText(entry.parts[index] ?? { kind: 'text', text: '' })).join('\n\n');
  const address = contentAddress(text, input.hash);
  const keepChars = Math.max(400, Math.floor((maxTokens * text.length) / Math.max(1, tokens) / 2));
  return { pieces: [cappedText(text, address, keepChars)], capped: user, kept: new Map([[address, text]]) };
}

export interface RangePlan extends Span {
  readonly layer: RangeEdit['layer'];
  readonly reason: string;
  readonly pieces: readonly Piece[];
  readonly capped?: number | undefined;
  readonly addresses: readonly Address[];
}

/**
 * End of the evidence. A span that hides older user messages may only do so while a newer one exists: covering that one too makes the
 * edit fall with it in a rewind, so that the newest user message is never hidden.
 */
function evidenceEnd(span: Span, history: History): number {
  const hidesUser = history.users.some((user) => user >= span.from && user < span.to);
  return hidesUser ? Math.max(span.to, history.newestUser + 1) : span.to;
}

export function rangeEdit(plan: RangePlan, history: History): RangeEdit {
  const { capped, ...rest } = plan;
  const until = evidenceEnd(plan, history);
  return {
    kind: 'range',
    ...rest,
    ...(capped === undefined ? {} : { capped }),
    until,
    proof: history.digest(plan.from, until),
  };
}

/** Tokens and bytes a range edit frees in `view`. */
export function freedByRange(edit: RangeEdit, view: View, input: LayerInput): { tokens: number; bytes: number } {
  const size = replacementSize(edit.pieces, input.history, input.count);
  let tokens = -size.tokens;
  let bytes = -size.bytes;
  for (let i = locate(view.entries, edit.from); i < view.entries.length; i += 1) {
    const entry = view.entries[i];
    if (entry === undefined || entry.from >= edit.to) break;
    tokens += entry.tokens;
    bytes += entry.bytes;
  }
  return { tokens, bytes };
}
