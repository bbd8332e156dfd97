/** Opens the session an agent was asked for: a new one, the newest, or one by id. */
import type { Snapshot } from '@holdover/engine';
import { AgentError } from '../errors.ts';
import type { Provider } from '../providers/provider.ts';
import { type Lease, takeLease } from './lease.ts';
import { createLog, type LoadedSession, loadSession, reopenLog, type SessionLog } from './log.ts';
import { ensureFolder, leasePath, listSessions, newSessionId, SESSIONS_FOLDER, sessionPath } from './sessions.ts';

export type SessionChoice =
  | { readonly kind: 'new' }
  | { readonly kind: 'continue' }
  | { readonly kind: 'resume'; readonly id: string };

export interface OpenedSession {
  readonly id: string;
  readonly log: SessionLog;
  /** Set for a session that was there before. */
  readonly snapshot: Snapshot | undefined;
  readonly messages: readonly object[];
  /** Number of the newest group of the ledger in the log. */
  readonly loggedSeq: number;
  /** The session this one is a copy of, because another process writes it. */
  readonly forkedFrom?: string;
  /** Results for calls that were under way when the last process ended. */
  readonly interrupted: readonly object[];
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

async function createSession({ root, provider, model, ports }: OpenOptions): Promise<OpenedSession> {
  await ensureFolder(root, SESSIONS_FOLDER);
  const now = new Date(ports.now());
  const id = newSessionId(now, ports.random);
  const header = { sessionId: id, createdAt: now.toISOString(), provider: provider.name, model };
  const path = sessionPath(root, id);
  const log = await createLog(path, header);
  const lease = await takeLease(leasePath(path));
  return { id, log: leased(log, lease), snapshot: undefined, messages: [], loggedSeq: 0, interrupted: [] };
}

/** Error results for the calls of the last reply that have none. */
function interruptedResults(messages: readonly object[], provider: Provider): readonly object[] {
  const open = new Set<string>();
  for (const message of messages) {
    const { origin, parts } = provider.codec.decode(message);
    if (origin === 'model') open.clear();
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
  return {
    ...session,
    snapshot: { ...(loaded.state ?? NO_STATE), groups: loaded.groups },
    messages: loaded.messages,
    loggedSeq: loaded.groups.at(-1)?.seq ?? 0,
    interrupted: interruptedResults(loaded.messages, provider),
  };
}

/** A copy of a session that another process writes, under an id of its own. */
async function forkSession(id: string, options: OpenOptions): Promise<OpenedSession> {
  const loaded = await load(id, options);
  const fresh = await createSession(options);
  await fresh.log.append([
    ...(loaded.groups.length === 0 ? [] : [{ type: 'ledger' as const, groups: loaded.groups }]),
    ...loaded.messages.map((message) => ({ type: 'message' as const, message })),
    ...(loaded.state === undefined ? [] : [{ type: 'state' as const, state: loaded.state }]),
  ]);
  return { ...resumed(fresh, loaded, options.provider), forkedFrom: id };
}

async function resumeSession(id: string, options: OpenOptions): Promise<OpenedSession> {
  const path = sessionPath(options.root, id);
  // First without the lease: what cannot be resumed is not touched.
  await load(id, options);
  const lease = await takeLease(leasePath(path));
  if (lease === undefined) return forkSession(id, options);
  try {
    const loaded = await load(id, options);
    return resumed({ id, log: leased(await reopenLog(path, loaded), lease) }, loaded, options.provider);
  } catch (error) {
    await lease.release();
    throw error;
  }
}

export async function openSession(choice: SessionChoice, options: OpenOptions): Promise<OpenedSession> {
  if (choice.kind === 'new') return createSession(options);
  if (choice.kind === 'resume') return resumeSession(choice.id, options);
  const [newest] = await listSessions(options.root);
  if (newest === undefined)
    throw new AgentError(
      'session_not_found',
      `there is no session in ${options.root} to continue; leave --continue out to start one`,
    );
  return resumeSession(newest, options);
}
