/** What the index keeps of a call, and what it knows of files and of things that can be done again. */
import type { Place } from '../history.ts';
import type { Fact, FilePart, LineRange, Outcome } from '../lens.ts';

/** One tool call of the history. */
export interface CallRecord {
  /** Position among all calls, from 0. */
  readonly seq: number;
  /** Where the call stands. */
  readonly call: Place;
  readonly id: string;
  /** Of the tool. */
  readonly name: string;
  readonly fact: Fact;
  /** Where its result stands; absent while there is none. */
  readonly result?: Place | undefined;
  readonly outcome?: Outcome | undefined;
}

/** A call on one file. */
export interface Operation {
  readonly kind: 'read' | 'wrote' | 'edited';
  /** Asked for; absent: the whole file. */
  readonly lines?: LineRange;
  readonly record: CallRecord;
}

/** One file the calls were about. */
export interface FileRecord {
  /** As it was first written. */
  readonly path: string;
  /** All calls on it in order, those without result or with an error included. */
  readonly operations: readonly Operation[];
  /** The newest write or edit that succeeded. */
  readonly lastChange?: CallRecord;
  /** The newest call on it that succeeded. */
  readonly lastSuccess?: CallRecord;
  /** Reads that succeeded after `lastChange`, in order. */
  readonly freshReads: readonly Operation[];
}

/** Calls that ask for the same: one command line, one search, one address. */
export interface RepeatRecord {
  readonly records: readonly CallRecord[];
  /** The newest that came to an end: with a status, or without an error. */
  readonly lastDone?: CallRecord | undefined;
  readonly lastSuccess?: CallRecord | undefined;
}

export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Whether a result has come and is no error. */
export function succeeded({ outcome }: CallRecord): boolean {
  return outcome !== undefined && !outcome.isError;
}

/** Whether a command, or whatever can be repeated, came to its end: an interrupted run says nothing new. */
export function isDone({ outcome }: CallRecord): boolean {
  return outcome !== undefined && (!outcome.isError || outcome.exitCode !== undefined);
}

export function operationOf(kind: Operation['kind'], record: CallRecord, lines: LineRange | undefined): Operation {
  return lines === undefined ? { kind, record } : { kind, record, lines };
}

/** Files of a fact, or none. */
export function partsOf(fact: Fact): readonly FilePart[] {
  if (fact.kind !== 'read' && fact.kind !== 'wrote' && fact.kind !== 'edited') return [];
  return fact.also === undefined ? [fact] : [fact, ...fact.also];
}

/** What a repeatable call is known by, among those of its kind; undefined where two such calls may mean different things. */
export function repeatKey(fact: Fact): string | undefined {
  switch (fact.kind) {
    case 'ran':
      return fact.command;
    case 'searched':
      return `${fact.path ?? ''}\n${fact.query}`;
    case 'fetched':
      return fact.url;
    default:
      return undefined;
  }
}

const WHOLE: LineRange = { from: 1, to: Number.POSITIVE_INFINITY };

/** The lines a read really gave; undefined where it gave none. */
export function linesGiven({ lines = WHOLE, record }: Operation): LineRange | undefined {
  const last = record.outcome?.lastLine;
  if (last === undefined) return lines;
  return last < lines.from ? undefined : { from: lines.from, to: Math.min(last, lines.to) };
}
