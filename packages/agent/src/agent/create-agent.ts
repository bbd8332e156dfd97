/** An agent: one session of one workspace, its context, its tools, its log. */
import type { Archive, Breakdown, Context, Forecast, Receipt } from '@holdover/engine';
import { AgentError } from '../errors.ts';
import type { RunResult } from '../loop/events.ts';
import type { McpStatus } from '../mcp/connect-mcp.ts';
import type { Permissions } from '../permissions/permissions.ts';
import { type OpenedSession, openSession } from '../session/open-session.ts';
import type { Skill } from '../skills/find-skills.ts';
import type { TodoList } from '../tools/todo-write.ts';
import { assemble, surroundingsOf } from './assemble.ts';
import type { CostReport } from './cost.ts';
import { appendLogged } from './logging.ts';
import { type CompactNowOptions, compactNow, pin, preview, redo, rewind, undo, unpin } from './operations.ts';
import type { AgentOptions } from './options.ts';
import type { Parts } from './parts.ts';
import { requestNow } from './request.ts';
import { endWork, run, type UserMessage } from './run.ts';

export interface Agent {
  readonly sessionId: string;
  /** The id sent with each request. */
  readonly model: string;
  readonly context: Context<object, object>;
  readonly archive: Archive;
  readonly todos: TodoList;
  readonly permissions: Permissions;
  /** What `load_skill` knows. */
  readonly skills: readonly Skill[];
  /** The MCP servers of the settings and how they are. */
  mcp(): readonly McpStatus[];
  /** Why the session can be read and not continued; undefined for all others. */
  readonly readOnly: string | undefined;
  /**
   * Takes a user message and works until the model is done. Rejects with the provider's or the engine's error, or when `signal` is
   * aborted; what came before stays in the session.
   */
  run(message: UserMessage, options?: { readonly signal?: AbortSignal }): Promise<RunResult>;
  /** Compacts now, between two runs. Resolves to undefined where there was nothing to compact. */
  compact(options?: CompactNowOptions): Promise<Receipt | undefined>;
  /** Takes the newest compaction back. False where there is none; rejects where the result would not fit. */
  undo(): Promise<boolean>;
  /** Brings back what the newest undo took, step by step. False where there is none, or something came in between; rejects where the result would not fit. */
  redo(): Promise<boolean>;
  /** Goes on from the first `length` messages of the history, over a compaction if need be. */
  rewind(length: number): Promise<void>;
  /** Keeps a text in view, verbatim, whatever is compacted. Resolves to its id. */
  pin(text: string): Promise<number>;
  /** False where there is no such pin. */
  unpin(id: number): Promise<boolean>;
  /** What `compact` would do and cost; changes nothing and asks no model. */
  preview(options?: CompactNowOptions): Promise<Forecast>;
  /** How the window is used, by category, adding up exactly. */
  breakdown(): Breakdown;
  /** What the session has cost, sub-agents and earlier processes included. */
  cost(): CostReport;
  /** Another model of the same provider, from the next request on. */
  setModel(model: string): void;
  /** Interrupts a run that is under way and waits for its end, ends what still runs and closes the log. */
  close(): Promise<void>;
  /** Ends commands at once: for a handler of the process's own exit. */
  kill(): void;
}

function kill({ processes, subagents, shellHooks, mcp }: Parts): void {
  processes.killProcesses();
  subagents.kill();
  shellHooks?.kill();
  mcp.kill();
}

async function close(parts: Parts): Promise<void> {
  const { processes, shellHooks, mcp, log, archive } = parts;
  shellHooks?.kill();
  await endWork(parts);
  shellHooks?.off();
  await Promise.all([processes.disposeProcesses(), mcp.close()]);
  await log.close();
  await archive.close();
}

function facadeOf(parts: Parts): Agent {
  const { sessionId, readOnly, context, archive, todos, permissions, skills, cost, choice, mcp } = parts;
  return {
    sessionId,
    get model() {
      return choice.model;
    },
    context,
    archive,
    todos,
    permissions,
    skills,
    mcp: () => mcp.status(),
    readOnly,
    run: (message, options) => run(parts, message, options),
    compact: (options = {}) => compactNow(parts, options),
    undo: () => undo(parts),
    redo: () => redo(parts),
    rewind: (length) => rewind(parts, length),
    pin: (text) => pin(parts, text),
    unpin: (id) => unpin(parts, id),
    preview: (options = {}) => preview(parts, options),
    breakdown: () => context.breakdown(requestNow(parts)),
    cost: () => cost.report(),
    setModel(model) {
      choice.model = model;
    },
    close: () => close(parts),
    kill: () => kill(parts),
  };
}

/** SessionStart hooks may say something to the context; it stands behind the first message. */
async function greet({ hooks, context, options, sessionId }: Parts, session: OpenedSession): Promise<void> {
  if (session.readOnly !== undefined) return;
  const source = session.snapshot === undefined ? (options.newSessionSource ?? 'startup') : 'resume';
  const text = await hooks.sessionStart({ source, sessionId });
  if (text !== null && text.trim() !== '') context.attach(text);
}

/** A file may nest as deep as it likes, and a reader's stack ends. */
function unreadable(error: unknown, id: string): unknown {
  if (!(error instanceof RangeError)) return error;
  return new AgentError('session_unreadable', `session ${id} cannot be gone on with: ${error.message}`, {
    cause: error,
  });
}

/** Opens or makes a session. Rejects with `AgentError` for options and sessions that are no good. */
export async function createAgent(options: AgentOptions): Promise<Agent> {
  const around = surroundingsOf(options);
  await around.archive.ready();
  const session = await openSession(options.session ?? { kind: 'new' }, {
    root: around.workspace.root,
    provider: around.provider,
    model: options.model,
    ports: around.ports,
  });
  try {
    const parts = await assemble(session, around);
    if (session.interrupted.length > 0) await appendLogged(parts, session.interrupted);
    parts.emit({
      type: 'session-start',
      sessionId: session.id,
      isResumed: session.snapshot !== undefined,
      ...(session.forkedFrom === undefined ? {} : { forkedFrom: session.forkedFrom }),
      ...(options.session?.kind === 'fork' ? { isForkChosen: true } : {}),
    });
    await greet(parts, session);
    return facadeOf(parts);
  } catch (error) {
    await session.log.close();
    throw unreadable(error, session.id);
  }
}
