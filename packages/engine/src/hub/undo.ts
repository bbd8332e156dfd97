/** Taking back the newest epoch: proved and measured before it is done. */
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
}

/** What an undo adds to the ledger. */
export interface Undone {
  /** The epoch taken back. */
  readonly target: number;
  readonly groups: readonly Group[];
}

/** What drops the places of pins that repeat one the undo brings back, where there are any. */
function withoutRepeats(view: View, groups: readonly Group[], undo: Revocation): readonly Rewind[] {
  const dropped = dropping(repeatedPins(view), groups, { seq: undo.seq + 1, at: undo.at });
  return dropped === undefined ? [] : [dropped];
}

/** Takes back the newest epoch in force; undefined where there is none. Throws `WINDOW_EXHAUSTED` where the view without it would not fit. */
export function undoNewest(session: Session, tools: UndoTools): Undone | undefined {
  const { ledger, history } = session;
  const target = ledger.newestRevocable(history);
  if (target === undefined) return undefined;
  const undo: Revocation = { seq: ledger.nextSeq, at: history.length, cause: 'undo', target: target.seq };
  const restored = project(history, [...ledger.groups, undo], tools.count);
  const groups = [undo, ...withoutRepeats(restored, ledger.groups, undo)];
  const view = groups.length === 1 ? restored : project(history, [...ledger.groups, ...groups], tools.count);
  assertRepairable(session, view, tools);
  const tokens = tools.tokensOf(view, undo.seq + groups.length);
  if (tokens > tools.roomTokens) {
    throw new ContextError(
      'WINDOW_EXHAUSTED',
      `undo would need ${tokens} tokens and ${tools.roomTokens} fit; rewind, or keep the epoch`,
    );
  }
  ledger.append(groups);
  session.view = view;
  session.holdLength = history.length;
  return { target: target.seq, groups };
}

/** Proves `view` as the next prepare would send it: calls the caller has not answered yet are no fault of the view. */
function assertRepairable({ history, ledger }: Session, view: View, { count, hash }: UndoTools): void {
  const repairs = proposeRepairs({ history, view, hash }, ledger.hasRepairs);
  assertView(applyEdits(view, repairs.edits, { history, count }), history);
}
