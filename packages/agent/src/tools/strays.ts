/**
 * What a command started and what left its process group (`setsid`, daemons), found by a mark in the environment it inherited. Linux only: other
 * systems do not show it. A process that was given another environment altogether is out of reach.
 */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

const NAME = 'HOLDOVER_COMMAND';

export interface MarkedEnv {
  readonly mark: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The environment with a mark of one command; that of an agent around this one stays in it. */
export function markedEnv(env: Readonly<Record<string, string>>): MarkedEnv {
  const mark = randomUUID();
  const outer = env[NAME];
  return { mark, env: { ...env, [NAME]: outer === undefined ? mark : `${outer} ${mark}` } };
}

function isMarked(pid: string, mark: string): boolean {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    return variables.some((variable) => variable.startsWith(`${NAME}=`) && variable.includes(mark));
  } catch {
    // gone, or another user's
    return false;
  }
}

function processes(): readonly string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** Looked at again until nothing is found: a process may start another while it is looked for. */
const MAX_SWEEPS = 5;

/** SIGKILL to all that bear the mark, at once. */
export function killStrays(mark: string): void {
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep += 1) {
    const strays = processes().filter((pid) => Number(pid) !== process.pid && isMarked(pid, mark));
    if (strays.length === 0) return;
    for (const pid of strays) kill(Number(pid));
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // gone by itself
  }
}
