/** An archive in one SQLite database, with full-text search. The database is the caller's; one file is one tenant. */

import {
  type Address,
  type Archive,
  archiveConflict,
  contentAddress,
  isContentAddress,
  requireContentAddress,
  type StoredText,
  type TextAbout,
} from '../core/archive.ts';
import { ContextError } from '../core/errors.ts';
import { pathKey } from '../core/facts/paths.ts';
import { sha256 } from '../storage/packed.ts';
import { inTransaction, openFile, type SqliteDatabase, type SqliteStatement } from '../storage/sqlite-file.ts';
import { asBytes, bindable, type Blob, bufferOf, packed, ROW, type Row, textOf } from '../storage/sqlite-rows.ts';
import { indexedText, matchExpressions, nameTerms, queryWords, snippetOf } from '../storage/terms.ts';

export type { SqliteDatabase, SqliteStatement } from '../storage/sqlite-file.ts';

/** Of `sqliteArchive`; all have defaults. */
export interface SqliteArchiveOptions {
  /** Who the texts belong to. A file that was begun for another is refused. @default '' */
  readonly tenant?: string;
  /** Wait until the disk has each text. Without it a power cut, though not a crash of the process, can lose the newest. @default true */
  readonly durable?: boolean;
  /** How long to wait for another process that writes, milliseconds. @default 5000 */
  readonly busyMs?: number;
}

/** What `sqliteArchive` does unless told otherwise. */
export const DEFAULT_SQLITE_ARCHIVE: Required<SqliteArchiveOptions> = { tenant: '', durable: true, busyMs: 5_000 };

/** Narrows a search. A text that was put away several times is found where one of them fits. */
export interface ArchiveFilters {
  /** Only what this tool said. */
  readonly tool?: string;
  /** Only what is about this file, by its name, its last folders and name, or its whole path. */
  readonly path?: string;
  /** Only what this session put away. */
  readonly session?: string;
  /** Only what was put away at this time or later, milliseconds since 1970. */
  readonly sinceMs?: number;
  /** Only what was put away before, milliseconds since 1970. */
  readonly untilMs?: number;
  /** Hits at most, 1 to 100. @default 10 */
  readonly limit?: number;
  /** Characters of a snippet at most, 40 to 10,000. @default 400 */
  readonly snippetChars?: number;
}

/** A text that answers a query. */
export interface ArchiveHit extends TextAbout {
  readonly address: Address;
  /** The stretch with most of the words, as it stands: secrets are still in it. */
  readonly snippet: string;
  /** Characters of the whole text. */
  readonly chars: number;
}

/** An archive that can be searched, over all sessions. */
export interface SqliteArchive extends Required<Archive> {
  /**
   * Texts with all words of `query`, best first; where none has all, with any. Without words, the newest that the filters let through. The
   * words are words: nothing in them is an operator.
   *
   * @throws ContextError INVALID_OPTION, ARCHIVE_FAILED
   */
  search(query: string, filters?: ArchiveFilters): Promise<readonly ArchiveHit[]>;
}

/** What was put and waits for its transaction: everything put in one go is one. */
interface Waiting {
  readonly address: Address;
  readonly text: string;
  readonly about: TextAbout;
  readonly done: (error?: unknown) => void;
}

interface ListedRow extends Omit<StoredText, 'address'> {
  readonly address: Blob;
}

interface UseRow {
  readonly session: Blob;
  readonly tool: Blob;
  readonly path: Blob;
  readonly atMs: number;
}

/** What waits for the index is taken in once it is this much, bytes as stored, or somebody searches. */
const INDEX_BYTES = 128 * 1024;

class Store implements SqliteArchive {
  readonly name = 'sqlite';
  readonly hash = sha256;
  readonly #database: SqliteDatabase;
  readonly #file: string;
  readonly #statements = new Map<string, SqliteStatement>();
  #waiting: Waiting[] = [];
  #unindexedBytes = 0;

  constructor(database: SqliteDatabase, options: Required<SqliteArchiveOptions>) {
    this.#database = database;
    this.#file = openFile(database, options);
  }

