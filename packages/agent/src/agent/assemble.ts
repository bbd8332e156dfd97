/** Puts an agent's parts together around an opened session. */
import { join } from 'node:path';
import { cachePricesOf, type Context, createContext, modelFacts } from '@holdover/engine';
import { createSealer } from '@holdover/engine/proof';
import { AgentError } from '../errors.ts';
import { createFileState } from '../file-state/file-state.ts';
import { historyCalls } from '../file-state/history-calls.ts';
import { restoreFileState } from '../file-state/restore.ts';
import { createHooks } from '../hooks/hooks.ts';
import { shellHooks } from '../hooks/shell-hooks.ts';
import { reasonOf } from '../loop/retry.ts';
import { createSummaryWriter } from '../loop/summary-writer.ts';
import { connectMcp, type McpConnections } from '../mcp/connect-mcp.ts';
import { createPermissions, type PermissionsOptions } from '../permissions/permissions.ts';
import { openRuleStore } from '../permissions/rule-store.ts';
import { chooseProvider } from '../providers/choose-provider.ts';
import type { Provider } from '../providers/provider.ts';
import type { OpenedSession } from '../session/open-session.ts';
import { writeTranscript } from '../session/transcripts.ts';
import { workspaceArchive } from '../session/workspace-archive.ts';
import { CATALOGUE_WINDOW_SHARE, skillCatalogue } from '../skills/catalogue.ts';
import { findSkills } from '../skills/find-skills.ts';
import { createSubagentRunner } from '../subagents/run-subagent.ts';
import { createLongTexts } from '../tools/long-texts.ts';
import { createTodoNag } from '../tools/todo-nag.ts';
import { createProcesses } from '../tools/processes.ts';
import { createWorkspace } from '../workspace/workspace.ts';
import { beforeSummary } from './compaction-hooks.ts';
import { createCostMeter } from './cost.ts';
import { readInstructions } from './instructions.ts';
import { type AgentOptions, type ContextSettings, DEFAULT_CONTEXT_SETTINGS, MACHINE_PORTS } from './options.ts';
import type { Parts, Settings } from './parts.ts';
import { stateItems } from './state-items.ts';
import { systemPrompt } from './system-prompt.ts';
import { createToolbox } from './toolbox.ts';

const CHARS_PER_TOKEN = 4;

/** What is there before a session is opened. */
export type Surroundings = Pick<
  Parts,
  'options' | 'provider' | 'settings' | 'ports' | 'archive' | 'emit' | 'workspace' | 'choice'
>;

function settingsOf({ context, factsOf = modelFacts }: AgentOptions): Settings {
  const known = (model: string): number => factsOf(model).windowTokens;
  const {
    policy: _,
    redact: __,
    archive: ___,
    windowTokens = known,
    ...settings
  } = { ...DEFAULT_CONTEXT_SETTINGS, ...context };
  return { ...settings, windowOf: typeof windowTokens === 'number' ? () => windowTokens : windowTokens };
}

function providerOf({ provider, model, factsOf = modelFacts }: AgentOptions): Provider {
  const chosen = provider ?? chooseProvider({ env: process.env, model, factsOf })?.provider;
  if (chosen !== undefined) return chosen;
  throw new AgentError(
    'no_key',
    'no provider is given and the environment holds no key: set ANTHROPIC_API_KEY or OPENAI_API_KEY, or pass `provider`',
  );
}

export function surroundingsOf(options: AgentOptions): Surroundings {
  const workspace = createWorkspace(options.workspace ?? process.cwd());
  return {
    options,
    provider: providerOf(options),
    settings: settingsOf(options),
    ports: { ...MACHINE_PORTS, ...options.ports },
    archive: workspaceArchive(workspace.root, options.context?.archive),
    emit: options.onEvent ?? (() => undefined),
    workspace,
    choice: { model: options.model, fallback: undefined },
  };
}

function redaction({ context }: AgentOptions): Pick<ContextSettings, 'redact'> {
  return context?.redact === undefined ? {} : { redact: context.redact };
}

type Guarded = Surroundings & Pick<Parts, 'permissions' | 'hooks' | 'todos' | 'skills' | 'cost'>;

/** The context of an opened session, filled with what its log says. */
async function contextFor(session: OpenedSession, guarded: Guarded): Promise<Context<object, object>> {
  const { options, provider, settings, ports, archive, emit, workspace, choice } = guarded;
  const { permissions, hooks, todos, skills } = guarded;
  const { codec } = provider;
  const context: Context<object, object> = createContext<object, object>({
    codec,
    archive,
    writer: createSummaryWriter(provider, () => choice.model, {
      ...ports,
      onWait: ({ error, attempt, waitMs }) => emit({ type: 'request-retry', reason: reasonOf(error), attempt, waitMs }),
      fallback: () => choice.fallback,
    }),
    windowTokens: settings.windowOf,
    prices: (model) => cachePricesOf((options.factsOf ?? modelFacts)(model)),
    sessionId: session.id,
    transcript: async (messages, address) => {
      await writeTranscript(workspace.root, `${session.id}_${address}`, messages);
    },
    state: () => stateItems({ history: () => context.history(), codec, todos, skills, workspace, permissions }),
    beforeSummary: beforeSummary(hooks),
    onEvent: (event) => emit({ type: 'context', event }),
    ...(options.context?.policy === undefined ? {} : { policy: options.context.policy }),
    ...redaction(options),
  });
  if (session.snapshot !== undefined) await context.restore(session.snapshot, session.messages);
  return context;
}

