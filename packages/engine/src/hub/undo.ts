/** Taking back the newest epoch: proved and measured before it is done. */
import type { Group, Revocation } from '../core/edit.ts';
import { ContextError } from '../core/errors.ts';
import { proposeRepairs } from '../core/layers/repair.ts';
import { assertView } from '../core/verify.ts';
import { applyEdits, type Count, project, type View } from '../core/view.ts';
import type { Session } from './session.ts';

export interface UndoTools {
  readonly count: Count;
  readonly hash: (text: string) => string;
  /** Calibrated tokens of the whole request with a view, under the ledger's version `seq`. */
  readonly tokensOf: (view: View, seq: number) => number;
  /** Most of them; `Infinity` where no request was seen yet. */
  readonly roomTokens: number;
}

/** Takes back the newest epoch in force; undefined where there is none. Throws `WINDOW_EXHAUSTED` where the view without it would not fit. */
export function undoNewest(session: Session, tools: UndoTools): Revocation | undefined {
  const { ledger, history } = session;
  const target = ledger.newestRevocable();
  if (target === undefined) return undefined;
  const group: Revocation = { seq: ledger.nextSeq, at: history.length, cause: 'undo', target: target.seq };
  const groups: readonly Group[] = [...ledger.groups, group];
  const view = project(history, groups, tools.count);
  assertRepairable(session, view, tools);
  const tokens = tools.tokensOf(view, group.seq + 1);
  if (tokens > tools.roomTokens) {
    throw new ContextError(
      'WINDOW_EXHAUSTED',
      `undo would need ${tokens} tokens and ${tools.roomTokens} fit; rewind, or keep the epoch`,
    );
  }
  ledger.append([group]);
  session.view = view;
  session.holdLength = history.length;
  return group;
}

/** Proves `view` as the next prepare would send it: calls the caller has not answered yet are no fault of the view. */
function assertRepairable({ history, ledger }: Session, view: View, { count, hash }: UndoTools): void {
  const repairs = proposeRepairs({ history, view, hash }, ledger.hasRepairs);
  assertView(applyEdits(view, repairs.edits, { history, count }), history);
}