  async put(address: Address, text: string, about: TextAbout = {}): Promise<void> {
    requireContentAddress(address);
    if (contentAddress(text, sha256) !== address) throw archiveConflict(this.name, address);
    await new Promise<void>((resolve, reject) => {
      const done = (error?: unknown): void => (error === undefined ? resolve() : reject(error));
      this.#waiting.push({ address, text, about, done });
      if (this.#waiting.length === 1) queueMicrotask(() => this.#flush());
    });
  }

  async get(address: Address): Promise<string | undefined> {
    if (!isContentAddress(address)) return undefined;
    const row = this.#attempt(`read ${address}`, () => this.#row(address));
    if (row === undefined) return undefined;
    const text = textOf(row);
    if (text !== undefined) return text;
    throw new ContextError('ARCHIVE_FAILED', `${this.#file} no longer holds the text stored at ${address}`);
  }

  async list(): Promise<readonly StoredText[]> {
    const sql = `SELECT ${asBytes('address')}, length(body) AS bytes, CAST(used_ms AS INTEGER) AS usedMs FROM texts`;
    const rows = this.#attempt('list its texts', () => this.#sql(sql).all() as readonly ListedRow[]);
    return rows.map(({ address, bytes, usedMs }) => ({ address: bufferOf(address).toString(), bytes, usedMs }));
  }

  async remove(address: Address, { usedBeforeMs }: { readonly usedBeforeMs: number }): Promise<boolean> {
    if (!isContentAddress(address)) return false;
    return this.#attempt(`remove ${address}`, () => {
      const isGone = inTransaction(this.#database, () => this.#delete(address, usedBeforeMs));
      if (isGone) this.#sql(`PRAGMA incremental_vacuum(${FREED_PAGES})`).all();
      return isGone;
    });
  }

