/** The archive of a workspace: one file a text, or one SQLite file. Either is read where the other has been in use. */
import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Archive, StoredText } from '@holdover/engine';
import { fsArchive } from '@holdover/engine/archives/fs';
import { type SqliteArchive, sqliteArchive } from '@holdover/engine/archives/sqlite';
import type Database from 'libsql';
import { AgentError } from '../errors.ts';
import { ensureFolder, RESULTS_FOLDER } from './sessions.ts';

/** Where texts that leave the context are kept: as files, or in SQLite, where they can be searched over all sessions. */
export type ArchiveKind = 'fs' | 'sqlite';

/** The SQLite archive of a workspace. */
export const ARCHIVE_FILE: string = join(dirname(RESULTS_FOLDER), 'archive.db');

export interface WorkspaceArchive extends Required<Archive> {
  /** Rejects with `archive_unavailable` where what the archive needs is not installed. Makes nothing. */
  ready(): Promise<void>;
  /** Closes what is open; what is asked for afterwards opens it again. */
  close(): Promise<void>;
}

interface OpenDatabase {
  readonly archive: SqliteArchive;
  close(): void;
}

async function loadDriver(): Promise<typeof Database> {
  try {
    return (await import('libsql')).default;
  } catch (cause) {
    const advice = 'install it beside holdover (npm install libsql@0.5.29), or set "archive" to "fs"';
    throw new AgentError('archive_unavailable', `the SQLite archive needs the package libsql: ${advice}`, { cause });
  }
}

async function openDatabase(root: string): Promise<OpenDatabase> {
  const Driver = await loadDriver();
  await ensureFolder(root, dirname(RESULTS_FOLDER));
  const file = join(root, ARCHIVE_FILE);
  if ((await isThere(file)) === 'other')
    throw new AgentError('invalid_workspace', `${file} has to be a file, not a link or a folder; move it away`);
  const database = new Driver(file);
  try {
    return { archive: sqliteArchive(database), close: () => database.close() };
  } catch (error) {
    database.close();
    throw error;
  }
}

async function isThere(file: string): Promise<'file' | 'other' | 'nothing'> {
  const stats = await lstat(file).catch(() => undefined);
  if (stats === undefined) return 'nothing';
  return stats.isFile() ? 'file' : 'other';
}

/** One entry an address, where both archives have it. */
function merged(lists: readonly (readonly StoredText[])[]): readonly StoredText[] {
  const found = new Map<string, StoredText>();
  for (const { address, bytes, usedMs } of lists.flat()) {
    const other = found.get(address);
    found.set(address, { address, bytes: bytes + (other?.bytes ?? 0), usedMs: Math.max(usedMs, other?.usedMs ?? 0) });
  }
  return [...found.values()];
}

/** The archive of the workspace `root`. `kind` is where texts are put. */
export function workspaceArchive(root: string, kind: ArchiveKind = 'fs'): WorkspaceArchive {
  const files = fsArchive(join(root, RESULTS_FOLDER)) as Required<Archive>;
  let folder: Promise<string> | undefined;
  let opened: Promise<OpenDatabase> | undefined;
  const database = async (): Promise<SqliteArchive> => (await (opened ??= openDatabase(root))).archive;
  /** The database, where there is one: reading makes none. */
  const known = async (): Promise<Required<Archive> | undefined> =>
    opened !== undefined || (await isThere(join(root, ARCHIVE_FILE))) === 'file' ? database() : undefined;
  const [own, other] = kind === 'fs' ? [async () => files, known] : [known, async () => files];
  return {
    name: kind,
    hash: files.hash,
    async put(address, text, about) {
      if (kind === 'sqlite') return (await database()).put(address, text, about);
      await (folder ??= ensureFolder(root, RESULTS_FOLDER));
      return files.put(address, text, about);
    },
    async get(address) {
      const text = await (await own())?.get(address);
      if (text !== undefined) return text;
      // What cannot be opened has nothing to give.
      return (await other().catch(() => undefined))?.get(address);
    },
    async list() {
      return merged([(await (await own())?.list()) ?? [], (await (await other())?.list()) ?? []]);
    },
    async remove(address, limit) {
      const here = (await (await own())?.remove(address, limit)) ?? false;
      const there = (await (await other())?.remove(address, limit)) ?? false;
      return here || there;
    },
    async ready() {
      if (kind === 'sqlite') await loadDriver();
    },
    async close() {
      const open = opened;
      opened = undefined;
      (await open?.catch(() => undefined))?.close();
    },
  };
}
