/** An archive in a directory: one file per address, readable by its owner only, safe against crashes. */

import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Address,
  type Archive,
  archiveConflict,
  contentAddress,
  isContentAddress,
  isWellFormed,
  requireContentAddress,
  type StoredText,
} from '../core/archive.ts';
import { ContextError } from '../core/errors.ts';
import { bytesOf, sha256, textOfJson, unzipped, zipped } from '../storage/packed.ts';

/** Of `fsArchive`; all have defaults. */
export interface FsArchiveOptions {
  /**
   * Wait until the disk has each text before `put` resolves. Without it a power cut, though not a crash of the
   * process, can lose the newest texts. @default true
   */
  readonly durable?: boolean;
  /** Keep texts of this many bytes and more as gzip files where those are smaller; `Infinity` for none. @default 4096, below which a disk saves nothing */
  readonly compressFromBytes?: number;
}

/** What `fsArchive` does unless told otherwise. */
export const DEFAULT_FS_ARCHIVE: Required<FsArchiveOptions> = { durable: true, compressFromBytes: 4_096 };

/** Tool output often holds secrets. */
const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

/**
 * Keeps texts in `directory`, made on the first put: `<address>.txt` is exactly the text in UTF-8, `<address>.txt.gz` the same compressed, for `zcat`;
 * a text with lone surrogates, which UTF-8 cannot hold, is a JSON string in `<address>.json`. Files are written aside and
 * renamed, so one is there whole or not at all; `*.tmp` left by a crash are never read and may be deleted. Several processes
 * may share a directory.
 *
 * Every text is checked against its address when it is stored and when it is read. Putting a text whose file was
 * damaged repairs the file. The time of a file is that of the last put.
 */
export function fsArchive(directory: string, options: FsArchiveOptions = {}): Archive {
  if (directory === '') throw new ContextError('INVALID_OPTION', 'directory must be a path, got an empty string');
  const settings = { ...DEFAULT_FS_ARCHIVE, ...options };
  return {
    name: 'fs',
    hash: sha256,
    async put(address, text) {
      requireContentAddress(address);
      if (contentAddress(text, sha256) !== address) throw archiveConflict('fs', address);
      const path = join(directory, address);
      const stored = await attempt(`read ${path}`, () => readStored(path, address));
      if (stored?.text !== undefined && stored.text !== text) throw archiveConflict('fs', address);
      await attempt(`store ${path}`, async () => {
        if (stored?.text === text && (await touch(stored.file))) return;
        await mkdir(directory, { recursive: true, mode: DIRECTORY_MODE });
        const file = await writeText(path, text, settings);
        if (stored !== undefined && stored.file !== file) await rm(stored.file, { force: true });
        if (settings.durable) await syncDirectory(directory);
      });
    },
    async get(address) {
      if (!isContentAddress(address)) return undefined;
      const path = join(directory, address);
      const stored = await attempt(`read ${path}`, () => readStored(path, address));
      if (stored === undefined || stored.text !== undefined) return stored?.text;
      throw new ContextError('ARCHIVE_FAILED', `${stored.file} no longer holds the text it was stored with`);
    },
    list: () => attempt(`read ${directory}`, () => listStored(directory)),
    async remove(address, { usedBeforeMs }) {
      if (!isContentAddress(address)) return false;
      const path = join(directory, address);
      return attempt(`remove ${path}`, async () => {
        const gone = [];
        for (const form of FORMS) gone.push(await removeUnused(`${path}${form}`, usedBeforeMs));
        return gone.includes(true);
      });
    },
  };
}

/** Forms a text may be in, by the ending of its file. */
const FORMS = ['.txt.gz', '.txt', '.json'] as const;

interface Stored {
  readonly file: string;
  /** Undefined where the file does not hold the text of its address. */
  readonly text: string | undefined;
}

/** The first file that holds the text of its address; else one that should. */
async function readStored(path: string, address: Address): Promise<Stored | undefined> {
  let damaged: Stored | undefined;
  for (const form of FORMS) {
    const file = `${path}${form}`;
    const bytes = await readIfThere(file);
    if (bytes === undefined) continue;
    const text = await textIn(bytes, form);
    if (text !== undefined && contentAddress(text, sha256) === address) return { file, text };
    damaged ??= { file, text: undefined };
  }
  return damaged;
}

