/** An agent: one session of one workspace, its context, its tools, its log. */
import { join } from 'node:path';
import { type Archive, type Context, createContext } from '@holdover/engine';
import { fsArchive } from '@holdover/engine/archives/fs';
import { createHooks } from '../hooks/hooks.ts';
import type { RunResult } from '../loop/events.ts';
import { reasonOf } from '../loop/retry.ts';
import { createPermissions } from '../permissions/permissions.ts';
import { type OpenedSession, openSession } from '../session/open-session.ts';
import { ensureFolder, RESULTS_FOLDER } from '../session/sessions.ts';
import { writeTranscript } from '../session/transcripts.ts';
import { createProcesses } from '../tools/processes.ts';
import type { TodoList } from '../tools/todo-write.ts';
import { createWorkspace } from '../workspace/workspace.ts';
import { readInstructions } from './instructions.ts';
import { appendLogged } from './logging.ts';
import { type AgentOptions, DEFAULT_CONTEXT_SETTINGS, MACHINE_PORTS } from './options.ts';
import type { Parts } from './parts.ts';
import { run } from './run.ts';
import { createSummaryWriter } from '../loop/summary-writer.ts';
import { systemPrompt } from './system-prompt.ts';
import { createToolbox } from './toolbox.ts';

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

type Surroundings = Pick<Parts, 'options' | 'settings' | 'ports' | 'archive' | 'emit' | 'workspace'>;

/** The context of an opened session, filled with what its log says. */
async function contextFor(session: OpenedSession, around: Surroundings): Promise<Context<object, object>> {
  const { options, settings, ports, archive, emit, workspace } = around;
  const context = createContext<object, object>({
    codec: options.provider.codec,
    archive,
    writer: createSummaryWriter(options.provider, options.model, {
      ...ports,
      onWait: ({ error, attempt, waitMs }) => emit({ type: 'request-retry', reason: reasonOf(error), attempt, waitMs }),
    }),
    windowTokens: settings.windowTokens,
    sessionId: session.id,
    transcript: async (messages, address) => {
      await writeTranscript(workspace.root, `${session.id}_${address}`, messages);
    },
    onEvent: (event) => emit({ type: 'context', event }),
    ...(options.context?.policy === undefined ? {} : { policy: options.context.policy }),
  });
  if (session.snapshot !== undefined) await context.restore(session.snapshot, session.messages);
  return context;
}

function surroundingsOf(options: AgentOptions): Surroundings {
  const workspace = createWorkspace(options.workspace ?? process.cwd());
  const { policy: _, ...settings } = { ...DEFAULT_CONTEXT_SETTINGS, ...options.context };
  return {
    options,
    settings,
    ports: { ...MACHINE_PORTS, ...options.ports },
    archive: resultsArchive(workspace.root),
    emit: options.onEvent ?? (() => undefined),
    workspace,
  };
}

interface Opened extends Surroundings {
  readonly session: OpenedSession;
  readonly context: Context<object, object>;
  readonly system: string;
}

function partsOf({ session, ...around }: Opened): Parts {
  const { options, settings, workspace, context } = around;
  const todos: TodoList = { items: [] };
  const processes = createProcesses();
  const { windowTokens } = settings;
  return {
    ...around,
    log: session.log,
    processes,
    permissions: createPermissions({
      workspace,
      ...(options.rules === undefined ? {} : { rules: options.rules }),
      ...(options.ask === undefined ? {} : { ask: options.ask }),
    }),
    hooks: options.hooks ?? createHooks<object>(),
    todos,
    tools: createToolbox({ processes, todos, context, windowTokens, own: options.tools ?? [] }),
    model: options.model,
    loggedSeq: session.loggedSeq,
    unlogged: [],
    isBusy: false,
  };
}

/** Opens or makes a session. Rejects with `AgentError` for options and sessions that are no good. */
export async function createAgent(options: AgentOptions): Promise<Agent> {
  const around = surroundingsOf(options);
  const session = await openSession(options.session ?? { kind: 'new' }, {
    root: around.workspace.root,
    provider: options.provider,
    model: options.model,
    ports: around.ports,
  });
  const context = await contextFor(session, around).catch(async (error: unknown) => {
    await session.log.close();
    throw error;
  });
  const instructions = await readInstructions({ workspace: around.workspace, userFolder: options.userFolder });
  const parts = partsOf({ ...around, session, context, system: systemPrompt({ instructions }) });
  await appendLogged(parts, session.interrupted);
  parts.emit({
    type: 'session-start',
    sessionId: session.id,
    isResumed: session.snapshot !== undefined,
    ...(session.forkedFrom === undefined ? {} : { forkedFrom: session.forkedFrom }),
  });
  return {
    sessionId: session.id,
    context,
    archive: parts.archive,
    todos: parts.todos,
    run: (text, runOptions) => run(parts, text, runOptions),
    async close() {
      await parts.processes.disposeProcesses();
      await session.log.close();
    },
    kill: () => parts.processes.killProcesses(),
  };
}
