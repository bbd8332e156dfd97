/** Disks that do not take what a session writes: full ones and locked ones, as far as this system lets a test make them. */
import { spawnSync } from 'node:child_process';
import { launchOf, type Launch } from './observed.ts';
import type { Part } from './protocol.ts';

const quoted = (words: readonly string[]): string =>
  words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');

function inShell(script: string): Launch {
  return { command: 'bash', args: ['-c', script] };
}

/** No file grows over so many KiB: the log's write is cut in the middle. */
export function withFileLimit(program: string, part: Part, kib: number): Launch {
  const { command, args } = launchOf(program, part);
  return inShell(`ulimit -f ${kib}; exec ${quoted([command, ...args])}`);
}

/** A mount namespace of one's own: as root, or where the system gives every user one. */
const NAMESPACE: readonly string[] = process.getuid?.() === 0 ? ['unshare', '-m'] : ['unshare', '-Urm'];

/** Whether a test may mount a disk of its own here. */
export function canMount(): boolean {
  const [command = '', ...args] = NAMESPACE;
  return spawnSync(command, [...args, 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;
}

/** The part on a disk of `kib` KiB in its folder; afterwards everything on it is copied to `kept`. */
export function onSmallDisk(program: string, part: Part, { kib, kept }: { kib: number; kept: string }): Launch {
  const { command, args } = launchOf(program, part);
  const run = quoted([command, ...args]);
  const script = `mount -t tmpfs -o size=${kib}k,mode=700 none ${part.folder} && ${run}; cp -a ${part.folder}/. ${kept}/`;
  const [unshare = '', ...flags] = NAMESPACE;
  return { command: unshare, args: [...flags, 'bash', '-c', script] };
}

/** The part in a folder nothing can be written to: a read-only view of the very folder. */
export function onLockedDisk(program: string, part: Part): Launch {
  const { command, args } = launchOf(program, part);
  const lock = `mount --bind ${part.folder} ${part.folder} && mount -o remount,bind,ro ${part.folder}`;
  const [unshare = '', ...flags] = NAMESPACE;
  return { command: unshare, args: [...flags, 'bash', '-c', `${lock} && exec ${quoted([command, ...args])}`] };
}
