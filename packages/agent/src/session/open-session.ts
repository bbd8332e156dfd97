/** Opens the session an agent was asked for: a new one, the newest, one by id, or a copy of one. */
import { rm } from 'node:fs/promises';
import type { Snapshot } from '@holdover/engine';
import { AgentError } from '../errors.ts';
import type { Provider } from '../providers/provider.ts';
import type { TodoItem } from '../tools/todo-write.ts';
import { factRecord, titleFact, todosOf } from './facts.ts';
import { type Lease, takeLease } from './lease.ts';
import { createLog, reopenLog, type SessionLog } from './log.ts';
import { isReadOnlyPlace, notWritten } from './not-written.ts';
import { type LoadedSession, loadSession } from './read-log.ts';
import { LOG_VERSION } from './records.ts';
import { ensureFolder, leasePath, listSessions, newSessionId, SESSIONS_FOLDER, sessionPath } from './sessions.ts';

export type SessionChoice =
  | { readonly kind: 'new' }
  | { readonly kind: 'continue' }
  | { readonly kind: 'resume'; readonly id: string }
  /** A copy under an id of its own, of all messages or the first `length`. `id`: @default the newest */
  | { readonly kind: 'fork'; readonly id?: string; readonly length?: number };

export interface OpenedSession {
  readonly id: string;
  readonly log: SessionLog;
  /** Set for a session that was there before. */
  readonly snapshot: Snapshot | undefined;
  readonly messages: readonly object[];
  /** Number of the newest group of the ledger in the log. */
  readonly loggedSeq: number;
  /** Set where this opening made a copy, by choice or because another process writes that session. */
  readonly forkedFrom?: string;
  /** Results for calls that were under way when the last process ended. */
  readonly interrupted: readonly object[];
  /** Why the session can be read and not continued; appending to its log is refused with the same words. */
  readonly readOnly?: string;
  /** The task list as it was. */
  readonly todos: readonly TodoItem[];
  /** The title the user gave. */
  readonly title?: string;
  /** Everything else the log keeps, by name. */
  readonly facts: ReadonlyMap<string, unknown>;
}

export interface OpenOptions {
  readonly root: string;
  readonly provider: Provider;
  readonly model: string;
  readonly ports: { readonly now: () => number; readonly random: () => number };
}

/** A log that gives its lease back when it is closed. */
function leased(log: SessionLog, lease: Lease | undefined): SessionLog {
  return {
    append: (records) => log.append(records),
    async close() {
      await log.close();
      await lease?.release();
    },
  };
}

async function createSession(
  { root, provider, model, ports }: OpenOptions,
  forkedFrom?: string,
): Promise<OpenedSession> {
  await ensureFolder(root, SESSIONS_FOLDER);
  const now = new Date(ports.now());
  const id = newSessionId(now, ports.random);
  const origin = forkedFrom === undefined ? {} : { forkedFrom };
  const header = { sessionId: id, createdAt: now.toISOString(), provider: provider.name, model, ...origin };
  const path = sessionPath(root, id);
  const log = await createLog(path, header).catch((error: unknown) => {
    throw notWritten(path, error);
  });
  const lease = await takeLease(leasePath(path)).catch(async (error: unknown) => {
    await log.close();
    await rm(path, { force: true });
    throw notWritten(leasePath(path), error);
  });
  return {
    id,
    log: leased(log, lease),
    snapshot: undefined,
    messages: [],
    loggedSeq: 0,
    interrupted: [],
    todos: [],
    facts: new Map(),
    ...origin,
  };
}

/**
 * Error results for the calls of the last reply that have none: what a session that goes on from there begins with. None where words of the user's
 * came behind them already: results have no place there any more.
 */
export function interruptedResults(messages: readonly object[], provider: Provider): readonly object[] {
  const open = new Set<string>();
  for (const message of messages) {
    const { origin, parts } = provider.codec.decode(message);
    if (origin === 'model' || !parts.some((part) => part.kind === 'result')) open.clear();
    for (const part of parts) {
      if (part.kind === 'call') open.add(part.id);
      if (part.kind === 'result') open.delete(part.callId);
    }
  }
  if (open.size === 0) return [];
  const text =
    'The session was interrupted before this call had its result. It may have run: check before running it again.';
  return provider.results([...open].map((callId) => ({ callId, text, isError: true })));
}

/** What a log without a state record stands for: nothing was learned yet. */
const NO_STATE: Omit<Snapshot, 'groups'> = {
  v: 1,
  meter: { ratio: 1, reports: 0 },
  breaker: { failures: 0, target: '' },
  holdLength: -1,
  learnedWindows: [],
};

async function load(id: string, { root, provider }: OpenOptions): Promise<LoadedSession> {
  const loaded = await loadSession(sessionPath(root, id)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new AgentError(
      'session_not_found',
      `there is no session ${id} in ${root}; leave --resume out to start a new one`,
      { cause: error },
    );
  });
  if (loaded.header.provider === provider.name) return loaded;
  throw new AgentError(
    'session_unreadable',
    `session ${id} is in the format of ${loaded.header.provider}, not ${provider.name}; resume it with that provider`,
  );
}

