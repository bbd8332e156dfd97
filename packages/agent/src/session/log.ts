/**
 * One session's file. Every append is one write of whole lines, synced before it counts; a torn last line, which a crash may leave, is cut off
 * when the file is opened again.
 */
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Snapshot, StoredGroup } from '@holdover/engine';
import { AgentError } from '../errors.ts';
import { type HeaderRecord, LOG_VERSION, type NewRecord, type SessionRecord } from './records.ts';

export interface LoadedSession {
  readonly header: HeaderRecord;
  readonly messages: readonly object[];
  readonly groups: readonly StoredGroup[];
  readonly state: Omit<Snapshot, 'groups'> | undefined;
  /** Id of the record the next one follows. */
  readonly head: string;
  readonly nextId: number;
  /** Bytes that hold whole records; what follows is a torn line. */
  readonly wholeBytes: number;
}

export interface SessionLog {
  append(records: readonly NewRecord[]): Promise<void>;
  close(): Promise<void>;
}

function parseLine(line: string, number: number, path: string): SessionRecord {
  let record: Partial<SessionRecord> | null;
  try {
    record = JSON.parse(line) as Partial<SessionRecord> | null;
  } catch (error) {
    throw new AgentError(
      'session_unreadable',
      `${path}:${number} is not JSON; repair the line or start a new session`,
      { cause: error },
    );
  }
  if (typeof record?.v !== 'number' || typeof record.id !== 'string' || typeof record.type !== 'string') {
    throw new AgentError('session_unreadable', `${path}:${number} is no session record: v, id or type is missing`);
  }
  if (record.v > LOG_VERSION) {
    throw new AgentError(
      'session_unreadable',
      `${path}:${number} has version ${record.v}, newer than ${LOG_VERSION}; open it with the version that wrote it`,
    );
  }
  return record as SessionRecord;
}

/** The records from the first to the newest, along the parents: what the newest branch holds. */
function branchOf(records: readonly SessionRecord[]): readonly SessionRecord[] {
  const byId = new Map(records.map((record) => [record.id, record]));
  const branch: SessionRecord[] = [];
  const seen = new Set<string>();
  let record = records.at(-1);
  while (record !== undefined && !seen.has(record.id)) {
    seen.add(record.id);
    branch.push(record);
    record = record.parent === null ? undefined : byId.get(record.parent);
  }
  return branch.reverse();
}

/** Number of the next record. Records of other writers may have ids of this form too, in any order. */
function nextIdAfter(records: readonly SessionRecord[]): number {
  const numbers = records.map(({ id }) => Number(/^r(\d{1,15})$/.exec(id)?.[1] ?? 0));
  return numbers.reduce((most, number) => Math.max(most, number), records.length) + 1;
}

/** Never through a link: a session file is the workspace's own. */
async function readWhole(path: string): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Whole records of a log file. Throws `session_unreadable` for anything wrong before the last line. */
export async function loadSession(path: string): Promise<LoadedSession> {
  const bytes = await readWhole(path);
  const wholeBytes = bytes.lastIndexOf(0x0a) + 1;
  const lines = bytes.subarray(0, wholeBytes).toString('utf8').split('\n').slice(0, -1);
  const records = lines.map((line, index) => parseLine(line, index + 1, path));
  const branch = branchOf(records);
  const [header] = branch;
  if (header?.type !== 'session')
    throw new AgentError('session_unreadable', `${path} does not begin with a session record`);
  const states = branch.flatMap((record) => (record.type === 'state' ? [record.state] : []));
  return {
    header,
    messages: branch.flatMap((record) => (record.type === 'message' ? [record.message] : [])),
    groups: branch.flatMap((record) => (record.type === 'ledger' ? record.groups : [])),
    state: states.at(-1),
    head: branch.at(-1)?.id ?? header.id,
    nextId: nextIdAfter(records),
    wholeBytes,
  };
}

interface Place {
  readonly head: string | null;
  readonly nextId: number;
  /** Size of the file: what is behind it came from a write that failed. */
  readonly bytes: number;
}

function linesAt(place: Place, records: readonly NewRecord[]): { readonly text: string; readonly next: Place } {
  let { head, nextId } = place;
  const lines = records.map((record) => {
    const id = `r${nextId}`;
    const line = JSON.stringify({ v: LOG_VERSION, id, parent: head, ...record });
    head = id;
    nextId += 1;
    return `${line}\n`;
  });
  const text = lines.join('');
  return { text, next: { head, nextId, bytes: place.bytes + Buffer.byteLength(text) } };
}

function writer(file: FileHandle, start: Place): SessionLog {
  let place = start;
  return {
    async append(records) {
      if (records.length === 0) return;
      const { text, next } = linesAt(place, records);
      try {
        await file.appendFile(text);
        await file.datasync();
      } catch (error) {
        // A full disk may have taken half of it: the next append must not continue a torn line.
        await file.truncate(place.bytes).catch(() => undefined);
        throw error;
      }
      place = next;
    },
    close: () => file.close(),
  };
}

/** A new log; fails where the file exists. Owner-only. */
export async function createLog(
  path: string,
  header: Omit<HeaderRecord, 'v' | 'id' | 'parent' | 'type'>,
): Promise<SessionLog> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const log = writer(await open(path, 'ax', 0o600), { head: null, nextId: 1, bytes: 0 });
  await log.append([{ type: 'session', ...header }]);
  return log;
}

/** Goes on with a loaded log, its torn last line cut off. */
export async function reopenLog(path: string, session: LoadedSession): Promise<SessionLog> {
  const file = await open(path, constants.O_RDWR | constants.O_NOFOLLOW);
  await file.truncate(session.wholeBytes);
  await file.close();
  return writer(await open(path, 'a', 0o600), {
    head: session.head,
    nextId: session.nextId,
    bytes: session.wholeBytes,
  });
}
