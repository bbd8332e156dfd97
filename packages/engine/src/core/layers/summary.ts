/**
 * Summary: one layer for the teaching system's compact history, reactive compact and the compact tool. A trigger and a span make a
 * plan; a writer makes the text; `summaryEdits` freezes both. The code writer is every trigger's last rung.
 */
import type { Address } from '../archive.ts';
import type { Narrative, Piece, RangeEdit } from '../edit.ts';
import type { History } from '../history.ts';
import type { View } from '../view.ts';
import type { LayerInput } from './layer.ts';
import { recallNote } from './marker.ts';
import {
  type CarriedUsers,
  carryNewestUser,
  carryNotes,
  carryUsers,
  freedByRange,
  rangeEdit,
  type Span,
  replaceableSpans,
} from './range-edits.ts';
import { scaled } from '../window.ts';

/** What made a summary due: a threshold or the schedule, a cold cache, the host's `compact`, the provider's refusal. */
export type SummaryTrigger = 'threshold' | 'cold' | 'manual' | 'overflow';

/** All of it, or up to an entry (not included) with the rest kept as it is. */
export type SummarySpan = 'all' | { readonly upTo: number };

/** A policy's strings and limits of summaries. */
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
  /** What the code writer may use, tokens, at a 200,000-token window. @default a tenth of what the window lets a view have, at most four times `maxOutputTokens` */
  readonly digestTokens?: number;
  /**
   * Tokens of the user's older messages that stand word for word in front of the text, at a 200,000-token window; older ones are found by
   * address. @default 0: the text itself repeats them, shortened
   */
  readonly userTokens?: number;
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
  /** Set where the text begins with a model's own words: how many characters, and their generation. */
  readonly narrative?: Pick<Narrative, 'chars' | 'generation'> | undefined;
  /** The host's state, beside the text in a piece of its own. */
  readonly state?: string | undefined;
  /** Most tokens of the newest user message. @default its share of the window */
  readonly carryTokens?: number | undefined;
  /** Tokens of the user's older messages that stand word for word in front of the text, at a 200,000-token window. @default 0 */
  readonly userTokens?: number | undefined;
  readonly reason: string;
  /** Whether the model could make use of the originals' address. */
  readonly offersRecall: boolean;
}

export interface SummaryEdits {
  readonly edits: readonly RangeEdit[];
  readonly kept: ReadonlyMap<Address, string>;
  readonly freedTokens: number;
  /** Whether the text itself is in: false where it makes no stretch smaller, or would not with the state beside it. */
  readonly hasText: boolean;
}

interface Frozen {
  readonly edit: RangeEdit;
  readonly kept: ReadonlyMap<Address, string>;
  readonly freedTokens: number;
}

/** What stands in one stretch. */
interface Body {
  readonly text: string;
  readonly state?: string | undefined;
  /** Whether the text is the summary's own, not a pointer to it. */
  readonly hasNarrative: boolean;
}

/** In front of the user's older messages. */
const USERS_FOLLOW = "The user's earlier messages, word for word, oldest first; then facts, then what came since:";

const NO_USERS: CarriedUsers = { pieces: [], kept: new Map(), whole: 0 };

function olderUsers(span: Span, address: Address, { summary, input }: Freezing): CarriedUsers {
  if (summary.userTokens === undefined) return NO_USERS;
  const maxTokens = scaled(summary.userTokens, input.window.windowTokens);
  return carryUsers(span, input, { address, maxTokens });
}

/** The edit over one stretch, undefined where it frees nothing. */
function freeze(span: Span, { text, state, hasNarrative }: Body, { summary, input }: Freezing): Frozen | undefined {
  const { history, view } = input;
  const carry = carryNewestUser(span, input, summary.carryTokens);
  const address = history.address(span.from, span.to);
  const users = olderUsers(span, address, { summary, input });
  const body = `${text}${summary.offersRecall ? `\n\nThe original messages: ${recallNote(address)}` : ''}`;
  const head = `${summary.title}\n\n`;
  const hasUsers = users.pieces.length > 0;
  const pieces: readonly Piece[] = [
    ...(hasUsers ? [`${head}${USERS_FOLLOW}`, ...users.pieces, ...(body === '' ? [] : [body])] : [`${head}${body}`]),
    ...(state === undefined ? [] : [state]),
    ...carry.pieces,
  ];
  const place = hasUsers ? { piece: users.pieces.length + 1, from: 0 } : { piece: 0, from: head.length };
  const narrative = hasNarrative && summary.narrative !== undefined ? { ...place, ...summary.narrative } : undefined;
  const addresses = [address, ...carry.kept.keys(), ...users.kept.keys()];
  const carried = carryNotes(span, input);
  const edit = rangeEdit(
    { ...span, layer: 'summary', reason: summary.reason, pieces, capped: carry.capped, carried, addresses, narrative },
    history,
  );
  const freed = freedByRange(edit, view, input);
  const kept = new Map([...carry.kept, ...users.kept]);
  return freed.tokens > 0 && freed.bytes > 0 ? { edit, kept, freedTokens: freed.tokens } : undefined;
}

interface Freezing {
  readonly summary: SummaryText;
  readonly input: LayerInput;
}

/** What stretches without the text say of it, by where it stands. */
function pointer(index: number, holder: number): string {
  if (holder < 0) return 'Left out to make room; no summary stands for it.';
  return index < holder ? 'Summarised in a later message.' : 'Summarised in an earlier message.';
}

/** Freezes a summary: the text in the newest stretch between barriers that it makes smaller, a pointer to it in the others, the newest user message carried. */
export function summaryEdits(summary: SummaryText, input: LayerInput): SummaryEdits {
  const spans = replaceableSpans(summary.span, input);
  const how = { summary, input };
  const holder = spans.findLastIndex(
    (span) => freeze(span, { text: summary.text, hasNarrative: true }, how) !== undefined,
  );
  const bodyOf = (index: number): Body =>
    index === holder
      ? { text: summary.text, state: summary.state, hasNarrative: true }
      : { text: pointer(index, holder), hasNarrative: false };
  const made = spans.map((span, index) => freeze(span, bodyOf(index), how));
  const frozen = made.filter((one) => one !== undefined);
  return {
    edits: frozen.map(({ edit }) => edit),
    kept: new Map(frozen.flatMap(({ kept }) => [...kept])),
    freedTokens: frozen.reduce((sum, one) => sum + one.freedTokens, 0),
    hasText: made[holder] !== undefined,
  };
}
