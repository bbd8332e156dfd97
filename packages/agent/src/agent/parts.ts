/** The state of one agent: one visible object, made by `createAgent` and changed by its operations. */
import type { Context } from '@holdover/engine';
import type { WorkspaceArchive } from '../session/workspace-archive.ts';
import type { Sealer } from '@holdover/engine/proof';
import type { FileState } from '../file-state/file-state.ts';
import type { Hooks } from '../hooks/hooks.ts';
import type { AgentEvent } from '../loop/events.ts';
import type { ShellHooks } from '../hooks/shell-hooks.ts';
import type { Fallback } from '../loop/retry.ts';
import type { McpConnections } from '../mcp/connect-mcp.ts';
import type { Permissions } from '../permissions/permissions.ts';
import type { Provider } from '../providers/provider.ts';
import type { SessionLog } from '../session/log.ts';
import type { NewRecord } from '../session/records.ts';
import type { Skill } from '../skills/find-skills.ts';
import type { SubagentRunner } from '../subagents/run-subagent.ts';
import type { Processes } from '../tools/processes.ts';
import type { TodoNag } from '../tools/todo-nag.ts';
import type { TodoList } from '../tools/todo-write.ts';
import type { Tool } from '../tools/tool.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { CostMeter } from './cost.ts';
import type { AgentOptions, AgentPorts, ContextSettings } from './options.ts';

/** Context settings with every default in place. */
export interface Settings extends Required<Omit<ContextSettings, 'policy' | 'redact' | 'archive' | 'windowTokens'>> {
  readonly windowOf: (model: string) => number;
}

export interface ModelChoice {
  model: string;
  /** Of the run under way. */
  fallback: Fallback | undefined;
}

export interface Working {
  readonly interrupt: (reason: Error) => void;
  /** Resolves when it is over, however it ended. */
  readonly ended: Promise<void>;
}

export interface Parts {
  readonly options: AgentOptions;
  readonly provider: Provider;
  readonly settings: Settings;
  readonly ports: AgentPorts;
  readonly context: Context<object, object>;
  readonly archive: WorkspaceArchive;
  readonly log: SessionLog;
  readonly sessionId: string;
  /** Why the session can be read and not continued. */
  readonly readOnly: string | undefined;
  readonly processes: Processes;
  readonly shellHooks: ShellHooks | undefined;
  readonly mcp: McpConnections;
  readonly workspace: Workspace;
  readonly permissions: Permissions;
  readonly hooks: Hooks<object>;
  readonly emit: (event: AgentEvent) => void;
  readonly todos: TodoList;
  readonly nag: TodoNag;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly skills: readonly Skill[];
  readonly files: FileState;
  readonly subagents: SubagentRunner;
  readonly cost: CostMeter;
  readonly system: string;
  /** What the agent may change while it is open. */
  readonly choice: ModelChoice;
  /** Number of the newest group of the ledger in the log. */
  loggedSeq: number;
  /** The task list as the log has it. */
  loggedTodos: TodoList['items'];
  /** Makes the proof of what was sent. */
  readonly sealer: Sealer;
  /** Records of what happened that a failed write left out. */
  unlogged: readonly NewRecord[];
  /** The operation under way. */
  working: Working | undefined;
}