  async search(query: string, filters: ArchiveFilters = {}): Promise<readonly ArchiveHit[]> {
    const limit = wholeFrom('limit', filters.limit ?? 10, [1, 100]);
    const chars = wholeFrom('snippetChars', filters.snippetChars ?? 400, [40, 10_000]);
    const words = queryWords(query);
    if (words.length === 0 && query.trim() !== '') return [];
    return this.#attempt('search', () => {
      this.#index();
      const where = conditionsOf(filters);
      const found = words.length === 0 ? this.#newest(where, limit) : this.#matching(words, where, limit);
      return found.flatMap((id) => this.#hit(id, where, { words, chars }) ?? []);
    });
  }

  #sql(sql: string): SqliteStatement {
    const known = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }

  #attempt<Result>(action: string, run: () => Result): Result {
    try {
      return run();
    } catch (cause) {
      throw this.#failure(action, cause);
    }
  }

  #failure(action: string, cause: unknown): unknown {
    if (cause instanceof ContextError) return cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new ContextError('ARCHIVE_FAILED', `could not ${action} in ${this.#file}: ${reason}`, { cause });
  }

  #row(address: Address): Row | undefined {
    return this.#sql(`SELECT ${ROW} FROM texts WHERE address = ?`).get(address) as Row | undefined;
  }

  #flush(): void {
    const batch = this.#waiting;
    this.#waiting = [];
    try {
      const results = inTransaction(this.#database, () => batch.map((each) => this.#store(each)));
      batch.forEach(({ done }, index) => done(results[index]));
    } catch (error) {
      // One text too many for the disk takes no other with it; who waited for a lock in vain waits once.
      const isBusy = String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');
      if (isBusy || batch.length === 1)
        for (const { address, done } of batch) done(this.#failure(`store ${address}`, error));
      else for (const each of batch) this.#storeAlone(each);
    }
    if (this.#unindexedBytes < INDEX_BYTES) return;
    this.#unindexedBytes = 0;
    try {
      this.#index();
    } catch {
      // The texts are stored. Whoever searches tries again, and is told.
    }
  }

  #storeAlone(each: Waiting): void {
    try {
      const store = (): unknown => inTransaction(this.#database, () => this.#store(each));
      each.done(this.#attempt(`store ${each.address}`, store));
    } catch (error) {
      each.done(error);
    }
  }

  /** Stores one text within a transaction; the conflict, where there is one. */
  #store({ address, text, about }: Waiting): ContextError | undefined {
    const stored = this.#row(address);
    const storedText = stored === undefined ? undefined : textOf(stored);
    if (storedText !== undefined && storedText !== text) return archiveConflict(this.name, address);
    const nowMs = Date.now();
    if (storedText !== undefined) this.#sql('UPDATE texts SET used_ms = ? WHERE address = ?').run(nowMs, address);
    else this.#write(address, text, nowMs);
    this.#noteUse(address, about, nowMs);
    return undefined;
  }

  #write(address: Address, text: string, nowMs: number): void {
    const { form, size, body } = packed(text);
    this.#sql(
      `INSERT INTO texts (address, form, size, used_ms, body) VALUES (?, ?, ?, ?, ?) ON CONFLICT (address)
       DO UPDATE SET form = excluded.form, size = excluded.size, used_ms = excluded.used_ms, body = excluded.body, is_indexed = 0`,
    ).run(address, form, size, nowMs, body);
    this.#unindexedBytes += body.length;
  }

  #noteUse(address: Address, about: TextAbout, nowMs: number): void {
    const { id } = this.#sql('SELECT id FROM texts WHERE address = ?').get(address) as { id: number };
    const { atMs = nowMs } = about;
    const [session, tool] = [bindable(about.session ?? ''), bindable(about.tool ?? '')];
    const path = about.path === undefined ? '' : bindable(pathKey(about.path));
    const isKnown = this.#sql('SELECT 1 FROM uses WHERE text = ? AND path = ?').get(id, path) !== undefined;
    this.#sql(
      `INSERT INTO uses (text, session, tool, path, at_ms) VALUES (?, ?, ?, ?, ?) ON CONFLICT (text, session, tool, path)
       DO UPDATE SET at_ms = max(at_ms, excluded.at_ms)`,
    ).run(id, session, tool, path, Math.floor(atMs));
    // It is found by the names of all files it was about.
    if (!isKnown && path !== '') this.#sql('UPDATE texts SET is_indexed = 0 WHERE id = ?').run(id);
  }

  #delete(address: Address, usedBeforeMs: number): boolean {
    const row = this.#sql('SELECT id FROM texts WHERE address = ? AND used_ms < ?').get(address, usedBeforeMs) as
      | { id: number }
      | undefined;
    if (row === undefined) return false;
    for (const sql of [
      'DELETE FROM words WHERE rowid = ?',
      'DELETE FROM uses WHERE text = ?',
      'DELETE FROM texts WHERE id = ?',
    ])
      this.#sql(sql).run(row.id);
    return true;
  }

  /** Takes into the index what waits for it, some at a time: another process gets its turn between. */
  #index(): void {
    for (;;) {
      const isLast = inTransaction(this.#database, () => this.#indexSome());
      if (isLast) break;
    }
    this.#unindexedBytes = 0;
  }

  #indexSome(): boolean {
    const rows = this.#sql(
      `SELECT ${ROW} FROM texts WHERE is_indexed = 0 ORDER BY id LIMIT ${INDEX_ROWS}`,
    ).all() as readonly Row[];
    for (const row of rows) {
      const uses = this.#sql(`SELECT DISTINCT ${asBytes('path')} FROM uses WHERE text = ? AND path <> ''`);
      const paths = (uses.all(row.id) as readonly { path: Blob }[]).map(({ path }) => bufferOf(path).toString());
      // What is damaged is found by nobody, and says so when it is asked for.
      const text = indexedText(textOf(row) ?? '');
      this.#sql('INSERT OR REPLACE INTO words (rowid, text, names) VALUES (?, ?, ?)').run(
        row.id,
        text,
        nameTerms(text, paths),
      );
      this.#sql('UPDATE texts SET is_indexed = 1 WHERE id = ?').run(row.id);
    }
    return rows.length < INDEX_ROWS;
  }

  #newest({ sql, values }: Conditions, limit: number): readonly number[] {
    const rows = this.#sql(
      `SELECT text AS id, max(at_ms) AS at FROM uses u WHERE 1 = 1${sql} GROUP BY text ORDER BY at DESC LIMIT ?`,
    ).all(...values, limit);
    return (rows as readonly { id: number }[]).map(({ id }) => id);
  }

  #matching(words: readonly string[], { sql, values }: Conditions, limit: number): readonly number[] {
    const exists = sql === '' ? '' : ` AND EXISTS (SELECT 1 FROM uses u WHERE u.text = words.rowid${sql})`;
    for (const expression of matchExpressions(words)) {
      const rows = this.#sql(
        `SELECT rowid AS id FROM words WHERE words MATCH ?${exists} ORDER BY bm25(words, 1.0, ${NAME_WEIGHT}) LIMIT ?`,
      ).all(expression, ...values, limit) as readonly { id: number }[];
      if (rows.length > 0) return rows.map(({ id }) => id);
    }
    return [];
  }

  #hit(
    id: number,
    { sql, values }: Conditions,
    show: { words: readonly string[]; chars: number },
  ): ArchiveHit | undefined {
    const row = this.#sql(`SELECT ${ROW} FROM texts WHERE id = ?`).get(id) as Row | undefined;
    const text = row === undefined ? undefined : textOf(row);
    const use = this.#sql(
      `SELECT ${asBytes('session')}, ${asBytes('tool')}, ${asBytes('path')}, CAST(at_ms AS INTEGER) AS atMs
       FROM uses u WHERE text = ?${sql} ORDER BY at_ms DESC LIMIT 1`,
    ).get(id, ...values) as UseRow | undefined;
    if (row === undefined || text === undefined || use === undefined) return undefined;
    const told = (['session', 'tool', 'path'] as const).map((key) => [key, bufferOf(use[key]).toString()] as const);
    const known = told.filter(([, value]) => value !== '');
    return {
      address: bufferOf(row.address).toString(),
      snippet: snippetOf(text, show.words, show.chars),
      chars: text.length,
      atMs: use.atMs,
      ...Object.fromEntries(known),
    };
  }
}