/** What a loaded log says, for a session that goes on in `log`. */
function resumed(
  session: { readonly id: string; readonly log: SessionLog },
  loaded: LoadedSession,
  provider: Provider,
): OpenedSession {
  const title = titleFact(loaded.facts);
  return {
    ...session,
    snapshot: { ...(loaded.state ?? NO_STATE), groups: loaded.groups },
    messages: loaded.messages,
    loggedSeq: loaded.groups.at(-1)?.seq ?? 0,
    interrupted: interruptedResults(loaded.messages, provider),
    todos: todosOf(loaded.facts),
    facts: loaded.facts,
    ...(title === undefined ? {} : { title }),
  };
}

/** Why a log must not be written: what this version does not understand could be made untrue. */
function readOnlyReason(id: string, { version, damage }: LoadedSession): string | undefined {
  if (version > LOG_VERSION)
    return `session ${id} was written by a newer version (${version}, this is ${LOG_VERSION}): it can be read and exported here; go on with the version that wrote it`;
  const [first] = damage;
  if (first === undefined) return undefined;
  const more = damage.length === 1 ? '' : ` and ${damage.length - 1} more`;
  return `session ${id} is damaged (${first}${more}): it can be read and exported; fork it to go on in a copy of what is whole`;
}

function lockedReason(id: string, { code = 'unknown' }: NodeJS.ErrnoException): string {
  return `session ${id} is in a folder that cannot be written (${code}): it can be read and exported; to go on, make the folder writable`;
}

function canDecode(message: object, provider: Provider): boolean {
  try {
    provider.codec.decode(message);
    return true;
  } catch {
    return false;
  }
}

interface Reading {
  readonly provider: Provider;
  readonly reason: string;
}

/** The messages that can be read, without a ledger: nothing is made of them. */
function openReadOnly(id: string, loaded: LoadedSession, { provider, reason }: Reading): OpenedSession {
  const log: SessionLog = {
    async append(records) {
      if (records.length > 0) throw new AgentError('session_read_only', reason);
    },
    close: () => Promise.resolve(),
  };
  const messages = loaded.messages.filter((message) => canDecode(message, provider));
  const shown = { ...loaded, messages, groups: [], state: undefined };
  return { ...resumed({ id, log }, shown, provider), interrupted: [], readOnly: reason };
}

/** A copy of what is whole, under an id of its own. Edits made for messages that are left out are dropped when the copy is taken up. */
async function forkSession(id: string, options: OpenOptions, length = Number.MAX_SAFE_INTEGER): Promise<OpenedSession> {
  const loaded = await load(id, options);
  if (loaded.version > LOG_VERSION)
    throw new AgentError('session_read_only', readOnlyReason(id, loaded) ?? `session ${id} cannot be copied`);
  if (!Number.isSafeInteger(length) || length < 0)
    throw new AgentError('invalid_option', `a fork takes 0 or more messages, not ${length}`);
  const messages = loaded.messages.slice(0, length);
  const fresh = await createSession(options, id);
  const records = [
    ...(loaded.groups.length === 0 ? [] : [{ type: 'ledger' as const, groups: loaded.groups }]),
    ...messages.map((message) => ({ type: 'message' as const, message })),
    ...(loaded.state === undefined ? [] : [{ type: 'state' as const, state: loaded.state }]),
    ...[...loaded.facts].map(([name, value]) => factRecord(name, value)),
  ];
  await fresh.log.append(records).catch(async (error: unknown) => {
    // Half a copy would be the newest session.
    await fresh.log.close();
    await rm(sessionPath(options.root, fresh.id), { force: true });
    throw error;
  });
  return { ...resumed(fresh, { ...loaded, messages }, options.provider), forkedFrom: id };
}

async function resumeSession(id: string, options: OpenOptions): Promise<OpenedSession> {
  const path = sessionPath(options.root, id);
  // First without the lease: what cannot be resumed is not touched.
  const seen = await load(id, options);
  const reason = readOnlyReason(id, seen);
  if (reason !== undefined) return openReadOnly(id, seen, { provider: options.provider, reason });
  const lease = await takeLease(leasePath(path)).catch((error: unknown) => {
    if (isReadOnlyPlace(error)) return error as NodeJS.ErrnoException;
    throw notWritten(leasePath(path), error);
  });
  if (lease === undefined) return forkSession(id, options);
  if (lease instanceof Error)
    return openReadOnly(id, seen, { provider: options.provider, reason: lockedReason(id, lease) });
  try {
    const loaded = await load(id, options);
    return resumed({ id, log: leased(await reopenLog(path, loaded), lease) }, loaded, options.provider);
  } catch (error) {
    await lease.release();
    throw error;
  }
}

async function newestOf(root: string): Promise<string> {
  const [newest] = await listSessions(root);
  if (newest !== undefined) return newest;
  throw new AgentError(
    'session_not_found',
    `there is no session in ${root} to continue; leave --continue out to start one`,
  );
}

export async function openSession(choice: SessionChoice, options: OpenOptions): Promise<OpenedSession> {
  if (choice.kind === 'new') return createSession(options);
  if (choice.kind === 'resume') return resumeSession(choice.id, options);
  if (choice.kind === 'continue') return resumeSession(await newestOf(options.root), options);
  return forkSession(choice.id ?? (await newestOf(options.root)), options, choice.length);
}
