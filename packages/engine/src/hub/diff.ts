/** What an epoch changed: both sides of it, by what the history and the ledger hold. Changes nothing. */
import { type ChangeTexts, changeTextsOf } from '../core/changes.ts';
import { type Cause, type Epoch, isEpoch } from '../core/edit.ts';
import { isProved } from '../core/ledger.ts';
import type { Lens } from '../core/lens.ts';
import { applyEdits, type Count, project } from '../core/view.ts';
import type { Session } from './session.ts';

/** What an epoch changed in the view, tokens by the context's counter. */
export interface EpochDiff {
  readonly epochId: number;
  readonly cause: Cause;
  /** False where it was taken back. */
  readonly isInForce: boolean;
  /** Tokens of the view before and after, over the messages of today. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** In the order of the history. */
  readonly changes: readonly ChangeTexts[];
}

export interface DiffTools {
  readonly count: Count;
  readonly lens: Lens;
}

function epochOf({ ledger, history }: Session, epochId: number | undefined): Epoch | undefined {
  if (epochId === undefined) return ledger.newestRevocable(history);
  return ledger.groups.filter(isEpoch).find(({ seq }) => seq === epochId);
}

/** Of the epoch, or of the newest one `undo` would take back; undefined where there is none, or a move dropped all of it. */
export function diffOf(session: Session, epochId: number | undefined, tools: DiffTools): EpochDiff | undefined {
  const epoch = epochOf(session, epochId);
  if (epoch === undefined) return undefined;
  const { history, ledger } = session;
  const { count, lens } = tools;
  const dropped = ledger.droppedOf(epoch);
  const edits = epoch.edits.filter((edit, index) => !dropped.has(index) && isProved(edit, history));
  if (edits.length === 0) return undefined;
  const earlier = ledger.groups.filter(({ seq }) => seq < epoch.seq);
  const before = project(history, earlier, count);
  const after = applyEdits(before, edits, { history, count });
  return {
    epochId: epoch.seq,
    cause: epoch.cause,
    isInForce: ledger.isStanding(epoch),
    tokensBefore: before.tokens,
    tokensAfter: after.tokens,
    changes: changeTextsOf(before, after, { history, count, lens }),
  };
}
