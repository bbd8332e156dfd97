/** Processes that outlive what started them, found by a mark in their environment: it stays whatever group or parent they have. */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

export const MARK_NAME = 'HOLDOVER_SOAK_MARK';

export const newMark = (): string => randomUUID();

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Gone meanwhile, or another user's.
    return '';
  }
}

/** Zombies have no command line: nothing of them runs, and they are collected by their parent. */
export function marked(mark: string): readonly string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    if (!read(`/proc/${pid}/environ`).includes(`${MARK_NAME}=${mark}`)) return [];
    const line = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
    return line === '' ? [] : [`${pid}: ${line.slice(0, 120)}`];
  });
}
