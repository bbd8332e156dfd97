/** An agent: one session of one workspace, its context, its tools, its log. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Archive, type Context, createContext, type Policy } from '@holdover/engine';
import { fsArchive } from '@holdover/engine/archives/fs';
import { AgentError } from './errors.ts';
import { createHooks, type Hooks } from './hooks/hooks.ts';
import type { Called } from './loop/call-model.ts';
import type { AgentEvent, RunResult } from './loop/events.ts';
import { reasonOf, type RetryPorts } from './loop/retry.ts';
import { runLoop } from './loop/run-loop.ts';
import { type AskPort, createPermissions } from './permissions/permissions.ts';
import type { PermissionRules } from './permissions/rules.ts';
import type { Provider } from './providers/provider.ts';
import { type OpenedSession, openSession, type SessionChoice } from './session/open-session.ts';
import type { SessionLog } from './session/log.ts';
import type { NewRecord } from './session/records.ts';
import { ensureFolder, RESULTS_FOLDER } from './session/sessions.ts';
import { writeTranscript } from './session/transcripts.ts';
import { createSummaryWriter } from './summary-writer.ts';
import { systemPrompt } from './system-prompt.ts';
import { createCompactTool } from './tools/compact.ts';
import { createTools } from './tools/create-tools.ts';
import { createProcesses, type Processes } from './tools/processes.ts';
import { createRecallTool } from './tools/recall.ts';
import type { TodoList } from './tools/todo-write.ts';
import type { Tool } from './tools/tool.ts';
import { createWorkspace } from './workspace/workspace.ts';

export interface AgentOptions {
  /** The folder the agent works in; everything it keeps is below it. */
  readonly workspace: string;
  readonly provider: Provider;
  readonly model: string;
  /** What the model's window is believed to be, tokens, 4,000 to 2,000,000. @default 200_000 */
  readonly windowTokens?: number;
  /** Output cap of a request, tokens. @default 8_000 (the teaching system's) */
  readonly maxOutputTokens?: number;
  /** Output cap of the one retry after a cut reply, tokens. @default 64_000 (the teaching system's) */
  readonly escalatedOutputTokens?: number;
  /** Model calls in one run. @default 200 */
  readonly maxRounds?: number;
  /** @default the engine's */
  readonly policy?: Policy;
  /** @default a new session */
  readonly session?: SessionChoice;
  readonly rules?: PermissionRules;
  /** Absent: whatever would need asking is refused. */
  readonly ask?: AskPort;
  /** @default none */
  readonly hooks?: Hooks<object>;
  /** Tools besides the built-in ones; one of the same name takes its place. @default none */
  readonly tools?: readonly Tool[];
  readonly onEvent?: (event: AgentEvent) => void;
  /** What commands see, before secrets are filtered out. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** Clock, chance and waiting, for tests. @default the machine's */
  readonly ports?: Partial<AgentPorts>;
}

export interface AgentPorts extends RetryPorts {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export const DEFAULT_AGENT = {
  windowTokens: 200_000,
  maxOutputTokens: 8_000,
  escalatedOutputTokens: 64_000,
  maxRounds: 200,
} as const;

export interface Agent {
  readonly sessionId: string;
  readonly context: Context<object, object>;
  readonly archive: Archive;
  readonly todos: TodoList;
  /**
   * Takes a user message and works until the model is done. Rejects with the provider's or the engine's error, or when `signal` is
   * aborted; what came before stays in the session.
   */
  run(text: string, options?: { readonly signal?: AbortSignal }): Promise<RunResult>;
  /** Ends what still runs and closes the log. */
  close(): Promise<void>;
  /** Ends commands at once: for a handler of the process's own exit. */
  kill(): void;
}

const PORTS: AgentPorts = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) => delay(ms, undefined, { signal }),
};

/** Characters of one recall answer: a tenth of the window, so that a page never drives out what it was fetched for. */
const RECALL_WINDOW_SHARE = 0.1;
const CHARS_PER_TOKEN = 4;

interface Parts {
  readonly options: AgentOptions;
  readonly ports: AgentPorts;
  readonly context: Context<object, object>;
  readonly archive: Archive;
  readonly log: SessionLog;
  readonly processes: Processes;
  readonly emit: (event: AgentEvent) => void;
  readonly todos: TodoList;
  /** Number of the newest group of the ledger in the log. */
  loggedSeq: number;
  /** Records of accepted replies that a failed write left out. */
  unlogged: readonly NewRecord[];
  isRunning: boolean;
}

function toolsOf(parts: Parts): ReadonlyMap<string, Tool> {
  const { options, context, processes, todos } = parts;
  const windowTokens = options.windowTokens ?? DEFAULT_AGENT.windowTokens;
  const pageChars = (): number =>
    Math.floor((context.gauge()?.window.windowTokens ?? windowTokens) * RECALL_WINDOW_SHARE * CHARS_PER_TOKEN);
  const tools = [
    ...createTools({ processes, todos }),
    createCompactTool((focus) => context.compact(focus === undefined ? {} : { focus })),
    createRecallTool(context, pageChars),
    ...(options.tools ?? []),
  ];
  return new Map(tools.map((tool) => [tool.name, tool]));
}

/** Writes records, those first that a failed write left: what was accepted has to reach the log in order. */
async function write(parts: Parts, records: readonly NewRecord[]): Promise<void> {
  await parts.log.append([...parts.unlogged, ...records]);
  parts.unlogged = [];
}

