/** Opens the session an agent was asked for: a new one, the newest, or one by id. */
import type { Snapshot } from '@holdover/engine';
import { AgentError } from '../errors.ts';
import type { Provider } from '../providers/provider.ts';
import { createLog, loadSession, reopenLog, type SessionLog } from './log.ts';
import { ensureFolder, listSessions, newSessionId, SESSIONS_FOLDER, sessionPath } from './sessions.ts';

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
  /** Results for calls that were under way when the last process ended. */
  readonly interrupted: readonly object[];
}

export interface OpenOptions {
  readonly root: string;
  readonly provider: Provider;
  readonly model: string;
  readonly ports: { readonly now: () => number; readonly random: () => number };
}

async function createSession({ root, provider, model, ports }: OpenOptions): Promise<OpenedSession> {
  await ensureFolder(root, SESSIONS_FOLDER);
  const now = new Date(ports.now());
  const id = newSessionId(now, ports.random);
  const header = { sessionId: id, createdAt: now.toISOString(), provider: provider.name, model };
  const log = await createLog(sessionPath(root, id), header);
  return { id, log, snapshot: undefined, messages: [], loggedSeq: 0, interrupted: [] };
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

async function resumeSession(id: string, { root, provider }: OpenOptions): Promise<OpenedSession> {
  const path = sessionPath(root, id);
  const loaded = await loadSession(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new AgentError(
      'session_not_found',
      `there is no session ${id} in ${root}; leave --resume out to start a new one`,
      { cause: error },
    );
  });
  if (loaded.header.provider !== provider.name) {
    const { provider: made } = loaded.header;
    throw new AgentError(
      'session_unreadable',
      `session ${id} is in the format of ${made}, not ${provider.name}; resume it with that provider`,
    );
  }
  return {
    id,
    log: await reopenLog(path, loaded),
    snapshot: { ...(loaded.state ?? NO_STATE), groups: loaded.groups },
    messages: loaded.messages,
    loggedSeq: loaded.groups.at(-1)?.seq ?? 0,
    interrupted: interruptedResults(loaded.messages, provider),
  };
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
