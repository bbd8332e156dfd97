/** Whether a later call made a result worthless: what it shows is shown again, is no longer so, or was put right. */
import type { Place } from '../history.ts';
import {
  type CallRecord,
  type FileRecord,
  linesGiven,
  type Operation,
  operationOf,
  partsOf,
  type RepeatRecord,
} from './call-record.ts';

/** Why a result is worth less than what came after it. */
export type SupersededHow = 'changed' | 'read-again' | 'run-again' | 'fixed';

export interface Superseded {
  /** The file was changed since; its lines were read again; the same was run or searched again; the error was put right. */
  readonly how: SupersededHow;
  /** The newest call that did it. */
  readonly by: CallRecord;
  /** Where that call's result stands. */
  readonly result: Place;
}

/** What the rules ask the index. */
export interface Known {
  file(path: string): FileRecord | undefined;
  repeats(record: CallRecord): RepeatRecord | undefined;
}

/** Newer reads looked at for one that covers an older: more would make many readings of parts of one large file slow. */
const MAX_READS = 64;

function after(record: CallRecord, by: CallRecord | undefined): CallRecord | undefined {
  return by !== undefined && by.seq > record.seq ? by : undefined;
}

/** The newest read that gives all lines `read` gave. */
function coveringRead(read: Operation, { freshReads }: FileRecord): CallRecord | undefined {
  const lines = linesGiven(read);
  const last = Math.max(0, freshReads.length - MAX_READS);
  for (let i = freshReads.length - 1; i >= last; i -= 1) {
    const other = freshReads[i];
    if (other === undefined || other.record.seq <= read.record.seq) return undefined;
    const given = linesGiven(other);
    if (given === undefined) continue;
    if (lines === undefined || (given.from <= lines.from && given.to >= lines.to)) return other.record;
  }
  return undefined;
}

interface Reason {
  readonly how: SupersededHow;
  readonly by: CallRecord;
}

function ofPart(operation: Operation, file: FileRecord): Reason | undefined {
  const { record, kind } = operation;
  if (record.outcome?.isError === true) {
    const by = after(record, kind === 'read' ? file.lastSuccess : file.lastChange);
    return by === undefined ? undefined : { how: 'fixed', by };
  }
  const change = after(record, file.lastChange);
  if (change !== undefined) return { how: 'changed', by: change };
  // What a change answered is shown by any later reading of the whole.
  const by = coveringRead(kind === 'read' ? operation : { kind, record }, file);
  return by === undefined ? undefined : { how: 'read-again', by };
}

/** Every file of the call has to be superseded; the newest reason is given. */
function ofFiles(record: CallRecord, known: Known): Reason | undefined {
  const { fact } = record;
  if (fact.kind !== 'read' && fact.kind !== 'wrote' && fact.kind !== 'edited') return undefined;
  let newest: Reason | undefined;
  for (const { path, lines } of partsOf(fact)) {
    const file = known.file(path);
    const reason = file === undefined ? undefined : ofPart(operationOf(fact.kind, record, lines), file);
    if (reason === undefined) return undefined;
    if (newest === undefined || reason.by.seq > newest.by.seq) newest = reason;
  }
  return newest;
}

function ofRepeats(record: CallRecord, known: Known): Reason | undefined {
  const repeats = known.repeats(record);
  const by = after(record, repeats?.lastDone);
  if (by === undefined) return undefined;
  const isFixed = record.outcome?.isError === true && after(record, repeats?.lastSuccess) !== undefined;
  return { how: isFixed ? 'fixed' : 'run-again', by };
}

/** What superseded the result of `record`, if anything did. */
export function supersedingOf(record: CallRecord, known: Known): Superseded | undefined {
  if (record.outcome === undefined) return undefined;
  const reason = ofFiles(record, known) ?? ofRepeats(record, known);
  return reason?.by.result === undefined ? undefined : { ...reason, result: reason.by.result };
}
