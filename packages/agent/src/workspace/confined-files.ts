/**
 * Opening and replacing files whose path was resolved by a workspace, safe against the path changing its
 * meaning between check and use: the last component is never followed as a link, and what was opened is
 * compared with what was asked for. POSIX only. On Linux both are exact (through /proc/self/fd); elsewhere a
 * folder swapped twice within microseconds could go unnoticed.
 */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink, realpath, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode, isInside, isProcess } from './workspace.ts';

/** `code` is a system error code, or `EISDIR`, `ENOTFILE` (a pipe, device or socket), `EMOVED` (path changed). */
export type OpenResult =
  | { readonly ok: true; readonly handle: FileHandle; readonly sizeBytes: number; readonly modifiedMs: number }
  | { readonly ok: false; readonly code: string };

export interface WriteRequest {
  /** Real root of the workspace: no folder above it is ever created. */
  readonly root: string;
  /** From `workspace.resolve(path, 'write')`. */
  readonly path: string;
  readonly text: string;
  /** Refuse with `ECHANGED` unless the file still has this modification time. Absent: not checked. */
  readonly unlessModifiedSinceMs?: number;
}

export type WriteResult =
  | { readonly ok: true; readonly created: boolean; readonly bytes: number; readonly modifiedMs: number }
  | { readonly ok: false; readonly code: string };

const READ_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const READ_FOLDER = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY;
const CREATE_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
/** A file saved by rename between open and check looks moved; three tries tell that from an attack. */
const OPEN_TRIES = 3;

/** Opens a regular file for reading. The caller closes the handle. */
export async function openConfined(path: string): Promise<OpenResult> {
  if (isProcess(path)) return { ok: false, code: 'EACCES' };
  for (let attempt = 1; ; attempt += 1) {
    const result = await openOnce(path);
    if (result.ok || result.code !== 'EMOVED' || attempt === OPEN_TRIES) return result;
  }
}

/** Opens a folder. The caller closes the handle; `entryBase` of it is safe to list. */
export async function openFolder(path: string): Promise<FileHandle | undefined> {
  let handle: FileHandle | undefined;
  if (isProcess(path)) return undefined;
  try {
    handle = await open(path, READ_FOLDER);
    if (await isStillAt(handle, path)) return handle;
  } catch {
    // gone, a link by now, or not readable: all the same to the caller
  }
  await handle?.close();
  return undefined;
}

/**
 * Writes through a temporary file in the same folder and a rename, so a reader sees the old or the new text,
 * never half of it. Makes missing parent folders. Keeps the permission bits of an existing file, not its
 * owner; refuses (`EROFS`) a file nobody may write. Hard links to the old content keep the old content.
 */
export async function writeConfined(request: WriteRequest): Promise<WriteResult> {
  let folder: FileHandle | undefined;
  try {
    folder = await openOrMakeFolder(dirname(request.path), request.root);
    return await replaceFile(await entryBase(folder, dirname(request.path)), request);
  } catch (error) {
    return { ok: false, code: errorCode(error) };
  } finally {
    await folder?.close();
  }
}

/** A path that names the opened folder itself, wherever its name points by now; the plain path without /proc. */
export async function entryBase(folder: FileHandle, path: string): Promise<string> {
  const own = `/proc/self/fd/${folder.fd}`;
  return (await linkTarget(own)) === undefined ? path : own;
}

async function openOnce(path: string): Promise<OpenResult> {
  let handle: FileHandle | undefined;
  try {
    // non-blocking: opening a pipe must not wait for a writer
    handle = await open(path, READ_FILE);
    const stats = await handle.stat();
    const code = await refusal(handle, path, stats);
    if (code === undefined) return { ok: true, handle, sizeBytes: stats.size, modifiedMs: stats.mtimeMs };
    await handle.close();
    return { ok: false, code };
  } catch (error) {
    await handle?.close();
    return { ok: false, code: errorCode(error) === 'ELOOP' ? 'EMOVED' : errorCode(error) };
  }
}

async function refusal(
  handle: FileHandle,
  path: string,
  stats: { isDirectory(): boolean; isFile(): boolean },
): Promise<string | undefined> {
  if (!(await isStillAt(handle, path))) return 'EMOVED';
  if (stats.isDirectory()) return 'EISDIR';
  return stats.isFile() ? undefined : 'ENOTFILE';
}

async function isStillAt(handle: FileHandle, path: string): Promise<boolean> {
  const actual = await linkTarget(`/proc/self/fd/${handle.fd}`);
  if (actual !== undefined) return actual === path;
  const [opened, named, real] = await Promise.all([handle.stat(), stat(path), realpath(path)]);
  return real === path && opened.ino === named.ino && opened.dev === named.dev;
}

async function linkTarget(link: string): Promise<string | undefined> {
  try {
    return await readlink(link);
  } catch {
    return undefined;
  }
}

async function openOrMakeFolder(path: string, root: string): Promise<FileHandle> {
  const missing: string[] = [];
  let current = path;
  let handle = await openExistingFolder(current);
  while (handle === undefined) {
    missing.unshift(basename(current));
    current = dirname(current);
    if (!isInside(root, current)) throw codedError('EMOVED');
    handle = await openExistingFolder(current);
  }
  for (const name of missing) {
    const parent: FileHandle = handle;
    handle = await openOrMakeChild(parent, current, name).finally(() => parent.close());
    current = join(current, name);
  }
  return handle;
}

async function openExistingFolder(path: string): Promise<FileHandle | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, READ_FOLDER);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  if (await isStillAt(handle, path)) return handle;
  await handle.close();
  throw codedError('EMOVED');
}

async function openOrMakeChild(parent: FileHandle, parentPath: string, name: string): Promise<FileHandle> {
  const child = join(await entryBase(parent, parentPath), name);
  try {
    await mkdir(child);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  return open(child, READ_FOLDER);
}

async function replaceFile(base: string, request: WriteRequest): Promise<WriteResult> {
  const target = join(base, basename(request.path));
  const before = await existingFile(target);
  if (before !== undefined && (before.mode & 0o222) === 0) throw codedError('EROFS');
  const temporary = join(base, `.holdover-${randomUUID()}.tmp`);
  try {
    const modifiedMs = await writeNewFile(temporary, request.text, before?.mode);
    if (request.unlessModifiedSinceMs !== undefined && before?.mtimeMs !== request.unlessModifiedSinceMs) {
      throw codedError('ECHANGED');
    }
    await rename(temporary, target);
    return { ok: true, created: before === undefined, bytes: Buffer.byteLength(request.text), modifiedMs };
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

async function existingFile(path: string): Promise<{ mode: number; mtimeMs: number } | undefined> {
  const stats = await lstat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (stats === undefined) return undefined;
  if (stats.isDirectory()) throw codedError('EISDIR');
  if (stats.isSymbolicLink()) throw codedError('EMOVED');
  if (!stats.isFile()) throw codedError('ENOTFILE');
  return { mode: stats.mode & 0o7777, mtimeMs: stats.mtimeMs };
}

async function writeNewFile(path: string, text: string, mode: number | undefined): Promise<number> {
  const handle = await open(path, CREATE_FILE);
  try {
    await handle.writeFile(text);
    if (mode !== undefined) await handle.chmod(mode);
    return (await handle.stat()).mtimeMs;
  } finally {
    await handle.close();
  }
}

function codedError(code: string): Error {
  return Object.assign(new Error(code), { code });
}