/** Rules remembered in the user's own folder; a folder that cannot hold them costs the memory, not the session. */
async function ruleStoreOf(
  { options, workspace, ports, emit }: Surroundings,
  sessionId: string,
): Promise<Pick<PermissionsOptions, 'store' | 'onProblem'>> {
  const { userFolder } = options;
  if (userFolder === undefined) return {};
  const onProblem = (text: string): void => emit({ type: 'notice', text });
  const where = { userFolder, workspace: workspace.root, sessionId, now: ports.now, onProblem };
  return openRuleStore(where).then(
    (store) => ({ store, onProblem }),
    (error: unknown) => {
      onProblem(reasonOf(error));
      return { onProblem };
    },
  );
}

/** The guards between the model and the machine. */
async function guardsOf(
  around: Surroundings,
  sessionId: string,
): Promise<Pick<Parts, 'permissions' | 'hooks' | 'shellHooks'>> {
  const { options, workspace, emit } = around;
  const hooks =
    options.hooks ??
    createHooks<object>({
      onError: (event, error) => emit({ type: 'notice', text: `a ${event} hook failed: ${reasonOf(error)}` }),
    });
  const own = { hooks, cwd: workspace.root, env: options.env ?? {}, sessionId: () => sessionId };
  return {
    hooks,
    shellHooks: options.shellHooks === undefined ? undefined : shellHooks(options.shellHooks, own),
    permissions: createPermissions({
      workspace,
      ...(await ruleStoreOf(around, sessionId)),
      ...(options.rules === undefined ? {} : { rules: options.rules }),
      ...(options.ask === undefined ? {} : { ask: options.ask }),
    }),
  };
}

function subagentsOf(guarded: Guarded, sessionId: string): Parts['subagents'] {
  const { options, provider, settings, choice, cost } = guarded;
  const { permissions, hooks, workspace, archive, ports, emit } = guarded;
  return createSubagentRunner({
    provider,
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
    sessionId,
    emit,
    context: { beforeSummary: beforeSummary(hooks), ...redaction(options) },
    // Asked for with each sub-agent: the fallback is that of the run under way.
    get loop() {
      const { thinkingTokens } = options;
      return {
        ...(choice.fallback === undefined ? {} : { fallback: choice.fallback }),
        ...(thinkingTokens === undefined ? {} : { thinking: { budgetTokens: thinkingTokens } }),
      };
    },
    onReceipt: (receipt) => cost.add(receipt),
  });
}

function filesOf(
  { provider, workspace }: Surroundings,
  context: Context<object, object>,
  messages: readonly object[],
): Parts['files'] {
  const files = createFileState({ showsResult: (callId) => context.showsResult(callId) });
  restoreFileState(files, historyCalls(messages, provider.codec), workspace);
  return files;
}

/** What is read from disk when a session opens: standing instructions and skills, as the system prompt has them. */
async function readSurroundings({
  options,
  settings,
  workspace,
  choice,
  emit,
}: Surroundings): Promise<Pick<Parts, 'skills' | 'system'>> {
  const { userFolder } = options;
  const own = userFolder === undefined ? {} : { userFolder: join(userFolder, 'skills') };
  const [instructions, { skills, skipped }] = await Promise.all([
    readInstructions({ workspace, userFolder }),
    findSkills({ workspaceRoot: workspace.root, ...own }),
  ]);
  for (const { path, reason } of skipped) emit({ type: 'notice', text: `skill ${path} is left out: ${reason}` });
  const maxChars = Math.floor(settings.windowOf(choice.model) * CATALOGUE_WINDOW_SHARE * CHARS_PER_TOKEN);
  return { skills, system: systemPrompt({ instructions, skills: skillCatalogue(skills, maxChars) }) };
}

/** Connects the MCP servers of the settings; one that fails is told of, and the others are used. */
function mcpOf({ options, workspace, archive, emit }: Surroundings): Promise<McpConnections> {
  return connectMcp(options.mcpServers ?? new Map(), {
    workspaceRoot: workspace.root,
    env: options.env ?? {},
    texts: createLongTexts(archive),
    onStatus({ name, state, reason }) {
      if (state === 'failed' || state === 'gone')
        emit({ type: 'notice', text: `MCP server ${name} ${state === 'gone' ? 'ended' : 'failed'}: ${reason ?? ''}` });
    },
  });
}

/** Everything one session needs. Rejects where the log and the archive do not give the session back. */
export async function assemble(session: OpenedSession, around: Surroundings): Promise<Parts> {
  const mcp = await mcpOf(around);
  try {
    return await partsAround(session, around, mcp);
  } catch (error) {
    await mcp.close();
    throw error;
  }
}

async function partsAround(session: OpenedSession, around: Surroundings, mcp: McpConnections): Promise<Parts> {
  const { options, provider, archive } = around;
  const [read, guards] = await Promise.all([readSurroundings(around), guardsOf(around, session.id)]);
  const todos = { items: session.todos };
  const cost = createCostMeter(options.factsOf ?? modelFacts, session.facts.get('cost'));
  const guarded = { ...around, ...guards, ...read, todos, cost };
  const context = await contextFor(session, guarded);
  const processes = createProcesses();
  const subagents = subagentsOf(guarded, session.id);
  const tools = createToolbox({
    processes,
    todos,
    context,
    archive,
    codec: provider.codec,
    runTask: subagents.run,
    skills: read.skills,
    own: [...mcp.tools, ...(options.tools ?? [])],
  });
  return {
    ...guarded,
    sessionId: session.id,
    readOnly: session.readOnly,
    context,
    log: session.log,
    processes,
    subagents,
    mcp,
    nag: createTodoNag(),
    tools,
    files: filesOf(around, context, session.messages),
    loggedSeq: session.loggedSeq,
    loggedTodos: session.todos,
    sealer: createSealer(provider.codec),
    unlogged: [],
    working: undefined,
  };
}
