/** A database as ours: who it belongs to, which version it has, how it writes. SQL of the schema and nothing of its contents. */
import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { ContextError } from '../core/errors.ts';

/** What of a prepared statement is used. */
export interface SqliteStatement {
  run(...values: unknown[]): unknown;
  get(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
}

/** What of a database is used: `Database` of libsql and better-sqlite3 and `DatabaseSync` of `node:sqlite` are such. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
}

export interface FileSettings {
  readonly tenant: string;
  readonly durable: boolean;
  readonly busyMs: number;
}

/** `HOLD`. */
const APPLICATION_ID = 0x48_4f_4c_44;
const VERSION = 1;

const SCHEMA = `
CREATE TABLE owner (tenant TEXT NOT NULL);
CREATE TABLE texts (
  id INTEGER PRIMARY KEY,
  address TEXT NOT NULL UNIQUE,
  form INTEGER NOT NULL,
  size INTEGER NOT NULL,
  used_ms INTEGER NOT NULL,
  is_indexed INTEGER NOT NULL DEFAULT 0,
  body BLOB NOT NULL
);
CREATE INDEX texts_waiting ON texts (id) WHERE is_indexed = 0;
CREATE TABLE uses (
  text INTEGER NOT NULL,
  session TEXT NOT NULL,
  tool TEXT NOT NULL,
  path TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  PRIMARY KEY (text, session, tool, path)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (
  text, names, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);
`;

const FILE_MODE = 0o600;

/** Tool output often holds secrets, and what SQLite writes beside a file has the file's mode. */
function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', FILE_MODE));
  for (const each of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(each)) chmodSync(each, FILE_MODE);
}

function numberOf(database: SqliteDatabase, name: 'application_id' | 'user_version'): number {
  const row = database.prepare(`PRAGMA ${name}`).get() as Readonly<Record<string, unknown>> | undefined;
  return Number(row?.[name] ?? 0);
}

/** Runs `work` as one change: all of it or none. */
export function inTransaction<Result>(database: SqliteDatabase, work: () => Result): Result {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    try {
      database.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back by itself where the disk is full.
    }
    throw error;
  }
}

const PAUSE_MS = 10;

/** The change to a write-ahead log does not wait for others by itself. */
function patiently(run: () => void, forMs: number): void {
  const untilMs = Date.now() + forMs;
  for (;;) {
    try {
      run();
      return;
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (!String(code).startsWith('SQLITE_BUSY') || Date.now() >= untilMs) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}

/** What stands in a file that is not one of ours, or of another tenant, or newer than this code. */
function refusal(database: SqliteDatabase, { tenant }: FileSettings): string | undefined {
  if (numberOf(database, 'application_id') !== APPLICATION_ID)
    return 'holds something else than an archive; give the archive a file of its own';
  const version = numberOf(database, 'user_version');
  if (version > VERSION)
    return `is of version ${version}, and this code reads ${VERSION}; open it with the version that wrote it`;
  const { isOurs } = (database.prepare('SELECT count(*) AS isOurs FROM owner WHERE tenant = ?').get(tenant) ?? {}) as {
    isOurs?: number;
  };
  return isOurs === 1 ? undefined : 'belongs to another tenant; give each tenant a file of its own';
}

function isNew(database: SqliteDatabase): boolean {
  const { count } = database.prepare('SELECT count(*) AS count FROM sqlite_master').get() as { count: number };
  return count === 0;
}

function create(database: SqliteDatabase, { tenant }: FileSettings): void {
  if (!isNew(database)) return;
  database.exec(SCHEMA);
  database.prepare('INSERT INTO owner (tenant) VALUES (?)').run(tenant);
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${VERSION}`);
}

/** The path of the database's file, empty for one in memory. */
export function fileOf(database: SqliteDatabase): string {
  const rows = database.prepare('PRAGMA database_list').all() as readonly { name: string; file: string | null }[];
  return rows.find(({ name }) => name === 'main')?.file ?? '';
}

/** Sets a database up, an empty one as an archive; what was wrong with it is thrown. */
function setUp(database: SqliteDatabase, file: string, settings: FileSettings): void {
  const name = nameOf(file);
  database.exec(`PRAGMA busy_timeout = ${settings.busyMs}`);
  // The file may have come with a folder from somebody else: views and triggers in it call nothing.
  database.exec('PRAGMA trusted_schema = OFF');
  if (file !== '') makePrivate(file);
  // Pages that are freed can only be given back where this stands before the first of them is written.
  if (isNew(database)) database.exec('PRAGMA auto_vacuum = INCREMENTAL');
  else refuse(database, name, settings);
  if (file !== '') patiently(() => void database.prepare('PRAGMA journal_mode = WAL').get(), settings.busyMs);
  database.exec(`PRAGMA synchronous = ${settings.durable ? 'FULL' : 'NORMAL'}`);
  if (isNew(database)) inTransaction(database, () => create(database, settings));
  refuse(database, name, settings);
}

function refuse(database: SqliteDatabase, name: string, settings: FileSettings): void {
  const why = refusal(database, settings);
  if (why !== undefined) throw new ContextError('ARCHIVE_FAILED', `${name} ${why}`);
}

function nameOf(file: string): string {
  return file === '' ? 'the database' : file;
}

/** Makes a database an archive's, or finds that it is one; what to call it in messages. Throws `ARCHIVE_FAILED`, and changes nothing then. */
export function openFile(database: SqliteDatabase, settings: FileSettings): string {
  let file = '';
  try {
    file = fileOf(database);
    setUp(database, file, settings);
    return nameOf(file);
  } catch (cause) {
    if (cause instanceof ContextError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ContextError('ARCHIVE_FAILED', `${nameOf(file)} could not be opened as an archive: ${reason}`, { cause });
  }
}
