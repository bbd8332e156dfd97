/**
 * Edits: what a layer decided about a span of history, with its bytes frozen. A range edit replaces whole view entries and
 * whole rounds by one user message; a part edit replaces one part of one entry. So edits are nested or disjoint, the later wins, and
 * any subset of a ledger keeps pairing and coverage: undo and fork are filters.
 */
import type { Address } from './archive.ts';
import type { Digest } from './digest.ts';

export type LayerName = 'budget' | 'snip' | 'micro' | 'summary' | 'fit' | 'repair';

/** Text of the engine's, or a part of the history carried over as the same object (the newest user message's words and pictures). */
export type Piece = string | { readonly entry: number; readonly part: number };

interface EditBase {
  readonly layer: LayerName;
  /** End of the evidence: `proof` is the digest of history from the start of the span to here. */
  readonly until: number;
  readonly proof: Digest;
  /** Where everything that left the view is found. */
  readonly addresses: readonly Address[];
  readonly reason: string;
}

export interface RangeEdit extends EditBase {
  readonly kind: 'range';
  readonly from: number;
  readonly to: number;
  /** The replacing user message, piece by piece. */
  readonly pieces: readonly Piece[];
  /** The entry whose user's words are too big to carry and stand in `pieces` as head, tail and address. */
  readonly capped?: number;
}

export interface PartEdit extends EditBase {
  readonly kind: 'part';
  readonly at: number;
  readonly part: number;
  readonly text: string;
  /** True: the part becomes plain text (a repair); false: it keeps its kind and only its body is replaced. */
  readonly becomesText: boolean;
}

export type Edit = RangeEdit | PartEdit;

/** What made an epoch due. */
export type Cause = 'arrival' | 'every-turn' | 'threshold' | 'manual' | 'overflow' | 'repair';

/** One epoch: edits committed at once. */
export interface Epoch {
  readonly seq: number;
  /** History length when it was decided. */
  readonly at: number;
  readonly cause: Cause;
  readonly edits: readonly Edit[];
}

/** Takes back the epoch `target`. */
export interface Revocation {
  readonly seq: number;
  readonly at: number;
  readonly cause: 'undo';
  readonly target: number;
}

/**
 * The history took another course at `at` and some edits were made for bytes that are gone: they stay out of force, even if
 * equal bytes come again, since those were sent verbatim meanwhile.
 */
export interface Rewind {
  readonly seq: number;
  readonly at: number;
  readonly cause: 'rewind';
  /** Pairs of epoch number and index of the edit in it. */
  readonly drops: readonly (readonly [number, number])[];
}

export type Group = Epoch | Revocation | Rewind;

export function isEpoch(group: Group): group is Epoch {
  return group.cause !== 'undo' && group.cause !== 'rewind';
}

export function startOf(edit: Edit): number {
  return edit.kind === 'range' ? edit.from : edit.at;
}

export function endOf(edit: Edit): number {
  return edit.kind === 'range' ? edit.to : edit.at + 1;
}

export function contains(range: RangeEdit, edit: Edit): boolean {
  return range.from <= startOf(edit) && endOf(edit) <= range.to;
}

export function overlaps(one: Edit, other: Edit): boolean {
  return startOf(one) < endOf(other) && startOf(other) < endOf(one);
}
