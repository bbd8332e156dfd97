/** An archive in a directory: one file per address, readable by its owner only, safe against crashes. */

import * as crypto from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Address,
  type Archive,
  archiveConflict,
  contentAddress,
  isContentAddress,
  isWellFormed,
  requireContentAddress,
} from '../core/archive.ts';
import { ContextError } from '../core/errors.ts';

/** Of `fsArchive`; all have defaults. */
export interface FsArchiveOptions {
  /**
   * Wait until the disk has each text before `put` resolves. Without it a power cut, though not a crash of the
   * process, can lose the newest texts. @default true
   */
  readonly durable?: boolean;
}

/** What `fsArchive` does unless told otherwise. */
export const DEFAULT_FS_ARCHIVE: Required<FsArchiveOptions> = { durable: true };

/** Tool output often holds secrets. */
const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

/**
 * Keeps texts in `directory`, made on the first put: `<address>.txt` is exactly the text in UTF-8; a text with lone
 * surrogates, which UTF-8 cannot hold, is a JSON string in `<address>.json`. Files are written aside and renamed, so
 * one is there whole or not at all; `*.tmp` left by a crash are never read and may be deleted. Several processes may
 * share a directory.
 *
 * Every text is checked against its address when it is stored and when it is read. Putting a text whose file was
 * damaged repairs the file.
 */
export function fsArchive(directory: string, options: FsArchiveOptions = {}): Archive {
  if (directory === '') throw new ContextError('INVALID_OPTION', 'directory must be a path, got an empty string');
  const { durable } = { ...DEFAULT_FS_ARCHIVE, ...options };
  return {
    name: 'fs',
    hash,
    async put(address, text) {
      requireContentAddress(address);
      if (contentAddress(text, hash) !== address) throw archiveConflict('fs', address);
      const path = join(directory, address);
      const stored = await attempt(`read ${path}`, () => readStored(path));
      if (stored?.text === text) return;
      if (stored !== undefined && isIntact(stored, address)) throw archiveConflict('fs', address);
      await attempt(`store ${path}`, async () => {
        await mkdir(directory, { recursive: true, mode: DIRECTORY_MODE });
        await writeWhole(fileFor(path, text), isWellFormed(text) ? text : JSON.stringify(text), durable);
        if (durable) await syncDirectory(directory);
      });
    },
    async get(address) {
      if (!isContentAddress(address)) return undefined;
      const path = join(directory, address);
      const stored = await attempt(`read ${path}`, () => readStored(path));
      if (stored === undefined) return undefined;
      if (isIntact(stored, address)) return stored.text;
      throw new ContextError('ARCHIVE_FAILED', `${stored.path} no longer holds the text it was stored with`);
    },
  };
}

interface Stored {
  readonly path: string;
  /** Undefined where the file does not hold a text. */
  readonly text: string | undefined;
}

function isIntact(stored: Stored, address: Address): boolean {
  return stored.text !== undefined && contentAddress(stored.text, hash) === address;
}

function fileFor(path: string, text: string): string {
  return isWellFormed(text) ? `${path}.txt` : `${path}.json`;
}

async function readStored(path: string): Promise<Stored | undefined> {
  const plain = await readIfThere(`${path}.txt`);
  if (plain !== undefined) return { path: `${path}.txt`, text: plain };
  const json = await readIfThere(`${path}.json`);
  return json === undefined ? undefined : { path: `${path}.json`, text: parseText(json) };
}

/** Not through a link, and without waiting for the other end of a pipe. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A directory may have come from somebody else: a pipe, a device or a link in the place of a text is not there. */
async function readIfThere(file: string): Promise<string | undefined> {
  try {
    const handle = await open(file, READ_FLAGS);
    try {
      const stats = await handle.stat();
      return stats.isFile() || stats.isDirectory() ? await handle.readFile('utf8') : undefined;
    } finally {
      await handle.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ELOOP' || code === 'ENXIO') return undefined;
    throw error;
  }
}

function parseText(json: string): string | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Writes beside `file`, then renames: a reader sees the old state or the new one. */
async function writeWhole(file: string, content: string, durable: boolean): Promise<void> {
  const aside = `${file}.${crypto.randomUUID()}.tmp`;
  try {
    const handle = await open(aside, 'wx', FILE_MODE);
    try {
      await handle.writeFile(content, 'utf8');
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

async function attempt<Result>(action: string, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ContextError('ARCHIVE_FAILED', `could not ${action}: ${reason}`, { cause });
  }
}

/** `crypto.hash` came with Node 20.12 and takes half the time; it is not there on the first releases of Node 20. */
function hash(text: string): string {
  if (typeof crypto.hash === 'function') return crypto.hash('sha256', text, 'hex');
  return crypto.createHash('sha256').update(text, 'utf8').digest('hex');
}
