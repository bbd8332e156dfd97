/**
 * Calls and results, followed entry by entry: which entries form a round, and what breaks the pairing rules all
 * providers share (every call answered directly behind its message, every result answering one, ids unique). This is the only
 * place that pairs.
 */
import { type Entry, isBlank } from './entry.ts';

export type FaultKind =
  | 'unanswered-call'
  | 'orphan-result'
  | 'duplicate-call'
  | 'duplicate-result'
  | 'empty-text'
  | 'no-content';

/** `part` is -1 where the whole entry is at fault. */
export interface Fault {
  readonly kind: FaultKind;
  readonly at: number;
  readonly part: number;
}

/** Where the id of a call has to be unique: in the whole request, or among the calls of one reply. */
export type IdScope = 'request' | 'round';

/** How an entry stands in its round. */
export interface Joined {
  /** Index the round starts at: the entry's own where it starts one. */
  readonly start: number;
  /** Its parts that answer calls of the round. */
  readonly answers: readonly number[];
}

export interface Pairing {
  /** Takes the next entry. */
  append(entry: Entry, index: number): Joined;
  /** Start of the newest round while calls of it wait for results. */
  openStart(): number | undefined;
  /** Whether entry `index` ended a round that still had calls without results. */
  endsOpenRound(index: number): boolean;
  faults(): readonly Fault[];
}

interface Round {
  readonly start: number;
  /** Calls not answered yet: id to part index. */
  readonly open: Map<string, number>;
  readonly answered: Set<string>;
}

interface PairingState {
  readonly known: Set<string>;
  readonly faults: Fault[];
  /** Entries that ended a round with calls open. */
  readonly enders: Set<number>;
  round: Round | undefined;
}

function closeRound(state: PairingState, index: number): void {
  if (state.round !== undefined && state.round.open.size > 0) state.enders.add(index);
  state.faults.push(...unanswered(state.round));
  state.round = undefined;
}

function unanswered(round: Round | undefined): Fault[] {
  if (round === undefined) return [];
  return [...round.open.values()].map((part) => ({ kind: 'unanswered-call', at: round.start, part }));
}

function openRound(state: PairingState, entry: Entry, index: number): void {
  const open = new Map<string, number>();
  entry.parts.forEach((part, i) => {
    if (part.kind !== 'call') return;
    if (state.known.has(part.id)) state.faults.push({ kind: 'duplicate-call', at: index, part: i });
    else open.set(part.id, i);
    state.known.add(part.id);
  });
  if (open.size > 0) state.round = { start: index, open, answered: new Set() };
}

function takeResult(state: PairingState, id: string, fault: (kind: FaultKind) => void): boolean {
  const { round } = state;
  if (round?.open.delete(id)) {
    round.answered.add(id);
    return true;
  }
  fault(round?.answered.has(id) ? 'duplicate-result' : 'orphan-result');
  return false;
}

function noteContent(state: PairingState, entry: Entry, index: number): void {
  if (entry.parts.every((part) => part.kind === 'reasoning')) {
    state.faults.push({ kind: 'no-content', at: index, part: -1 });
    return;
  }
  entry.parts.forEach((part, i) => {
    if (isBlank(part)) state.faults.push({ kind: 'empty-text', at: index, part: i });
  });
}

const NO_ANSWERS: readonly number[] = [];

/** Takes the results of `entry`; returns those that answer the open round. */
function takeResults(state: PairingState, entry: Entry, index: number): readonly number[] {
  const answers: number[] = [];
  entry.parts.forEach((part, i) => {
    if (part.kind !== 'result') return;
    if (takeResult(state, part.callId, (kind) => state.faults.push({ kind, at: index, part: i }))) answers.push(i);
  });
  return answers;
}

export function createPairing(idScope: IdScope = 'request'): Pairing {
  const state: PairingState = { known: new Set(), faults: [], enders: new Set(), round: undefined };
  return {
    append(entry, index) {
      noteContent(state, entry, index);
      if (entry.origin !== 'user') {
        closeRound(state, index);
        if (idScope === 'round') state.known.clear();
        openRound(state, entry, index);
        return { start: index, answers: NO_ANSWERS };
      }
      const start = state.round?.start ?? index;
      const answers = takeResults(state, entry, index);
      if (answers.length > 0) return { start, answers };
      closeRound(state, index);
      return { start: index, answers };
    },
    openStart: () => (state.round !== undefined && state.round.open.size > 0 ? state.round.start : undefined),
    endsOpenRound: (index) => state.enders.has(index),
    faults: () => [...state.faults, ...unanswered(state.round)],
  };
}
