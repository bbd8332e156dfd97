/** What the log has to be told after the context moved without a reply: an undo, a rewind, a compaction kept between turns. */
import type { Context } from '@holdover/engine';
import type { NewRecord } from './records.ts';

export interface Move {
  /** Number of the newest group of the ledger in the log. */
  readonly loggedSeq: number;
  /** For a rewind: how many messages it kept. */
  readonly rewoundTo?: number;
}

/**
 * The records of a move, to be appended at once, and the number of the newest group then logged. The rewind comes before the groups it made: a
 * log cut between them holds the shorter history, over which the engine drops the same edits.
 */
export function moveRecords(
  context: Pick<Context<object, object>, 'snapshot'>,
  { loggedSeq, rewoundTo }: Move,
): { readonly records: readonly NewRecord[]; readonly loggedSeq: number } {
  const { groups, ...state } = context.snapshot(loggedSeq);
  return {
    records: [
      ...(rewoundTo === undefined ? [] : [{ type: 'rewind' as const, length: rewoundTo }]),
      ...(groups.length === 0 ? [] : [{ type: 'ledger' as const, groups }]),
      { type: 'state' as const, state },
    ],
    loggedSeq: groups.at(-1)?.seq ?? loggedSeq,
  };
}
