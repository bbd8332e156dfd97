/** What reaches the session log, and in which order: a log cut anywhere is a state that was. */
import { redactMessage } from '@holdover/engine';
import type { Called } from '../loop/call-model.ts';
import { factRecord } from '../session/facts.ts';
import { moveRecords } from '../session/moves.ts';
import type { NewRecord } from '../session/records.ts';
import type { Parts } from './parts.ts';

export type Logging = Pick<
  Parts,
  | 'options'
  | 'log'
  | 'context'
  | 'cost'
  | 'ports'
  | 'todos'
  | 'loggedSeq'
  | 'loggedTodos'
  | 'unlogged'
  | 'provider'
  | 'sealer'
>;

/** Writes records, those first that a failed write left: what was accepted has to reach the log in order. */
async function write(parts: Logging, records: readonly NewRecord[]): Promise<void> {
  await parts.log.append([...parts.unlogged, ...records]);
  parts.unlogged = [];
}

/** Like `write`, for what has happened already: records of a failed write go with the next. */
async function writeDecided(parts: Logging, records: readonly NewRecord[]): Promise<void> {
  await write(parts, records).catch((error: unknown) => {
    parts.unlogged = [...parts.unlogged, ...records];
    throw error;
  });
}

/** Ledger first, then the reply it was made for, sealed with what was sent, then what was learned and what it cost. */
export async function logAccepted(parts: Logging, called: Called): Promise<void> {
  const { message, usage } = called.decoded;
  const at = parts.ports.now();
  const { groups, ...state } = parts.context.snapshot(parts.loggedSeq);
  parts.loggedSeq = groups.at(-1)?.seq ?? parts.loggedSeq;
  const sent = parts.sealer.seal(parts.provider.codec.messages(called.turn.request));
  await writeDecided(parts, [
    ...(groups.length === 0 ? [] : [{ type: 'ledger' as const, groups }]),
    ...(message === undefined ? [] : [{ type: 'message' as const, message, sent, at, ...(usage && { usage }) }]),
    { type: 'state', state },
    factRecord('cost', parts.cost.snapshot()),
  ]);
}

/** What an operation between two turns decided: a compaction, an undo, a rewind to `rewoundTo` messages. */
export async function logMove(parts: Logging, rewoundTo?: number): Promise<void> {
  const { loggedSeq } = parts;
  const move = moveRecords(parts.context, rewoundTo === undefined ? { loggedSeq } : { loggedSeq, rewoundTo });
  parts.loggedSeq = move.loggedSeq;
  await writeDecided(parts, [...move.records, factRecord('cost', parts.cost.snapshot())]);
}

/** The messages as the history keeps them: the log must not hold what the history does not. */
function keptOf({ options, provider }: Logging, messages: readonly object[]): readonly object[] {
  if (options.context?.redact !== 'arrival') return messages;
  return messages.map((message) => redactMessage(message, provider.codec).message);
}

/** Takes messages into log and history, and the task list with them where it has changed. */
export async function appendLogged(parts: Logging, messages: readonly object[]): Promise<void> {
  const { items } = parts.todos;
  const hasNewTodos = items !== parts.loggedTodos;
  const at = parts.ports.now();
  const kept = keptOf(parts, messages);
  await write(parts, [
    ...kept.map((message) => ({ type: 'message' as const, message, at })),
    ...(hasNewTodos ? [factRecord('todos', items)] : []),
  ]);
  parts.loggedTodos = items;
  parts.context.append(kept);
}
