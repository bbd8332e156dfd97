/** Writing one session's file. Every append is one write of whole lines, synced before it counts. */
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { notWritten } from './not-written.ts';
import type { LoadedSession } from './read-log.ts';
import { type HeaderRecord, LOG_VERSION, type NewRecord } from './records.ts';

export interface SessionLog {
  append(records: readonly NewRecord[]): Promise<void>;
  close(): Promise<void>;
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

function writer(path: string, file: FileHandle, start: Place): SessionLog {
  let place = start;
  /** Behind `place` there may be half a line. */
  let isTorn = false;
  const cutBack = async (): Promise<void> => {
    await file.truncate(place.bytes);
    isTorn = false;
  };
  return {
    async append(records) {
      if (records.length === 0) return;
      const { text, next } = linesAt(place, records);
      try {
        if (isTorn) await cutBack();
        isTorn = true;
        await file.appendFile(text);
        await file.datasync();
        isTorn = false;
      } catch (error) {
        // A full disk may have taken half of it: the next append must not continue a torn line.
        if (isTorn) await cutBack().catch(() => undefined);
        throw notWritten(path, error);
      }
      place = next;
    },
    close: () => file.close(),
  };
}

/** A new log; fails where the file exists, and leaves none where it could not be begun. Owner-only. */
export async function createLog(
  path: string,
  header: Omit<HeaderRecord, 'v' | 'id' | 'parent' | 'type'>,
): Promise<SessionLog> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const log = writer(path, await open(path, 'ax', 0o600), { head: null, nextId: 1, bytes: 0 });
  try {
    await log.append([{ type: 'session', ...header }]);
  } catch (error) {
    await log.close();
    await rm(path, { force: true });
    throw error;
  }
  return log;
}

/** Goes on with a loaded log, its torn last line cut off. */
export async function reopenLog(path: string, session: LoadedSession): Promise<SessionLog> {
  const file = await open(path, constants.O_RDWR | constants.O_NOFOLLOW);
  await file.truncate(session.wholeBytes);
  await file.close();
  return writer(path, await open(path, 'a', 0o600), {
    head: session.head,
    nextId: session.nextId,
    bytes: session.wholeBytes,
  });
}
