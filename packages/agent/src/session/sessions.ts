/** Where sessions live: one file each in the workspace's own folder, found by id or as the newest. */
import { chmod, lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { AgentError } from '../errors.ts';
import { isReadOnlyPlace, notWritten } from './not-written.ts';

/** Folders the agent keeps in the workspace; the last two are the teaching system's. */
export const SESSIONS_FOLDER: string = join('.holdover', 'sessions');
export const TRANSCRIPTS_FOLDER = '.transcripts';
export const RESULTS_FOLDER: string = join('.task_outputs', 'tool-results');

const SESSION_ID = /^[0-9]{8}-[0-9]{6}-[0-9a-f]{8}$/;

/** An id that sorts by time. `random` gives 0 to 1. */
export function newSessionId(now: Date, random: () => number): string {
  const stamp = now.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  const suffix = Math.floor(random() * 0x1_0000_0000)
    .toString(16)
    .padStart(8, '0');
  return `${stamp}-${suffix}`;
}

/** Throws `session_not_found` for an id of another shape: it must not become a path. */
export function sessionPath(root: string, id: string): string {
  if (SESSION_ID.test(id)) return join(root, SESSIONS_FOLDER, `${id}.jsonl`);
  throw new AgentError(
    'session_not_found',
    `${JSON.stringify(id.slice(0, 80))} is not a session id; ids look like 20261130-161835-0a1b2c3d`,
  );
}

/**
 * The log a user means by an id or by the path of a file, and the workspace it belongs to: the one whose folder of sessions holds the file, `root` for
 * one that lies elsewhere. Throws `session_not_found` for an id of another shape.
 */
export function locateSession(root: string, session: string): { readonly path: string; readonly root: string } {
  if (SESSION_ID.test(session) || !session.endsWith('.jsonl')) return { path: sessionPath(root, session), root };
  const path = resolve(root, session);
  const folder = dirname(path);
  const isAtHome = folder.endsWith(`${sep}${SESSIONS_FOLDER}`);
  return { path, root: isAtHome ? folder.slice(0, -SESSIONS_FOLDER.length - 1) : root };
}

/** Where the process that writes a log is named. */
export function leasePath(logPath: string): string {
  return logPath.replace(/\.jsonl$/, '.lease');
}

/** A header is a few hundred bytes; a file this small may have lost it to a crash. */
const HEADER_BYTES = 4_096;

/** Modification time of a log that has at least its header; undefined for what a crash left of one that never began. */
async function usedAt(path: string): Promise<number | undefined> {
  const stats = await lstat(path);
  // A link or a pipe is none of ours.
  if (!stats.isFile()) return undefined;
  const isBegun = stats.size > HEADER_BYTES || (await readFile(path, 'utf8')).includes('\n');
  return isBegun ? stats.mtimeMs : undefined;
}

/** Ids in the workspace, newest use first. */
export async function listSessions(root: string): Promise<readonly string[]> {
  const folder = join(root, SESSIONS_FOLDER);
  const names = await readdir(folder).catch(() => []);
  const ids = names.flatMap((name) =>
    name.endsWith('.jsonl') && SESSION_ID.test(name.slice(0, -6)) ? [name.slice(0, -6)] : [],
  );
  const found = await Promise.all(
    ids.map(async (id) => ({ id, at: await usedAt(join(folder, `${id}.jsonl`)).catch(() => undefined) })),
  );
  const dated = found.flatMap(({ id, at }) => (at === undefined ? [] : [{ id, at }]));
  return dated.toSorted((a, b) => b.at - a.at || b.id.localeCompare(a.id)).map(({ id }) => id);
}

/**
 * Makes one of the agent's folders, owner-only, and keeps it out of version control. Throws `invalid_workspace` where a link or a file stands in
 * its place: a stranger's repository could send what is kept somewhere else.
 */
export async function ensureFolder(root: string, folder: string): Promise<string> {
  const parts = folder.split(sep);
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const path = join(root, ...parts.slice(0, depth));
    await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => unlessKnown(error, root));
    if ((await lstat(path)).isDirectory()) continue;
    throw new AgentError('invalid_workspace', `${path} has to be a folder, not a link or a file; move it away`);
  }
  const top = join(root, parts[0] ?? folder);
  await chmod(top, 0o700).catch((error: NodeJS.ErrnoException) => unlessKnown(error, root));
  const ignored = join(top, '.gitignore');
  await writeFile(ignored, '*\n', { flag: 'wx', mode: 0o600 }).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return;
    await rm(ignored, { force: true }).catch(() => undefined);
    throw notWritten(ignored, error);
  });
  return join(root, folder);
}

/** A folder that is there already is fine; one that may not be made is said so. */
function unlessKnown(error: NodeJS.ErrnoException, root: string): void {
  if (error.code === 'EEXIST') return;
  if (!isReadOnlyPlace(error)) throw notWritten(root, error);
  throw new AgentError(
    'invalid_workspace',
    `${root} is not writable, so no session can be kept there; work in a folder you may write to`,
    { cause: error },
  );
}
