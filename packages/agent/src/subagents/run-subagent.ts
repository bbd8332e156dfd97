/**
 * Sub-agents: the loop once more, with fresh messages, a context, a ledger and processes of its own. It shares the archive, the permissions
 * and the hooks of the agent that sent it, and nothing it learned gets back but its last words.
 */
import {
  type Archive,
  type Context,
  type ContextOptions,
  createContext,
  type Policy,
  type Receipt,
} from '@holdover/engine';
import { createFileState } from '../file-state/file-state.ts';
import type { Hooks } from '../hooks/hooks.ts';
import type { AgentEvent, RunResult, RunStop } from '../loop/events.ts';
import { reasonOf, type RetryPorts } from '../loop/retry.ts';
import { type LoopOptions, runLoop } from '../loop/run-loop.ts';
import type { Permissions } from '../permissions/permissions.ts';
import type { Provider } from '../providers/provider.ts';
import { createSummaryWriter } from '../loop/summary-writer.ts';
import { createProcesses, type Processes } from '../tools/processes.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { subagentPrompt } from './subagent-prompt.ts';
import { subagentTools } from './subagent-tools.ts';

export interface SubagentParts {
  readonly provider: Provider;
  /** Asked for each sub-agent: the user may change the model. */
  readonly model: () => string;
  /** What that model's window is believed to be, tokens. */
  readonly windowTokens: () => number;
  readonly maxOutputTokens: number;
  readonly escalatedOutputTokens: number;
  /** @default 30 (the teaching system's) */
  readonly maxRounds?: number;
  /** @default the engine's */
  readonly policy?: Policy;
  /** Further options of the sub-agent's context, such as a counter. @default none */
  readonly context?: Partial<ContextOptions<object, object>>;
  /** Further options of its loop, such as a fallback model. @default none */
  readonly loop?: Partial<LoopOptions>;
  readonly permissions: Permissions;
  /** Those around its tools run; `Stop` is the main agent's. */
  readonly hooks: Hooks<object>;
  readonly workspace: Workspace;
  /** Shared: what it keeps out of its window, and its last words where they are long. */
  readonly archive: Archive;
  readonly env: Readonly<Record<string, string>>;
  readonly ports: RetryPorts & { readonly now: () => number };
  readonly sessionId: string;
  readonly emit: (event: AgentEvent) => void;
  /** Each accepted reply, also of a sub-agent that fails later: what it cost was spent. */
  readonly onReceipt?: (receipt: Receipt, callId: string) => void;
}

export interface SubagentRun {
  readonly signal: AbortSignal;
  /** The `task` call; names the sub-agent in events. */
  readonly callId: string;
}

/** `failed`: the provider or the engine gave up; `interrupted`: the user did. `reason` says why. */
export type SubagentStop = RunStop | 'failed' | 'interrupted';

export interface SubagentResult {
  /** The last text that is not blank; empty where there was none. */
  readonly text: string;
  readonly stop: SubagentStop;
  readonly reason?: string;
  readonly rounds: number;
  readonly receipts: readonly Receipt[];
}

export interface SubagentRunner {
  /** Never rejects. Several may run at once. */
  run(description: string, options: SubagentRun): Promise<SubagentResult>;
  /** Ends the commands of all sub-agents at once: for a handler of the process's own exit. */
  kill(): void;
}

export const MAX_SUBAGENT_ROUNDS: number = 30;

export function createSubagentRunner(parts: SubagentParts): SubagentRunner {
  const running = new Set<Processes>();
  return {
    async run(description, options) {
      const processes = createProcesses();
      running.add(processes);
      try {
        return await runSubagent(parts, description, { ...options, processes });
      } finally {
        await processes.disposeProcesses();
        running.delete(processes);
      }
    },
    kill() {
      for (const processes of running) processes.killProcesses();
    },
  };
}

interface Running extends SubagentRun {
  readonly processes: Processes;
}

/** What is known of a run before its end, so that one that fails tells of it. */
interface Progress {
  text: string;
  rounds: number;
  readonly receipts: Receipt[];
}

async function runSubagent(parts: SubagentParts, description: string, running: Running): Promise<SubagentResult> {
  const { signal, callId } = running;
  const progress: Progress = { text: '', rounds: 0, receipts: [] };
  const emit = (event: AgentEvent): void => {
    if (event.type === 'assistant-message' && event.text.trim() !== '') progress.text = event.text;
    parts.emit({ type: 'subagent', id: callId, event });
  };
  try {
    const context = contextFor(parts, emit, callId);
    context.append([parts.provider.codec.compose([description.toWellFormed()])]);
    const { stop } = await loop(parts, context, { ...running, emit, progress });
    return { ...progress, stop };
  } catch (error) {
    return { ...progress, stop: signal.aborted ? 'interrupted' : 'failed', reason: reasonOf(error) };
  }
}

function contextFor(parts: SubagentParts, emit: (event: AgentEvent) => void, callId: string): Context<object, object> {
  const { provider, archive, policy, ports, sessionId } = parts;
  return createContext<object, object>({
    codec: provider.codec,
    archive,
    writer: createSummaryWriter(provider, parts.model, {
      ...ports,
      onWait: ({ error, attempt, waitMs }) => emit({ type: 'request-retry', reason: reasonOf(error), attempt, waitMs }),
    }),
    windowTokens: parts.windowTokens(),
    sessionId: `${sessionId}/${callId}`,
    onEvent: (event) => emit({ type: 'context', event }),
    ...(policy === undefined ? {} : { policy }),
    ...parts.context,
  });
}

interface Looping extends Running {
  readonly emit: (event: AgentEvent) => void;
  readonly progress: Progress;
}

function loop(parts: SubagentParts, context: Context<object, object>, looping: Looping): Promise<RunResult> {
  const { provider, permissions, hooks, workspace, archive, env, ports } = parts;
  const { signal, callId, processes, emit, progress } = looping;
  return runLoop({
    ...parts.loop,
    ...ports,
    context,
    provider,
    signal,
    emit,
    permissions,
    // A hook that sends the main agent back to its task would send every helper there too.
    hooks: { ...hooks, stop: async () => null },
    tools: subagentTools({ context, archive, codec: provider.codec, processes }),
    toolContext: {
      workspace,
      signal,
      env,
      now: ports.now,
      mayRead: (path) => permissions.mayRead(path),
      files: createFileState({ showsResult: (id) => context.showsResult(id) }),
    },
    model: parts.model(),
    system: subagentPrompt(),
    maxOutputTokens: parts.maxOutputTokens,
    escalatedOutputTokens: parts.escalatedOutputTokens,
    maxRounds: parts.maxRounds ?? MAX_SUBAGENT_ROUNDS,
    append: async (messages) => context.append(messages),
    async accepted(_called, receipt) {
      progress.rounds += 1;
      progress.receipts.push(receipt);
      parts.onReceipt?.(receipt, callId);
    },
  });
}
