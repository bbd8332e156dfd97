/**
 * What of a workspace's archive may go: texts no kept session speaks of. What a session speaks of is read off its log as bytes, so that a damaged or
 * a newer log keeps its texts too. A session that a process has open is kept whatever its age, and so is everything put since it was opened: what
 * it is about to say is in no log yet, and what its sub-agents put away never will be.
 */
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Archive, StoredText } from '@holdover/engine';
import { AgentError } from '../errors.ts';
import { isHeld } from './lease.ts';
import { leasePath, SESSIONS_FOLDER } from './sessions.ts';

/** Of `pruneArchive`; all have defaults. */
export interface PruneOptions {
  /** Sessions not written to for so long let go of their texts, milliseconds; their logs stay. @default none: only what no session speaks of goes */
  readonly olderThanMs?: number;
  /** What was put later than so long ago stays in any case, milliseconds. @default a day */
  readonly graceMs?: number;
  /** Only says what would go. @default false */
  readonly isDryRun?: boolean;
  /** Milliseconds since 1970. @default the machine's */
  readonly now?: () => number;
}

/** What is there and what went. */
export interface PruneReport {
  /** Sessions whose texts stay, those a process has open among them. */
  readonly keptSessions: number;
  readonly liveSessions: number;
  /** Sessions too old to keep theirs. */
  readonly oldSessions: number;
  readonly kept: Amount;
  readonly removed: Amount;
}

export interface Amount {
  readonly texts: number;
  /** As stored. */
  readonly bytes: number;
}

type Keeper = Required<Pick<Archive, 'list' | 'remove'>>;

const DAY_MS = 86_400_000;
const ADDRESS = /c_[0-9a-f]{16}/g;
const ADDRESS_CHARS = 18;

interface SeenSession {
  readonly path: string;
  readonly usedMs: number;
  /** When the process that has it open opened it; undefined where none has. */
  readonly openedMs: number | undefined;
}

async function timeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}

/** All logs, whatever their names: what is there may be somebody's session. */
async function sessionsIn(root: string): Promise<readonly SeenSession[]> {
  const folder = join(root, SESSIONS_FOLDER);
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const logs = names.filter((name) => name.endsWith('.jsonl')).map((name) => join(folder, name));
  const seen = logs.map(async (path): Promise<readonly SeenSession[]> => {
    const usedMs = await timeOf(path);
    const lease = leasePath(path);
    const openedMs = (await isHeld(lease)) ? ((await timeOf(lease)) ?? 0) : undefined;
    return usedMs === undefined ? [] : [{ path, usedMs, openedMs }];
  });
  return (await Promise.all(seen)).flat();
}

/** Every address in a file. */
async function addressesIn(path: string): Promise<readonly string[]> {
  const found = new Set<string>();
  let rest = '';
  for await (const chunk of createReadStream(path, { encoding: 'latin1' })) {
    const text = rest + String(chunk);
    for (const [address] of text.matchAll(ADDRESS)) found.add(address);
    rest = text.slice(1 - ADDRESS_CHARS);
  }
  return [...found];
}

interface Plan {
  readonly sessions: readonly SeenSession[];
  /** When the folder of sessions was changed last: by any session that is opened or begun. */
  readonly changedMs: number | undefined;
  readonly old: number;
  readonly referenced: ReadonlySet<string>;
  /** What was put from here on stays. */
  readonly usedBeforeMs: number;
}

/** Longer than the steps in which disks keep time. */
const TICK_MS = 25;

/** Clocks of a disk and of a process differ by less. */
const SLACK_MS = 1_000;

async function planFor(root: string, options: Required<PruneOptions>): Promise<Plan> {
  const nowMs = options.now();
  const changedMs = await timeOf(join(root, SESSIONS_FOLDER));
  await setTimeout(TICK_MS);
  const sessions = await sessionsIn(root);
  const isKept = ({ usedMs, openedMs }: SeenSession): boolean =>
    openedMs !== undefined || usedMs >= nowMs - options.olderThanMs;
  const referenced = new Set<string>();
  const kept = sessions.filter(isKept);
  for (const { path } of kept) for (const address of await addressesIn(path)) referenced.add(address);
  const opened = sessions.flatMap(({ openedMs }) => (openedMs === undefined ? [] : openedMs - SLACK_MS));
  const usedBeforeMs = Math.min(nowMs - options.graceMs, ...opened);
  return { sessions, changedMs, old: sessions.length - kept.length, referenced, usedBeforeMs };
}

/** Whether a session was opened or begun since the plan was made: that puts a file into their folder. */
async function isStale({ changedMs }: Plan, root: string): Promise<boolean> {
  return (await timeOf(join(root, SESSIONS_FOLDER))) !== changedMs;
}

function amount(texts: readonly StoredText[]): Amount {
  return { texts: texts.length, bytes: texts.reduce((sum, { bytes }) => sum + bytes, 0) };
}

function mayGo({ address, usedMs }: StoredText, { referenced, usedBeforeMs }: Plan): boolean {
  return !referenced.has(address) && usedMs < usedBeforeMs;
}

/** Removes from the archive of the workspace `root` what no kept session speaks of. Rejects with `invalid_option`, and with `ARCHIVE_FAILED`. */
export async function pruneArchive(root: string, archive: Keeper, given: PruneOptions = {}): Promise<PruneReport> {
  const defaults = { olderThanMs: Number.POSITIVE_INFINITY, graceMs: DAY_MS, isDryRun: false, now: Date.now };
  const options = { ...defaults, ...given };
  for (const name of ['olderThanMs', 'graceMs'] as const) {
    if (options[name] >= 0) continue;
    throw new AgentError('invalid_option', `${name} must be 0 or more, got ${options[name]}`);
  }
  let plan = await planFor(root, options);
  const all = await archive.list();
  const removed: StoredText[] = [];
  for (const text of all) {
    if (!mayGo(text, plan)) continue;
    // Somebody may open an old session at this very moment.
    while (!options.isDryRun && (await isStale(plan, root))) plan = await planFor(root, options);
    if (!mayGo(text, plan)) continue;
    const isGone = options.isDryRun || (await archive.remove(text.address, { usedBeforeMs: plan.usedBeforeMs }));
    if (isGone) removed.push(text);
  }
  const gone = new Set(removed);
  return {
    keptSessions: plan.sessions.length - plan.old,
    liveSessions: plan.sessions.filter(({ openedMs }) => openedMs !== undefined).length,
    oldSessions: plan.old,
    kept: amount(all.filter((text) => !gone.has(text))),
    removed: amount(removed),
  };
}
