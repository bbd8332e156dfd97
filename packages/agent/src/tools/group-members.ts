/**
 * Whether anything of a process group still runs. A signal reaches the dead too until somebody collects them, and in a container without an init
 * that can take for ever: they are told apart by what Linux says of each process.
 */
import { readdir, readFile } from 'node:fs/promises';

/** Behind the name of the program in `/proc/<pid>/stat`: state, parent, group. */
const STATE_FIELD = 0;
const GROUP_FIELD = 2;

/** Dead and not collected, or about to be. */
const DEAD: ReadonlySet<string> = new Set(['Z', 'X', 'x']);

async function isLiveMember(pid: string, group: number): Promise<boolean> {
  // It may end between the list and the look.
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[GROUP_FIELD]) === group && !DEAD.has(fields[STATE_FIELD] ?? '');
}

/** For a group that can be signalled. True where the system does not say. */
export async function hasLiveMember(group: number): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const names = await readdir('/proc').catch(() => undefined);
  if (names === undefined) return true;
  const pids = names.filter((name) => /^\d+$/.test(name));
  const isLive = await Promise.all(pids.map((pid) => isLiveMember(pid, group)));
  return isLive.includes(true);
}
