/** The machine and the folder: Node, permissions, disk, and whether what sessions keep is the user's alone. */
import { constants } from 'node:fs';
import { access, lstat, readdir, realpath, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { SESSIONS_FOLDER } from '../session/sessions.ts';
import { errorCode } from '../workspace/workspace.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

/** Oldest Node release line the packages are tested on. */
const MIN_NODE = 20;

const MEGABYTE = 1_000_000;
/** A long session's log and results take tens of megabytes. */
const LOW_BYTES = 1_000 * MEGABYTE;
const FULL_BYTES = 50 * MEGABYTE;

/** Group and others. */
const SHARED_BITS = 0o077;

export function checkNode(version: string): Finding {
  const major = Number(version.replace(/^v/, '').split('.')[0]);
  if (major >= MIN_NODE) return ok('node', `Node ${version.replace(/^v/, '')}`);
  return fail('node', `Node ${version} is too old`, `install Node ${MIN_NODE} or newer`);
}

export async function checkFolder(workspace: string): Promise<Finding> {
  try {
    const root = await realpath(workspace);
    if (!(await lstat(root)).isDirectory())
      return fail('folder', `${workspace} is not a folder`, 'start in the folder of your project');
    await access(root, constants.R_OK | constants.W_OK | constants.X_OK);
    return ok('folder', `${root} can be read and written`);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return fail('folder', `${workspace} does not exist`, 'start in the folder of your project');
    return fail(
      'folder',
      `${workspace} cannot be read and written (${code})`,
      'give your user the right to write there',
    );
  }
}

export async function checkDisk(workspace: string): Promise<Finding> {
  try {
    const { bavail, bsize } = await statfs(workspace);
    const freeBytes = bavail * bsize;
    const detail = `${Math.floor(freeBytes / MEGABYTE).toLocaleString('en-US')} MB are free`;
    if (freeBytes < FULL_BYTES) return fail('disk', detail, 'free some space: a session that cannot be logged ends');
    if (freeBytes < LOW_BYTES) return warn('disk', detail, 'free some space before a long session');
    return ok('disk', detail);
  } catch (error) {
    return warn('disk', `the free space is not known (${errorCode(error)})`, 'check the disk yourself');
  }
}

/** Paths below the agent's folder that others may read, and links, which are none of ours. */
async function exposed(folder: string): Promise<{ readonly shared: readonly string[]; readonly count: number }> {
  const shared: string[] = [];
  const names = await readdir(folder);
  for (const path of [join(folder, '..'), folder, ...names.map((name) => join(folder, name))]) {
    const stats = await lstat(path);
    if (stats.isSymbolicLink() || (stats.mode & SHARED_BITS) !== 0) shared.push(path);
  }
  return { shared, count: names.filter((name) => name.endsWith('.jsonl')).length };
}

/** Sessions hold whatever the model saw: they are for their owner only. */
export async function checkSessions(workspace: string): Promise<Finding> {
  const folder = join(workspace, SESSIONS_FOLDER);
  try {
    const { shared, count } = await exposed(folder);
    const [first] = shared;
    if (first === undefined) return ok('sessions', `${count} sessions, for their owner only`);
    const detail = `${shared.length} of the session files and folders are open to others, such as ${first}`;
    return warn('sessions', detail, `chmod -R go= ${join(folder, '..')}`);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return ok('sessions', 'no sessions here yet');
    return fail('sessions', `${folder} cannot be looked at (${code})`, 'make it a folder of your own, or move it away');
  }
}
