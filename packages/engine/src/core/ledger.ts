/**
 * The append-only log of epochs. It is never copied: a turn carries the groups it would add, and they are appended when
 * the turn is accepted. What is in force is derived from it and the history.
 */
import {
  type Cause,
  type Edit,
  type Epoch,
  endOf,
  type Group,
  isEpoch,
  isNotes,
  overlaps,
  type Pin,
  type RangeEdit,
  type Revocation,
  type Rewind,
  startOf,
} from './edit.ts';
import { isUserWords } from './entry.ts';
import type { History } from './history.ts';

export class Ledger {
  readonly #groups: Group[] = [];
  #hasRepairs = false;
  #held: readonly Edit[] = [];
  readonly #pins = new Map<number, Pin>();
  #newestPin = 0;

  get groups(): readonly Group[] {
    return this.#groups;
  }

  /** Number of the next group; also the version of the log. */
  get nextSeq(): number {
    return (this.#groups.at(-1)?.seq ?? 0) + 1;
  }

  append(groups: readonly Group[]): void {
    for (const group of groups) {
      this.#groups.push(group);
      this.#notePin(group);
    }
    this.#hasRepairs ||= groups.some((group) => group.cause === 'repair');
    this.#held = groups.some((group) => group.cause === 'undo') ? this.#revokedEdits() : notRemade(this.#held, groups);
  }

  #notePin(group: Group): void {
    if (group.cause === 'unpin') this.#pins.delete(group.id);
    if (group.cause !== 'pin') return;
    this.#pins.set(group.id, { id: group.id, text: group.text });
    this.#newestPin = Math.max(this.#newestPin, group.id);
  }

  /** The live pins, oldest first. */
  get pins(): readonly Pin[] {
    return [...this.#pins.values()];
  }

  /** Highest id a pin ever had; 0 where there was none. */
  get newestPin(): number {
    return this.#newestPin;
  }

  #revokedEdits(): readonly Edit[] {
    const revoked = revokedIn(this.#groups);
    const isLive = (group: Group): boolean => isEpoch(group) && !revoked.has(group.seq);
    const later = this.#groups.filter(isLive);
    return this.#groups.flatMap((group) =>
      isEpoch(group) && revoked.has(group.seq)
        ? notRemade(
            group.edits,
            later.filter(({ seq }) => seq > group.seq),
          )
        : [],
    );
  }

