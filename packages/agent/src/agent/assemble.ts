/** Puts an agent's parts together around an opened session. */
import { join } from 'node:path';
import { type Archive, type Context, createContext, modelFacts } from '@holdover/engine';
import { fsArchive } from '@holdover/engine/archives/fs';
import { createFileState } from '../file-state/file-state.ts';
import { historyCalls } from '../file-state/history-calls.ts';
import { restoreFileState } from '../file-state/restore.ts';
import { viewShowsResult } from '../file-state/shows-result.ts';
import { createHooks } from '../hooks/hooks.ts';
import { reasonOf } from '../loop/retry.ts';
import { createSummaryWriter } from '../loop/summary-writer.ts';
import { createPermissions } from '../permissions/permissions.ts';
import type { OpenedSession } from '../session/open-session.ts';
import { ensureFolder, RESULTS_FOLDER } from '../session/sessions.ts';
import { writeTranscript } from '../session/transcripts.ts';
import { createSubagentRunner } from '../subagents/run-subagent.ts';
import { createProcesses } from '../tools/processes.ts';
import { createWorkspace } from '../workspace/workspace.ts';
import { createCostMeter } from './cost.ts';
import { readInstructions } from './instructions.ts';
import { type AgentOptions, DEFAULT_CONTEXT_SETTINGS, MACHINE_PORTS } from './options.ts';
import type { Parts, Settings } from './parts.ts';
import { systemPrompt } from './system-prompt.ts';
import { createToolbox } from './toolbox.ts';

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

/** What is there before a session is opened. */
export type Surroundings = Pick<Parts, 'options' | 'settings' | 'ports' | 'archive' | 'emit' | 'workspace' | 'choice'>;

function settingsOf({ context }: AgentOptions): Settings {
  const { policy: _, windowTokens, ...settings } = { ...DEFAULT_CONTEXT_SETTINGS, ...context };
  return { ...settings, windowOf: typeof windowTokens === 'number' ? () => windowTokens : windowTokens };
}

export function surroundingsOf(options: AgentOptions): Surroundings {
  const workspace = createWorkspace(options.workspace ?? process.cwd());
  return {
    options,
    settings: settingsOf(options),
    ports: { ...MACHINE_PORTS, ...options.ports },
    archive: resultsArchive(workspace.root),
    emit: options.onEvent ?? (() => undefined),
    workspace,
    choice: { model: options.model, fallback: undefined },
  };
}

/** The context of an opened session, filled with what its log says. */
async function contextFor(session: OpenedSession, around: Surroundings): Promise<Context<object, object>> {
  const { options, settings, ports, archive, emit, workspace, choice } = around;
  const context = createContext<object, object>({
    codec: options.provider.codec,
    archive,
    writer: createSummaryWriter(options.provider, () => choice.model, {
      ...ports,
      onWait: ({ error, attempt, waitMs }) => emit({ type: 'request-retry', reason: reasonOf(error), attempt, waitMs }),
      fallback: () => choice.fallback,
    }),
    windowTokens: settings.windowOf,
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

/** The guards between the model and the machine. */
function guardsOf({ options, workspace }: Surroundings): Pick<Parts, 'permissions' | 'hooks'> {
  return {
    permissions: createPermissions({
      workspace,
      ...(options.rules === undefined ? {} : { rules: options.rules }),
      ...(options.ask === undefined ? {} : { ask: options.ask }),
    }),
    hooks: options.hooks ?? createHooks<object>(),
  };
}

type Guarded = Surroundings &
  Pick<Parts, 'context' | 'permissions' | 'hooks' | 'cost'> & { readonly session: OpenedSession };

function subagentsOf(guarded: Guarded): Parts['subagents'] {
  const { options, settings, choice, cost, session } = guarded;
  const { permissions, hooks, workspace, archive, ports, emit } = guarded;
  return createSubagentRunner({
    provider: options.provider,
    model: () => choice.model,
    windowTokens: () => settings.windowOf(choice.model),
    maxOutputTokens: settings.maxOutputTokens,
    escalatedOutputTokens: settings.escalatedOutputTokens,
    ...(options.context?.policy === undefined ? {} : { policy: options.context.policy }),
    permissions,
    hooks,
    workspace,
    archive,
    env: options.env ?? {},
    ports,
    sessionId: session.id,
    emit,
    onReceipt: (receipt) => cost.add(receipt),
  });
}

function filesOf({ context, options, workspace, session }: Guarded): Parts['files'] {
  const files = createFileState({ showsResult: (callId) => viewShowsResult(context, options.provider.codec, callId) });
  restoreFileState(files, historyCalls(session.messages, options.provider.codec), workspace);
  return files;
}

/** Everything one session needs. Rejects where the log and the archive do not give the session back. */
export async function assemble(session: OpenedSession, around: Surroundings): Promise<Parts> {
  const { options, settings, choice, archive, workspace } = around;
  const context = await contextFor(session, around);
  const cost = createCostMeter(options.factsOf ?? modelFacts, session.facts.get('cost'));
  const guarded = { ...around, ...guardsOf(around), context, cost, session };
  const processes = createProcesses();
  const todos = { items: session.todos };
  const subagents = subagentsOf(guarded);
  const instructions = await readInstructions({ workspace, userFolder: options.userFolder });
  const tools = createToolbox({
    processes,
    todos,
    context,
    archive,
    codec: options.provider.codec,
    windowTokens: settings.windowOf(choice.model),
    runTask: subagents.run,
    own: options.tools ?? [],
  });
  const { session: _, ...parts } = guarded;
  return {
    ...parts,
    log: session.log,
    processes,
    subagents,
    todos,
    tools,
    files: filesOf(guarded),
    system: systemPrompt({ instructions }),
    loggedSeq: session.loggedSeq,
    loggedTodos: session.todos,
    unlogged: [],
    isBusy: false,
  };
}
