/** Where sessions live: one file each in the workspace's own folder, found by id or as the newest. */
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentError } from '../errors.ts';

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

/** Ids in the workspace, newest use first. */
export async function listSessions(root: string): Promise<readonly string[]> {
  const folder = join(root, SESSIONS_FOLDER);
  const names = await readdir(folder).catch(() => []);
  const ids = names.flatMap((name) =>
    name.endsWith('.jsonl') && SESSION_ID.test(name.slice(0, -6)) ? [name.slice(0, -6)] : [],
  );
  const dated = await Promise.all(
    ids.map(async (id) => ({ id, at: (await stat(join(folder, `${id}.jsonl`))).mtimeMs })),
  );
  return dated.toSorted((a, b) => b.at - a.at || b.id.localeCompare(a.id)).map(({ id }) => id);
}

/** Makes one of the agent's folders, owner-only, and keeps it out of version control. */
export async function ensureFolder(root: string, folder: string): Promise<string> {
  const path = join(root, folder);
  await mkdir(path, { recursive: true, mode: 0o700 });
  const top = join(root, folder.split(/[\\/]/)[0] ?? folder);
  await chmod(top, 0o700);
  await writeFile(join(top, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return path;
}