/** Ledger first, then the reply it was made for, then what was learned: a log cut anywhere is a state that was. */
async function logAccepted(parts: Parts, called: Called): Promise<void> {
  const { groups, ...state } = parts.context.snapshot(parts.loggedSeq);
  const { message } = called.decoded;
  const records: readonly NewRecord[] = [
    ...(groups.length === 0 ? [] : [{ type: 'ledger' as const, groups }]),
    ...(message === undefined ? [] : [{ type: 'message' as const, message }]),
    { type: 'state' as const, state },
  ];
  parts.loggedSeq = groups.at(-1)?.seq ?? parts.loggedSeq;
  await write(parts, records).catch((error: unknown) => {
    parts.unlogged = [...parts.unlogged, ...records];
    throw error;
  });
}

async function appendLogged(parts: Parts, messages: readonly object[]): Promise<void> {
  await write(
    parts,
    messages.map((message) => ({ type: 'message', message })),
  );
  parts.context.append(messages);
}

function createRunner(parts: Parts): Agent['run'] {
  const { options, context, ports, emit, processes } = parts;
  const workspace = createWorkspace(options.workspace);
  const permissions = createPermissions({
    workspace,
    ...(options.rules === undefined ? {} : { rules: options.rules }),
    ...(options.ask === undefined ? {} : { ask: options.ask }),
  });
  const hooks = options.hooks ?? createHooks<object>();
  const tools = toolsOf(parts);
  const system = systemPrompt();
  return async (text, { signal = new AbortController().signal } = {}) => {
    if (parts.isRunning)
      throw new AgentError('run_in_progress', 'this agent is working on another message; wait for it, or interrupt it');
    parts.isRunning = true;
    try {
      emit({ type: 'user-message', text });
      const addition = await hooks.userPromptSubmit(text);
      const pieces = (addition === null ? [text] : [text, addition]).map((piece) => piece.toWellFormed());
      await appendLogged(parts, [options.provider.codec.compose(pieces)]);
      const result = await runLoop({
        ...ports,
        context,
        provider: options.provider,
        signal,
        emit,
        tools,
        permissions,
        hooks,
        toolContext: {
          workspace,
          signal,
          env: options.env ?? {},
          now: ports.now,
          mayRead: (path) => permissions.mayRead(path),
        },
        model: options.model,
        system,
        maxOutputTokens: options.maxOutputTokens ?? DEFAULT_AGENT.maxOutputTokens,
        escalatedOutputTokens: options.escalatedOutputTokens ?? DEFAULT_AGENT.escalatedOutputTokens,
        maxRounds: options.maxRounds ?? DEFAULT_AGENT.maxRounds,
        append: (messages) => appendLogged(parts, messages),
        accepted: (called) => logAccepted(parts, called),
      });
      emit({ type: 'run-end', result });
      return result;
    } finally {
      // Whatever a command left behind ends with the turn.
      await processes.disposeProcesses();
      parts.isRunning = false;
    }
  };
}

/** The archive in the workspace; its folder is made when something is first put there. */
function resultsArchive(root: string): Archive {
  const archive = fsArchive(join(root, RESULTS_FOLDER));
  let folder: Promise<string> | undefined;
  return {
    ...archive,
    async put(address, text) {
      folder ??= ensureFolder(root, RESULTS_FOLDER);
      await folder;
      await archive.put(address, text);
    },
  };
}

interface Surroundings extends Pick<Parts, 'options' | 'ports' | 'archive' | 'emit'> {
  readonly root: string;
}

/** The context of an opened session, filled with what its log says. */
async function contextFor(session: OpenedSession, around: Surroundings): Promise<Context<object, object>> {
  const { options, ports, archive, emit, root } = around;
  const context = createContext<object, object>({
    codec: options.provider.codec,
    archive,
    writer: createSummaryWriter(options.provider, options.model, {
      ...ports,
      onWait: ({ error, attempt, waitMs }) => emit({ type: 'request-retry', reason: reasonOf(error), attempt, waitMs }),
    }),
    windowTokens: options.windowTokens ?? DEFAULT_AGENT.windowTokens,
    sessionId: session.id,
    transcript: async (messages, address) => {
      await writeTranscript(root, `${session.id}_${address}`, messages);
    },
    onEvent: (event) => emit({ type: 'context', event }),
    ...(options.policy === undefined ? {} : { policy: options.policy }),
  });
  if (session.snapshot !== undefined) await context.restore(session.snapshot, session.messages);
  return context;
}

/** Opens or makes a session. Rejects with `AgentError` for options and sessions that are no good. */
export async function createAgent(options: AgentOptions): Promise<Agent> {
  const ports = { ...PORTS, ...options.ports };
  const emit = options.onEvent ?? (() => undefined);
  const { root } = createWorkspace(options.workspace);
  const archive = resultsArchive(root);
  const session = await openSession(options.session ?? { kind: 'new' }, {
    root,
    provider: options.provider,
    model: options.model,
    ports,
  });
  const context = await contextFor(session, { options, ports, archive, emit, root }).catch(async (error: unknown) => {
    await session.log.close();
    throw error;
  });
  const parts: Parts = {
    options,
    ports,
    context,
    archive,
    log: session.log,
    processes: createProcesses(),
    emit,
    todos: { items: [] },
    loggedSeq: session.loggedSeq,
    unlogged: [],
    isRunning: false,
  };
  await appendLogged(parts, session.interrupted);
  emit({
    type: 'session-start',
    sessionId: session.id,
    isResumed: session.snapshot !== undefined,
    ...(session.forkedFrom === undefined ? {} : { forkedFrom: session.forkedFrom }),
  });
  return {
    sessionId: session.id,
    context,
    archive,
    todos: parts.todos,
    run: createRunner(parts),
    async close() {
      await parts.processes.disposeProcesses();
      await session.log.close();
    },
    kill: () => parts.processes.killProcesses(),
  };
}