  /** The groups behind number `after`: what a log that ends there lacks. */
  since(after: number): readonly Group[] {
    let first = this.#groups.length;
    while (first > 0 && (this.#groups[first - 1]?.seq ?? 0) > after) first -= 1;
    return this.#groups.slice(first);
  }

  /**
   * The newest epoch that `undo` may take back, or undefined. Repairs stay: without them the view would be invalid. Notes take nothing out of view,
   * and an epoch none of whose edits are in force over `history` any more, as after a rewind, has nothing to give back.
   */
  newestRevocable(history: History): Epoch | undefined {
    const inForce = new Set(editsInForce(this.#groups, history));
    const isRevocable = (group: Group): boolean =>
      isEpoch(group) && group.cause !== 'repair' && !isNotes(group) && group.edits.some((edit) => inForce.has(edit));
    const found = this.#groups.findLast(isRevocable);
    return found !== undefined && isEpoch(found) ? found : undefined;
  }

  /** Whether the epoch stands: not taken back. */
  isStanding({ seq }: Epoch): boolean {
    return !revokedIn(this.#groups).has(seq);
  }

  /** Indices of the edits of an epoch that moves dropped for good. */
  droppedOf({ seq }: Epoch): ReadonlySet<number> {
    const drops = this.#groups.flatMap((group) => (group.cause === 'rewind' ? group.drops : []));
    return new Set(drops.flatMap(([epoch, index]) => (epoch === seq ? [index] : [])));
  }

  /** The newest undo of an epoch that was not taken back itself, or undefined. */
  get newestUndo(): Revocation | undefined {
    const revoked = revokedIn(this.#groups);
    const epochs = new Set(this.#groups.flatMap((group) => (isEpoch(group) ? [group.seq] : [])));
    return this.#groups.findLast(
      (group): group is Revocation => group.cause === 'undo' && !revoked.has(group.seq) && epochs.has(group.target),
    );
  }

  /**
   * The newest undo, where `redo` may take it back; undefined otherwise. A later epoch puts an end to it; what was only shaped on arrival, noted or
   * repaired since does so where it touches the same entries. The edits that would come back have to be proved still.
   */
  newestRedoable(history: History): Revocation | undefined {
    const undo = this.newestUndo;
    if (undo === undefined) return undefined;
    const redo: Revocation = { seq: this.nextSeq, at: history.length, cause: 'undo', target: undo.seq };
    const live = standing([...this.#groups, redo]);
    const back = live.flatMap(({ edit, seq }) => (seq === undo.target ? [edit] : []));
    const revoked = revokedIn(this.#groups);
    const later = this.#groups.filter(
      (group): group is Epoch => isEpoch(group) && group.seq > undo.seq && !revoked.has(group.seq),
    );
    const mayReturn = back.length > 0 && back.every((edit) => isProved(edit, history)) && !later.some(endsRedo(back));
    return mayReturn ? undo : undefined;
  }

  /** Whether a repair is in force, which late results have to mind. */
  get hasRepairs(): boolean {
    return this.#hasRepairs;
  }

  /** Edits taken back and not made again, over the bytes they were made for: the schedule leaves their spans alone until it is forced. */
  held(history: History): readonly Edit[] {
    return this.#held.filter((edit) => isProved(edit, history));
  }
}

/** Epochs that came without a decision about what was sent before. */
const PASSING: ReadonlySet<Cause> = new Set(['arrival', 'repair']);

function endsRedo(back: readonly Edit[]): (epoch: Epoch) => boolean {
  return ({ cause, edits }) => !PASSING.has(cause) || edits.some((edit) => back.some((other) => overlaps(other, edit)));
}

/** Those of `edits` that no edit of `groups` makes again. */
function notRemade(edits: readonly Edit[], groups: readonly Group[]): readonly Edit[] {
  if (edits.length === 0) return edits;
  const made = groups.flatMap((group) => (isEpoch(group) ? group.edits : []));
  return edits.filter((edit) => !made.some((other) => other.layer === edit.layer && overlaps(other, edit)));
}

function revokedIn(groups: readonly Group[]): ReadonlySet<number> {
  const revoked = new Set<number>();
  for (let i = groups.length - 1; i >= 0; i -= 1) {
    const group = groups[i];
    if (group?.cause === 'undo' && !revoked.has(group.seq)) revoked.add(group.target);
  }
  return revoked;
}

/** Whether `edit` was made for these very bytes. */
export function isProved(edit: Edit, history: History): boolean {
  return (
    edit.until <= history.length &&
    endOf(edit) <= edit.until &&
    history.digest(startOf(edit), edit.until) === edit.proof
  );
}

function carriesAll(edit: RangeEdit, history: History, user: number): boolean {
  const carried = new Set(
    edit.pieces.flatMap((piece) => (typeof piece !== 'string' && piece.entry === user ? [piece.part] : [])),
  );
  return history.at(user).parts.every((part, index) => !isUserWords(part) || carried.has(index));
}

/**
 * Whether `edit` hides words of the newest user message, which its evidence rules out; `verify` checks. Edits of `fit` and
 * `repair` may: the first when the message alone would not fit (head, tail and address stay), the second when the provider would refuse it.
 */
export function hidesNewestUser(edit: Edit, history: History): boolean {
  const user = history.newestUser;
  if (user < 0 || user < startOf(edit) || user >= endOf(edit)) return false;
  if (edit.layer === 'repair' || edit.kind === 'note') return false;
  if (edit.kind === 'range') return edit.capped !== user && !carriesAll(edit, history, user);
  const part = history.at(user).parts[edit.part];
  return part !== undefined && isUserWords(part) && edit.layer !== 'fit';
}

interface Placed {
  readonly edit: Edit;
  readonly seq: number;
  readonly index: number;
}

/** Edits neither revoked nor dropped, in the order they were made. */
function standing(groups: readonly Group[]): readonly Placed[] {
  const revoked = revokedIn(groups);
  const dropped = new Set<string>();
  for (const group of groups) {
    if (group.cause === 'rewind') for (const [seq, index] of group.drops) dropped.add(`${seq}.${index}`);
  }
  return groups.flatMap((group) =>
    isEpoch(group) && !revoked.has(group.seq)
      ? group.edits.flatMap((edit, index) =>
          dropped.has(`${group.seq}.${index}`) ? [] : [{ edit, seq: group.seq, index }],
        )
      : [],
  );
}

/** The edits in force over `history`, in the order they were made. */
export function editsInForce(groups: readonly Group[], history: History): readonly Edit[] {
  return standing(groups).flatMap(({ edit }) => (isProved(edit, history) ? [edit] : []));
}

/**
 * The group that drops what no longer holds over a changed history, or undefined where all of it does. `pending`: one not in the ledger yet,
 * whose drops the new one takes over.
 */
export function rewindGroup(ledger: Ledger, history: History, pending: readonly Rewind[] = []): Rewind | undefined {
  const fresh = standing([...ledger.groups, ...pending]).flatMap(({ edit, seq, index }) =>
    isProved(edit, history) ? [] : [[seq, index] as const],
  );
  const drops = [...pending.flatMap((rewind) => rewind.drops), ...fresh];
  return drops.length === 0 ? undefined : { seq: ledger.nextSeq, at: history.length, cause: 'rewind', drops };
}

/** `rewind`, or a new group with the number `seq`, that drops `edits` of `groups` too. */
export function dropping(
  edits: readonly Edit[],
  groups: readonly Group[],
  { rewind, ...group }: { readonly rewind?: Rewind | undefined; readonly seq: number; readonly at: number },
): Rewind | undefined {
  if (edits.length === 0) return rewind;
  const found = standing(groups).flatMap(({ edit, seq, index }) =>
    edits.includes(edit) ? [[seq, index] as const] : [],
  );
  const { drops, ...base } = rewind ?? { ...group, cause: 'rewind' as const, drops: [] };
  return { ...base, drops: [...drops, ...found] };
}
