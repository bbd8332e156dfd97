/** Taking back the newest epoch, and taking that back: proved and measured before it is done. */
import { unboundReasoning } from '../core/binding.ts';
import type { Group, Revocation, Rewind } from '../core/edit.ts';
import { ContextError } from '../core/errors.ts';
import { proposeRepairs } from '../core/layers/repair.ts';
import { dropping } from '../core/ledger.ts';
import { assertView } from '../core/verify.ts';
import { applyEdits, type Count, project, repeatedPins, type View } from '../core/view.ts';
import type { Session } from './session.ts';

export interface UndoTools {
  readonly count: Count;
  readonly hash: (text: string) => string;
  /** Calibrated tokens of the whole request with a view, under the ledger's version `seq`. */
  readonly tokensOf: (view: View, seq: number) => number;
  /** Most of them; `Infinity` where no request was seen yet. */
  readonly roomTokens: number;
  /** Whether reasoning may stand only behind what it was thought behind. */
  readonly isBound: boolean;
}

/** What an undo or a redo adds to the ledger. */
export interface Undone {
  /** The epoch taken back or brought back. */
  readonly target: number;
  readonly groups: readonly Group[];
}

/** What drops the places of pins that repeat one that comes back, where there are any. */
function withoutRepeats(view: View, groups: readonly Group[], undo: Revocation): readonly Rewind[] {
  const dropped = dropping(repeatedPins(view), groups, { seq: undo.seq + 1, at: undo.at });
  return dropped === undefined ? [] : [dropped];
}

/** Takes back the newest epoch in force; undefined where there is none. Throws `WINDOW_EXHAUSTED` where the view without it would not fit, `REASONING_BOUND`. */
export function undoNewest(session: Session, tools: UndoTools): Undone | undefined {
  const target = session.ledger.newestRevocable(session.history);
  if (target === undefined) return undefined;
  const groups = revoke(session, { what: 'undo', target: target.seq }, tools);
  session.holdLength = session.history.length;
  return { target: target.seq, groups };
}

/** Takes back the newest undo; undefined where there is none, or something has changed since. Throws as `undoNewest` does. */
export function redoNewest(session: Session, tools: UndoTools): Undone | undefined {
  const undo = session.ledger.newestRedoable(session.history);
  if (undo === undefined) return undefined;
  const groups = revoke(session, { what: 'redo', target: undo.seq }, tools);
  // The schedule rests for what is still undone, as it did before this undo.
  session.holdLength = session.ledger.newestUndo?.at ?? -1;
  return { target: undo.target, groups };
}

interface Taken {
  readonly what: 'undo' | 'redo';
  /** Number of the epoch, or of the undo. */
  readonly target: number;
}

/** Appends what takes `target` back, once the view without it is proved and fits. */
function revoke(session: Session, { what, target }: Taken, tools: UndoTools): readonly Group[] {
  const { ledger, history } = session;
  const undo: Revocation = { seq: ledger.nextSeq, at: history.length, cause: 'undo', target };
  const restored = project(history, [...ledger.groups, undo], tools.count);
  const groups = [undo, ...withoutRepeats(restored, [...ledger.groups, undo], undo)];
  const view = groups.length === 1 ? restored : project(history, [...ledger.groups, ...groups], tools.count);
  assertRepairable(session, view, tools);
  if (tools.isBound) assertBound(session, view, what);
  const tokens = tools.tokensOf(view, undo.seq + groups.length);
  if (tokens > tools.roomTokens) {
    throw new ContextError(
      'WINDOW_EXHAUSTED',
      `${what} would need ${tokens} tokens and ${tools.roomTokens} fit; rewind, or leave the view as it is`,
    );
  }
  ledger.append(groups);
  session.view = view;
  return groups;
}

/** What was thought since may not be sent behind anything else. */
function assertBound({ history, view: before }: Session, after: View, what: Taken['what']): void {
  const [lost] = unboundReasoning(before, after, history);
  if (lost === undefined) return;
  throw new ContextError(
    'REASONING_BOUND',
    `${what} would change what the reasoning in message ${lost} was thought behind, which its provider refuses; rewind to before it instead`,
  );
}

/** Proves `view` as the next prepare would send it: calls the caller has not answered yet are no fault of the view. */
function assertRepairable({ history, ledger }: Session, view: View, { count, hash }: UndoTools): void {
  const repairs = proposeRepairs({ history, view, hash }, ledger.hasRepairs);
  assertView(applyEdits(view, repairs.edits, { history, count }), history);
}
