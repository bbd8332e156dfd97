/** What reaches the session log, and in which order: a log cut anywhere is a state that was. */
import type { Called } from '../loop/call-model.ts';
import type { NewRecord } from '../session/records.ts';
import type { Parts } from './parts.ts';

type Logging = Pick<Parts, 'log' | 'context' | 'loggedSeq' | 'unlogged'>;

/** Writes records, those first that a failed write left: what was accepted has to reach the log in order. */
async function write(parts: Logging, records: readonly NewRecord[]): Promise<void> {
  await parts.log.append([...parts.unlogged, ...records]);
  parts.unlogged = [];
}

/** What the context decided since the last write, as records around `between`. */
async function writeState(parts: Logging, between: readonly NewRecord[]): Promise<void> {
  const { groups, ...state } = parts.context.snapshot(parts.loggedSeq);
  const records: readonly NewRecord[] = [
    ...(groups.length === 0 ? [] : [{ type: 'ledger' as const, groups }]),
    ...between,
    { type: 'state' as const, state },
  ];
  parts.loggedSeq = groups.at(-1)?.seq ?? parts.loggedSeq;
  await write(parts, records).catch((error: unknown) => {
    parts.unlogged = [...parts.unlogged, ...records];
    throw error;
  });
}

/** Ledger first, then the reply it was made for, then what was learned. */
export function logAccepted(parts: Logging, called: Called): Promise<void> {
  const { message } = called.decoded;
  return writeState(parts, message === undefined ? [] : [{ type: 'message', message }]);
}

/** What an operation between two turns decided. */
export function logDecided(parts: Logging): Promise<void> {
  return writeState(parts, []);
}

/** Takes messages into log and history. */
export async function appendLogged(parts: Logging, messages: readonly object[]): Promise<void> {
  await write(
    parts,
    messages.map((message) => ({ type: 'message', message })),
  );
  parts.context.append(messages);
}
