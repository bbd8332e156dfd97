/**
 * One writer a session: a file beside the log names the process that writes it. A process that is gone holds nothing any more, so a crash
 * leaves no session locked.
 */
import { randomUUID } from 'node:crypto';
import { link, open, readFile, rm, writeFile } from 'node:fs/promises';
import { READ_FLAGS } from './read-log.ts';

export interface Lease {
  release(): Promise<void>;
}

interface Holder {
  readonly pid: number;
  /** Tells two leases of one process apart. */
  readonly token: string;
  /** When the process began, where the system says so: ids are given again, in a container at once. */
  readonly born?: string | undefined;
}

/** Place of the start time behind the name of the program in Linux's `/proc/<pid>/stat` (field 22; the first behind the name is 3). */
const START_TIME_FIELD = 19;

/** A mark of one process among all that ever had its id; undefined where the system keeps none. */
async function bornOf(pid: number): Promise<string | undefined> {
  try {
    const [stat, boot] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
    ]);
    const time = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[START_TIME_FIELD];
    return time === undefined ? undefined : `${boot.trim()}/${time}`;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process is alive all the same.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Bytes of a lease at most; what is longer is none. */
const MAX_LEASE_BYTES = 1_024;

/** The beginning of a file that may have come with the folder: a pipe or a device in its place would never end. */
async function readBeginning(path: string): Promise<string> {
  const file = await open(path, READ_FLAGS);
  try {
    if (!(await file.stat()).isFile()) return '';
    const room = Buffer.alloc(MAX_LEASE_BYTES);
    const { bytesRead } = await file.read(room, 0, MAX_LEASE_BYTES, 0);
    return room.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** `absent`: there is no file; undefined for one that says nothing. */
async function holderOf(path: string): Promise<Holder | 'absent' | undefined> {
  try {
    const { pid, token, born } = JSON.parse(await readBeginning(path)) as Partial<Holder>;
    return Number.isSafeInteger(pid) && typeof token === 'string' ? { pid: Number(pid), token, born } : undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'absent' : undefined;
  }
}

function leaseOf(path: string, token: string): Lease {
  return {
    async release() {
      const holder = await holderOf(path);
      if (typeof holder === 'object' && holder.token === token) await rm(path, { force: true });
    },
  };
}

/** Writes a file that must not be there yet; false where it is. */
async function create(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    // A full disk may have taken the name and not the text.
    await rm(path, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Puts the whole file in place at once; false where one stands there. */
async function place(path: string, holder: Holder): Promise<boolean> {
  const text = JSON.stringify(holder);
  const aside = `${path}.${holder.token}`;
  await create(aside, text);
  try {
    await link(aside, path);
    return true;
  } catch (error) {
    // Not every disk has links; without them a reader may see the file before its text.
    return (error as NodeJS.ErrnoException).code === 'EEXIST' ? false : create(path, text);
  } finally {
    await rm(aside, { force: true });
  }
}

async function isLiving({ pid, born }: Holder): Promise<boolean> {
  if (!isAlive(pid)) return false;
  const known = await bornOf(pid);
  return born === undefined || known === undefined || born === known;
}

/** Whether a living process has the lease at `path`. */
export async function isHeld(path: string): Promise<boolean> {
  const holder = await holderOf(path);
  return typeof holder === 'object' && (await isLiving(holder));
}

/** Takes the place of a process that is gone. One at a time may try, or a late one would remove the lease of a quick one. */
async function takeOver(path: string, holder: Holder): Promise<boolean> {
  const turn = `${path}.takeover`;
  if (!(await place(turn, holder))) {
    const other = await holderOf(turn);
    // Left by a crash in this very function: out of the way for the next time. One that is gone by now was not left.
    if (other !== 'absent' && (other === undefined || !(await isLiving(other)))) await rm(turn, { force: true });
    return false;
  }
  try {
    const there = await holderOf(path);
    // Given back meanwhile: whoever is first takes it, and that may be somebody who never had to take over.
    if (there === 'absent') return await place(path, holder);
    if (there !== undefined && (await isLiving(there))) return false;
    // Only a takeover replaces what a dead process left, and this is the only one.
    await rm(path, { force: true });
    return await place(path, holder);
  } finally {
    await rm(turn, { force: true });
  }
}

/** The lease at `path`, or undefined while a living process has it. */
export async function takeLease(path: string): Promise<Lease | undefined> {
  const holder: Holder = { pid: process.pid, token: randomUUID(), born: await bornOf(process.pid) };
  const isTaken = (await place(path, holder)) || (!(await isHeld(path)) && (await takeOver(path, holder)));
  return isTaken ? leaseOf(path, holder.token) : undefined;
}
