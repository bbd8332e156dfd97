/**
 * Edits: what a layer decided about a span of history, with its bytes frozen. A range edit replaces whole view entries and
 * whole rounds by one user message; a part edit replaces one part of one entry; a note adds a text at the end of one entry of the user's side. So
 * edits are nested or disjoint (notes of one entry stand one behind the other), the later wins, and any subset of a ledger keeps pairing and
 * coverage: undo and fork are filters.
 */
import type { Address } from './archive.ts';
import type { Digest } from './digest.ts';

export type LayerName = 'arrival' | 'budget' | 'snip' | 'micro' | 'summary' | 'fit' | 'repair' | 'attach';

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

/** Where a model's own words stand in a range: characters `[from, from + chars)` of the piece `piece`. */
export interface Narrative {
  readonly piece: number;
  readonly from: number;
  readonly chars: number;
  /** 1 for one written from the messages themselves, one more for each it was merged with since. */
  readonly generation: number;
}

/** Replaces the entries `[from, to)` by one user message. */
export interface RangeEdit extends EditBase {
  readonly kind: 'range';
  readonly from: number;
  readonly to: number;
  /** The replacing user message, piece by piece. */
  readonly pieces: readonly Piece[];
  /** The entry whose user's words are too big to carry and stand in `pieces` as head, tail and address. */
  readonly capped?: number;
  /** Pieces that are pinned texts, in order: index of the piece and id of the pin. */
  readonly pins?: readonly (readonly [piece: number, pin: number])[];
  /** Indices of the pieces that are notes of the host which no request held when the edit was made. */
  readonly notes?: readonly number[];
  /** Set where a model wrote the summary. */
  readonly narrative?: Narrative;
}

/** Replaces part `part` of entry `at`. */
export interface PartEdit extends EditBase {
  readonly kind: 'part';
  readonly at: number;
  readonly part: number;
  readonly text: string;
  /** True: the part becomes plain text (a repair); false: it keeps its kind and only its body is replaced. */
  readonly becomesText: boolean;
  /** Set where the text says that what left stands elsewhere in the view, older: once that place is gone, the edit has to give way to an address. */
  readonly pointsAt?: { readonly entry: number; readonly part: number };
}

/**
 * A text behind everything else in an entry of the user's side: a reminder, or a pinned text. It replaces nothing, so no part edit of the entry
 * touches it; a range edit over the entry takes it out of view.
 */
export interface NoteEdit extends EditBase {
  readonly kind: 'note';
  readonly at: number;
  readonly text: string;
  /** Id of the pin whose text this is. */
  readonly pin?: number;
}

/** A frozen decision. */
export type Edit = RangeEdit | PartEdit | NoteEdit;

/** What made an epoch due. */
export type Cause = 'arrival' | 'every-turn' | 'threshold' | 'cold' | 'manual' | 'overflow' | 'repair';

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
 * Drops edits for good. The history took another course at `at` and some were made for bytes that are gone: they stay out of force, even if
 * equal bytes come again, since those were sent verbatim meanwhile. Or a move or an undo brought back an older place of a pinned text, and the
 * newer one would repeat it.
 */
export interface Rewind {
  readonly seq: number;
  readonly at: number;
  readonly cause: 'rewind';
  /** Pairs of epoch number and index of the edit in it. */
  readonly drops: readonly (readonly [number, number])[];
}

/** A text the user wants in view whatever happens. The user's state, not history: no rewind takes it back. */
export interface Pin {
  readonly id: number;
  readonly text: string;
}

/** From here on the pin is live. */
export interface Pinning extends Pin {
  readonly seq: number;
  readonly at: number;
  readonly cause: 'pin';
}

/** From here on the pin is not live any more: what shows it keeps its bytes, nothing carries it on. */
export interface Unpinning {
  readonly seq: number;
  readonly at: number;
  readonly cause: 'unpin';
  readonly id: number;
}

/** One entry of the ledger. */
export type Group = Epoch | Revocation | Rewind | Pinning | Unpinning;

export function isEpoch(group: Group): group is Epoch {
  return 'edits' in group;
}

/** Whether the group only adds notes: it takes nothing out of view, and `undo` steps over it. */
export function isNotes(epoch: Epoch): boolean {
  return epoch.edits.every((edit) => edit.kind === 'note');
}

export function startOf(edit: Edit): number {
  return edit.kind === 'range' ? edit.from : edit.at;
}

export function endOf(edit: Edit): number {
  return edit.kind === 'range' ? edit.to : edit.at + 1;
}

export function overlaps(one: Edit, other: Edit): boolean {
  return startOf(one) < endOf(other) && startOf(other) < endOf(one);
}
