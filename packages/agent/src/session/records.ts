/**
 * The session log's records: an append-only tree in one JSON Lines file, entries and ledger together. Unknown types are kept and skipped; a file
 * with a higher `v` is read and never written.
 */
import type { Snapshot, StoredGroup, Usage } from '@holdover/engine';
import type { Seal } from '@holdover/engine/proof';

export const LOG_VERSION = 1;

interface RecordBase {
  readonly v: number;
  /** Unique in the file. */
  readonly id: string;
  /** The record this one follows; null for the first. */
  readonly parent: string | null;
}

export interface HeaderRecord extends RecordBase {
  readonly type: 'session';
  readonly sessionId: string;
  readonly createdAt: string;
  readonly provider: string;
  readonly model: string;
  /** The session this one is a copy of. */
  readonly forkedFrom?: string;
}

export interface MessageRecord extends RecordBase {
  readonly type: 'message';
  /** The wire message, as it was sent or received. */
  readonly message: object;
  /** When it was logged, milliseconds since 1970; absent in copies and in logs of earlier versions. */
  readonly at?: number;
  /** Of a reply, as it was billed; absent likewise. */
  readonly usage?: Usage;
  /** Of a reply: what the request held that it answers. Older logs have none. */
  readonly sent?: Seal;
}

export interface LedgerRecord extends RecordBase {
  readonly type: 'ledger';
  readonly groups: readonly StoredGroup[];
}

/** What the context learned: replaces the one before. */
export interface StateRecord extends RecordBase {
  readonly type: 'state';
  readonly state: Omit<Snapshot, 'groups'>;
}

/** The history goes on from its first `length` messages; what the ledger says about it stands in a ledger record behind this one. */
export interface RewindRecord extends RecordBase {
  readonly type: 'rewind';
  readonly length: number;
}

/** Something about the session that is no message and has to survive a resume, such as `title` or `todos`: the newest of a name counts. */
export interface FactRecord extends RecordBase {
  readonly type: 'fact';
  readonly name: string;
  readonly value: unknown;
}

export type SessionRecord = HeaderRecord | MessageRecord | LedgerRecord | StateRecord | RewindRecord | FactRecord;

type Unplaced<R> = R extends SessionRecord ? Omit<R, 'v' | 'id' | 'parent'> : never;

/** A record before the log gave it its place. */
export type NewRecord = Unplaced<SessionRecord>;
