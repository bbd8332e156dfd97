import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import Database from 'libsql';
import { afterAll, describe, expect, it } from 'vitest';
import { type SqliteArchive, type SqliteArchiveOptions, sqliteArchive } from '../../src/archives/sqlite.ts';
import { type Archive, contentAddress } from '../../src/core/archive.ts';
import { sha256Hex } from '../../src/core/sha256.ts';
import { archiveConformance } from '../../src/testing/archive-conformance.ts';
import { anyText } from './any-text.ts';

const root = mkdtempSync(join(tmpdir(), 'holdover-sqlite-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;
const freshFile = (): string => join(root, `archive-${(count += 1)}.db`);
const open = (file: string, options?: SqliteArchiveOptions): SqliteArchive =>
  sqliteArchive(new Database(file), options);
const addressOf = (text: string): string => contentAddress(text, sha256Hex);

const LOG = 'error: cannot find module in line 12\n'.repeat(200);
const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe('sqliteArchive', () => {
  const files = new WeakMap<Archive, string>();
  const cases = archiveConformance({
    create: async () => {
      const file = freshFile();
      const archive = open(file, { durable: false });
      files.set(archive, file);
      return archive;
    },
    reopen: async (archive) => open(files.get(archive) ?? '', { durable: false }),
  });
  it.each(cases)('$name', ({ run }) => run());

  it('gives back any text, also to another archive over the same file', async () => {
    const file = freshFile();
    const [one, other] = [open(file, { durable: false }), open(file)];
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        await one.put(addressOf(text), text);
        expect(await other.get(addressOf(text))).toBe(text);
      }),
      { numRuns: 200 },
    );
  });

  it('is readable by its owner only, with all that SQLite writes beside it', async () => {
    const file = freshFile();
    writeFileSync(file, '', { mode: 0o666 });
    const archive = open(file);
    await archive.put(addressOf(LOG), LOG);
    for (const name of [file, `${file}-wal`, `${file}-shm`]) expect([name, modeOf(name)]).toEqual([name, 0o600]);
  });

  it('keeps long texts compressed, and each once', async () => {
    const file = freshFile();
    const archive = open(file);
    for (let i = 0; i < 5; i += 1) await archive.put(addressOf(LOG), LOG);
    expect(await archive.list()).toEqual([
      { address: addressOf(LOG), bytes: deflateRawSync(LOG, { level: 6 }).length, usedMs: expect.any(Number) },
    ]);
  });

  it.each([
    ['cut short', 'UPDATE texts SET body = substr(body, 1, 20)', LOG],
    ['one byte of it', "UPDATE texts SET body = substr(body, 1, 5) || x'00' || substr(body, 7)", LOG],
    ['another size', 'UPDATE texts SET size = size - 1', LOG],
    ['a size that would fill the memory', 'UPDATE texts SET size = 9000000000', LOG],
    ['a form it has not', 'UPDATE texts SET form = 1', LOG],
    ['a short one', "UPDATE texts SET body = x'ff'", 'short'],
  ])('names a damaged text, and repairs it when it is put again: %s', async (_name, damage, text) => {
    const file = freshFile();
    const database = new Database(file);
    const archive = sqliteArchive(database);
    await archive.put(addressOf(text), text);
    database.exec(damage);
    await expect(archive.get(addressOf(text))).rejects.toMatchObject({
      code: 'ARCHIVE_FAILED',
      message: `${file} no longer holds the text stored at ${addressOf(text)}`,
    });
    await archive.put(addressOf(text), text);
    expect(await archive.get(addressOf(text))).toBe(text);
  });

  it('spends no memory on what claims to be small and is not', async () => {
    const database = new Database(freshFile());
    const archive = sqliteArchive(database);
    await archive.put(addressOf(LOG), LOG);
    const bomb = deflateRawSync(Buffer.alloc(300 * 1024 * 1024));
    // A single value that is an object would be taken for names.
    database.prepare('UPDATE texts SET body = ? WHERE id = ?').run(bomb, 1);
    const before = process.memoryUsage().rss;
    await expect(archive.get(addressOf(LOG))).rejects.toMatchObject({ code: 'ARCHIVE_FAILED' });
    expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1024 * 1024);
  });

  it('refuses a file of a newer version, and changes nothing in it', () => {
    const file = freshFile();
    open(file);
    const database = new Database(file);
    database.exec('PRAGMA user_version = 2');
    expect(() => sqliteArchive(database)).toThrow(
      expect.objectContaining({
        code: 'ARCHIVE_FAILED',
        message: `${file} is of version 2, and this code reads 1; open it with the version that wrote it`,
      }),
    );
  });

  it.each([
    ['a database of something else', (file: string) => void new Database(file).exec('CREATE TABLE mine (x)')],
    ['no database', (file: string) => writeFileSync(file, 'notes of mine\n'.repeat(100))],
  ])('refuses %s, and leaves it as it is', (_name, make) => {
    const file = freshFile();
    make(file);
    const before = readFileSync(file);
    expect(() => open(file)).toThrow(expect.objectContaining({ code: 'ARCHIVE_FAILED' }));
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('says so where the database is closed', () => {
    const closed = new Database(freshFile());
    closed.close();
    expect(() => sqliteArchive(closed)).toThrow(expect.objectContaining({ code: 'ARCHIVE_FAILED' }));
  });

  it('gives one tenant nothing of another', async () => {
    const [mine, theirs] = [freshFile(), freshFile()];
    await open(mine, { tenant: 'mine' }).put(addressOf(LOG), LOG);
    expect(await open(theirs, { tenant: 'theirs' }).get(addressOf(LOG))).toBeUndefined();
    expect(() => open(mine, { tenant: 'theirs' })).toThrow(
      expect.objectContaining({
        code: 'ARCHIVE_FAILED',
        message: `${mine} belongs to another tenant; give each tenant a file of its own`,
      }),
    );
    expect(await open(mine, { tenant: 'mine' }).get(addressOf(LOG))).toBe(LOG);
  });

  it('waits for a process that writes, and says so where it waits in vain', async () => {
    const file = freshFile();
    const archive = open(file, { busyMs: 50 });
    const other = new Database(file);
    other.exec('BEGIN IMMEDIATE');
    const both = await Promise.allSettled([archive.put(addressOf('a'), 'a'), archive.put(addressOf('b'), 'b')]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    other.exec('ROLLBACK');
    await archive.put(addressOf('a'), 'a');
    expect(await archive.get(addressOf('a'))).toBe('a');
  });

  it('gives the disk back what is removed', async () => {
    const file = freshFile();
    const database = new Database(file);
    const archive = sqliteArchive(database);
    const texts = Array.from({ length: 200 }, (_, i) => `${i} `.padEnd(9_000, String(i * 2_654_435_761)));
    await Promise.all(texts.map((text) => archive.put(addressOf(text), text)));
    const pages = (): number =>
      Number((database.prepare('PRAGMA page_count').get() as { page_count: number }).page_count);
    await archive.search('nothing');
    const full = pages();
    for (const text of texts) await archive.remove(addressOf(text), { usedBeforeMs: Number.MAX_SAFE_INTEGER });
    expect(pages()).toBeLessThan(full / 2);
    expect(await archive.list()).toEqual([]);
    expect(await archive.search('0')).toEqual([]);
  });
});
