import { randomBytes } from 'node:crypto';
import type * as FsPromises from 'node:fs/promises';
import { chmod, mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, type Mock, vi } from 'vitest';
import { fsArchive } from '../../src/archives/fs.ts';
import { type Archive, contentAddress } from '../../src/core/archive.ts';
import { sha256Hex } from '../../src/core/sha256.ts';
import { archiveConformance } from '../../src/testing/archive-conformance.ts';
import { anyText } from './any-text.ts';

vi.mock('node:fs/promises', async (importOriginal) => {
  const actual = await importOriginal<typeof FsPromises>();
  return { ...actual, open: vi.fn(actual.open), rename: vi.fn(actual.rename) };
});

const TEXT = 'the whole output, 漢字 and all\n';
const ADDRESS = contentAddress(TEXT, sha256Hex);
const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

let root = '';
let count = 0;
const freshDirectory = (): string => join(root, `archive-${count++}`);

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'holdover-archive-'));
});

afterAll(() => rm(root, { recursive: true, force: true }));

const MISSING = Object.assign(new Error('no'), { code: 'ENOENT' });

describe('fsArchive', () => {
  describe.each([
    ['as it is', Number.POSITIVE_INFINITY],
    ['compressed', 1],
  ])('texts %s', (_name, compressFromBytes) => {
    const over = (directory: string): Archive => fsArchive(directory, { compressFromBytes });
    const cases = archiveConformance({
      create: async () => {
        const directory = freshDirectory();
        return Object.assign(over(directory), { directory });
      },
      reopen: async (archive) => over((archive as Archive & { directory: string }).directory),
    });
    it.each(cases)('$name', ({ run }) => run());
  });

  it('gives back any text, also to another archive over the same directory', async () => {
    const directory = freshDirectory();
    const archive = fsArchive(directory, { durable: false });
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const address = contentAddress(text, sha256Hex);
        await archive.put(address, text);
        expect(await fsArchive(directory).get(address)).toBe(text);
      }),
      { numRuns: 200 },
    );
  });

  it('holds exactly the text in a .txt file, an ill-formed one as JSON', async () => {
    const directory = freshDirectory();
    const archive = fsArchive(directory);
    const ill = 'a\ud800"b';
    const illAddress = contentAddress(ill, sha256Hex);
    await archive.put(ADDRESS, TEXT);
    await archive.put(illAddress, ill);
    expect((await readdir(directory)).toSorted()).toEqual([`${ADDRESS}.txt`, `${illAddress}.json`].toSorted());
    expect(await readFile(join(directory, `${ADDRESS}.txt`), 'utf8')).toBe(TEXT);
    expect(JSON.parse(await readFile(join(directory, `${illAddress}.json`), 'utf8'))).toBe(ill);
  });

  describe('compressed', () => {
    const LONG = 'one line of a long log\n'.repeat(1_000);
    const LONG_ADDRESS = contentAddress(LONG, sha256Hex);
    const fileOf = (directory: string): string => join(directory, `${LONG_ADDRESS}.txt.gz`);

    it('is a gzip file from 4096 bytes on, a plain one below', async () => {
      const directory = freshDirectory();
      const archive = fsArchive(directory);
      const short = 'x'.repeat(4_095);
      const random = randomBytes(6_000).toString('base64');
      for (const text of [LONG, short, random]) await archive.put(contentAddress(text, sha256Hex), text);
      expect((await readdir(directory)).toSorted()).toEqual(
        [
          `${LONG_ADDRESS}.txt.gz`,
          `${contentAddress(short, sha256Hex)}.txt`,
          `${contentAddress(random, sha256Hex)}.txt.gz`,
        ].toSorted(),
      );
      expect(gunzipSync(await readFile(fileOf(directory))).toString()).toBe(LONG);
      expect((await stat(fileOf(directory))).size).toBeLessThan(300);
      expect(await modeOf(fileOf(directory))).toBe(0o600);
    });

    it('stays as it is where gzip would not make it smaller', async () => {
      const directory = freshDirectory();
      const archive = fsArchive(directory, { compressFromBytes: 1 });
      await archive.put(ADDRESS, TEXT);
      expect(await readdir(directory)).toEqual([`${ADDRESS}.txt`]);
    });

    it('reads what earlier versions wrote as it is, and writes it no second time', async () => {
      const directory = freshDirectory();
      await mkdir(directory, { recursive: true });
      await writeFile(join(directory, `${LONG_ADDRESS}.txt`), LONG);
      const archive = fsArchive(directory);
      expect(await archive.get(LONG_ADDRESS)).toBe(LONG);
      await archive.put(LONG_ADDRESS, LONG);
      expect(await readdir(directory)).toEqual([`${LONG_ADDRESS}.txt`]);
    });

    it.each([
      ['cut short', (packed: Buffer) => packed.subarray(0, -9)],
      ['one bit of it', (packed: Buffer) => Buffer.from(packed.map((byte, at) => (at === 20 ? byte ^ 1 : byte)))],
      ['emptied', () => Buffer.alloc(0)],
      ['no gzip', () => Buffer.from('plain words')],
      ['another text', () => gzipSync(`${LONG}and more`)],
    ])('damaged is named, and repaired when put again: %s', async (_name, damage) => {
      const directory = freshDirectory();
      const archive = fsArchive(directory);
      await archive.put(LONG_ADDRESS, LONG);
      await writeFile(fileOf(directory), damage(await readFile(fileOf(directory))));
      await expect(archive.get(LONG_ADDRESS)).rejects.toMatchObject({
        code: 'ARCHIVE_FAILED',
        message: `${fileOf(directory)} no longer holds the text it was stored with`,
      });
      await archive.put(LONG_ADDRESS, LONG);
      expect(await archive.get(LONG_ADDRESS)).toBe(LONG);
    });

    it('that would fill the memory is not unpacked, whatever size it claims', async () => {
      const directory = freshDirectory();
      await mkdir(directory, { recursive: true });
      const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024));
      const lying = Buffer.from(bomb);
      lying.writeUInt32LE(1_000, lying.length - 4);
      for (const file of [bomb, lying]) {
        await writeFile(fileOf(directory), file);
        const before = process.memoryUsage().rss;
        await expect(fsArchive(directory).get(LONG_ADDRESS)).rejects.toMatchObject({ code: 'ARCHIVE_FAILED' });
        expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
      }
    });

    it('gives way to a plain file where the damaged one cannot be the newer', async () => {
      const directory = freshDirectory();
      await mkdir(directory, { recursive: true });
      await writeFile(fileOf(directory), 'damaged');
      const archive = fsArchive(directory, { compressFromBytes: Number.POSITIVE_INFINITY });
      await archive.put(LONG_ADDRESS, LONG);
      expect(await readdir(directory)).toEqual([`${LONG_ADDRESS}.txt`]);
      expect(await archive.get(LONG_ADDRESS)).toBe(LONG);
    });
  });

  it('lists what it holds and nothing a crash or somebody else left', async () => {
    const directory = freshDirectory();
    const archive = fsArchive(directory);
    await archive.put(ADDRESS, TEXT);
    await writeFile(join(directory, `${ADDRESS}.txt.0b0e.tmp`), TEXT);
    await writeFile(join(directory, 'notes.md'), 'mine');
    await utimes(join(directory, `${ADDRESS}.txt`), 1_000, 1_000);
    expect(await archive.list?.()).toEqual([{ address: ADDRESS, bytes: Buffer.byteLength(TEXT), usedMs: 1_000_000 }]);
    await archive.put(ADDRESS, TEXT);
    expect((await archive.list?.())?.[0]?.usedMs).toBeGreaterThan(Date.now() - 60_000);
  });

  it('makes the directory on the first put, for its owner only', async () => {
    const directory = join(freshDirectory(), 'nested');
    const archive = fsArchive(directory);
    await expect(stat(directory)).rejects.toThrow();
    expect(await archive.get(ADDRESS)).toBeUndefined();
    await archive.put(ADDRESS, TEXT);
    expect(await modeOf(directory)).toBe(0o700);
    expect(await modeOf(join(directory, `${ADDRESS}.txt`))).toBe(0o600);
  });

  it('never reads what a crash left behind', async () => {
    const directory = freshDirectory();
    await mkdir(directory, { recursive: true });
    const leftover = join(directory, `${ADDRESS}.txt.0b0e.tmp`);
    await writeFile(leftover, TEXT.slice(0, 5));
    const archive = fsArchive(directory);
    expect(await archive.get(ADDRESS)).toBeUndefined();
    await archive.put(ADDRESS, TEXT);
    expect(await archive.get(ADDRESS)).toBe(TEXT);
    expect(await readFile(leftover, 'utf8')).toBe(TEXT.slice(0, 5));
  });

  it('leaves no temporary file behind', async () => {
    const directory = freshDirectory();
    const archive = fsArchive(directory);
    await Promise.all(Array.from({ length: 20 }, () => archive.put(ADDRESS, TEXT)));
    expect(await readdir(directory)).toEqual([`${ADDRESS}.txt`]);
  });

  it.each([
    ['cut short', `${ADDRESS}.txt`, TEXT.slice(0, -1)],
    ['emptied', `${ADDRESS}.txt`, ''],
    ['no UTF-8', `${ADDRESS}.txt`, Buffer.from([0xff, 0xfe])],
    ['no JSON', `${ADDRESS}.json`, '{'],
    ['no string', `${ADDRESS}.json`, '[1]'],
  ])('names a damaged file, and repairs it when the text is put again: %s', async (_name, file, content) => {
    const directory = freshDirectory();
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, file), content);
    const archive = fsArchive(directory);
    await expect(archive.get(ADDRESS)).rejects.toMatchObject({
      code: 'ARCHIVE_FAILED',
      message: expect.stringContaining(file),
    });
    await archive.put(ADDRESS, TEXT);
    expect(await archive.get(ADDRESS)).toBe(TEXT);
  });

  it('refuses a text that does not belong to its address', async () => {
    const directory = freshDirectory();
    await expect(fsArchive(directory).put(ADDRESS, 'other')).rejects.toMatchObject({ code: 'ARCHIVE_CONFLICT' });
    await expect(stat(directory)).rejects.toThrow();
  });

  it('reports a directory that is a file, with the cause, and writes nothing', async () => {
    const directory = freshDirectory();
    await writeFile(directory, 'a file');
    const archive = fsArchive(directory);
    const failure = { code: 'ARCHIVE_FAILED', cause: expect.objectContaining({ code: 'ENOTDIR' }) };
    await expect(archive.put(ADDRESS, TEXT)).rejects.toMatchObject(failure);
    await expect(archive.get(ADDRESS)).rejects.toMatchObject(failure);
    expect(await readFile(directory, 'utf8')).toBe('a file');
  });

  it.each([
    ['the disk is full', rename as Mock, 'ENOSPC'],
    ['the directory is read-only', open as Mock, 'EROFS'],
  ])('leaves nothing behind when %s', async (_name, call, code) => {
    const directory = freshDirectory();
    const archive = fsArchive(directory);
    const refused = Object.assign(new Error('no'), { code });
    // What is there already is looked for in three files first, which are opened as well.
    if (call === (open as Mock)) for (const _ of ['txt.gz', 'txt', 'json']) call.mockRejectedValueOnce(MISSING);
    call.mockRejectedValueOnce(refused);
    await expect(archive.put(ADDRESS, TEXT)).rejects.toMatchObject({
      code: 'ARCHIVE_FAILED',
      message: expect.stringContaining(join(directory, ADDRESS)),
      cause: expect.objectContaining({ code }),
    });
    expect(await readdir(directory)).toEqual([]);
    expect(await archive.get(ADDRESS)).toBeUndefined();
    await archive.put(ADDRESS, TEXT);
    expect(await archive.get(ADDRESS)).toBe(TEXT);
  });

  it('reports a path that cannot be read', async () => {
    const directory = freshDirectory();
    await mkdir(join(directory, `${ADDRESS}.txt`), { recursive: true });
    const archive = fsArchive(directory);
    await expect(archive.get(ADDRESS)).rejects.toMatchObject({ code: 'ARCHIVE_FAILED' });
    await expect(archive.put(ADDRESS, TEXT)).rejects.toMatchObject({ code: 'ARCHIVE_FAILED' });
    expect(await readdir(directory)).toEqual([`${ADDRESS}.txt`]);
  });

  // Root may write anywhere, so there is nothing to refuse.
  it.skipIf(process.getuid?.() === 0)('reports a read-only directory with the cause', async () => {
    const directory = freshDirectory();
    await mkdir(directory, { mode: 0o500 });
    await expect(fsArchive(directory).put(ADDRESS, TEXT)).rejects.toMatchObject({
      code: 'ARCHIVE_FAILED',
      message: expect.stringContaining(directory),
      cause: expect.objectContaining({ code: 'EACCES' }),
    });
    expect(await readdir(directory)).toEqual([]);
    await chmod(directory, 0o700);
  });

  it('refuses an empty directory name', () => {
    expect(() => fsArchive('')).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
  });
});