/** Texts indexed in one transaction. */
const INDEX_ROWS = 64;

/** Pages given back to the disk with each text that is removed, at most. */
const FREED_PAGES = 4_000;

/** What a name counts beside a word. */
const NAME_WEIGHT = 4;

interface Conditions {
  /** Begins with ` AND` where there are any; about the uses `u`. */
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

function conditionsOf({ tool, path, session, sinceMs, untilMs }: ArchiveFilters): Conditions {
  const parts: (readonly [sql: string, ...values: (string | number)[]])[] = [];
  if (tool !== undefined) parts.push(['u.tool = ?', bindable(tool)]);
  if (session !== undefined) parts.push(['u.session = ?', bindable(session)]);
  if (sinceMs !== undefined) parts.push(['u.at_ms >= ?', sinceMs]);
  if (untilMs !== undefined) parts.push(['u.at_ms < ?', untilMs]);
  if (path !== undefined) {
    const key = bindable(pathKey(path)).replace(/^\//, '');
    const tail = `%/${key.replaceAll(/[\\%_]/g, String.raw`\$&`)}`;
    parts.push([String.raw`(u.path = ? OR '/' || u.path LIKE ? ESCAPE '\')`, key, tail]);
  }
  return { sql: parts.map(([sql]) => ` AND ${sql}`).join(''), values: parts.flatMap(([, ...values]) => values) };
}

function wholeFrom(name: string, value: number, [least, most]: readonly [number, number]): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new ContextError(
    'INVALID_OPTION',
    `${name} must be a whole number from ${least} to ${most}, got ${String(value)}`,
  );
}

/**
 * Keeps texts in `database`, which is opened and closed by the caller and is for this archive alone: compressed, one row an address, readable by its
 * owner only, with what was told about each and an index over all. Several processes may have the file open. Blocks
 * while it reads and writes, as SQLite in a process does.
 *
 * @throws ContextError ARCHIVE_FAILED for a file that holds something else, is of another tenant or of a newer version
 */
export function sqliteArchive(database: SqliteDatabase, options: SqliteArchiveOptions = {}): SqliteArchive {
  return new Store(database, { ...DEFAULT_SQLITE_ARCHIVE, ...options });
}