async function textIn(bytes: Buffer, form: (typeof FORMS)[number]): Promise<string | undefined> {
  if (form === '.json') return textOfJson(bytes.toString('utf8'));
  return (form === '.txt' ? bytes : await unzipped(bytes))?.toString('utf8');
}

/** Not through a link, and without waiting for the other end of a pipe. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A directory may have come from somebody else: a pipe, a device or a link in the place of a text is not there. */
async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    const handle = await open(file, READ_FLAGS);
    try {
      const stats = await handle.stat();
      return stats.isFile() || stats.isDirectory() ? await handle.readFile() : undefined;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ELOOP', 'ENXIO')) return undefined;
    throw error;
  }
}

function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException).code ?? '');
}

/** Says that the text was put again; false where its file has gone meanwhile. */
async function touch(file: string): Promise<boolean> {
  const now = new Date();
  return utimes(file, now, now).then(
    () => true,
    (error: unknown) => {
      // A folder of somebody else may be read only, and the text is there.
      if (isCode(error, 'EROFS', 'EPERM', 'EACCES')) return true;
      if (isCode(error, 'ENOENT')) return false;
      throw error;
    },
  );
}

/** Writes the text in the form that suits it; the path of its file. */
async function writeText(path: string, text: string, settings: Required<FsArchiveOptions>): Promise<string> {
  const bytes = bytesOf(text);
  const isPlain = isWellFormed(text);
  const packed = isPlain && bytes.length >= settings.compressFromBytes ? await zipped(bytes) : undefined;
  const plain = isPlain ? `${path}.txt` : `${path}.json`;
  const file = packed === undefined ? plain : `${path}.txt.gz`;
  await writeWhole(file, packed ?? bytes, settings.durable);
  return file;
}

/** Writes beside `file`, then renames: a reader sees the old state or the new one. */
async function writeWhole(file: string, content: Buffer, durable: boolean): Promise<void> {
  const aside = `${file}.${randomUUID()}.tmp`;
  try {
    const handle = await open(aside, 'wx', FILE_MODE);
    try {
      await handle.writeFile(content);
      if (durable) await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(aside, file);
  } catch (error) {
    await rm(aside, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Makes a rename last through a power cut. Windows and some network disks cannot do it; the file itself is synced. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r').catch(() => undefined);
  if (handle === undefined) return;
  try {
    await handle.sync().catch(() => undefined);
  } finally {
    await handle.close();
  }
}

const STORED_NAME = /^(c_[0-9a-f]{16})(?:\.txt\.gz|\.txt|\.json)$/;

async function listStored(directory: string): Promise<readonly StoredText[]> {
  const names = await orElse([], readdir(directory));
  const found = new Map<Address, StoredText>();
  for (const name of names) {
    const address = STORED_NAME.exec(name)?.[1];
    const stats = address === undefined ? undefined : await orElse(undefined, stat(join(directory, name)));
    if (address === undefined || stats?.isFile() !== true) continue;
    const other = found.get(address);
    const usedMs = Math.max(stats.mtimeMs, other?.usedMs ?? 0);
    found.set(address, { address, bytes: stats.size + (other?.bytes ?? 0), usedMs });
  }
  return [...found.values()];
}

/** `other` where a file is not there. */
async function orElse<Value, Other>(other: Other, value: Promise<Value>): Promise<Value | Other> {
  return value.catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return other;
    throw error;
  });
}

/**
 * Removes a file nobody put since. It is moved aside first and looked at there: whoever puts the text before that shows in its time, and whoever does
 * so afterwards finds no file and writes one.
 */
async function removeUnused(file: string, usedBeforeMs: number): Promise<boolean> {
  const before = await orElse(undefined, stat(file));
  if (before === undefined || before.mtimeMs >= usedBeforeMs) return false;
  const aside = `${file}.${randomUUID()}.tmp`;
  if ((await orElse(false, rename(file, aside))) === false) return false;
  if ((await stat(aside)).mtimeMs >= usedBeforeMs) {
    await rename(aside, file);
    return false;
  }
  await rm(aside, { force: true });
  return true;
}

async function attempt<Result>(action: string, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ContextError('ARCHIVE_FAILED', `could not ${action}: ${reason}`, { cause });
  }
}
