/** The state of one agent: one visible object, made by `createAgent` and changed by its operations. */
import type { Archive, Context } from '@holdover/engine';
import type { Hooks } from '../hooks/hooks.ts';
import type { AgentEvent } from '../loop/events.ts';
import type { Permissions } from '../permissions/permissions.ts';
import type { SessionLog } from '../session/log.ts';
import type { NewRecord } from '../session/records.ts';
import type { Processes } from '../tools/processes.ts';
import type { TodoList } from '../tools/todo-write.ts';
import type { Tool } from '../tools/tool.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { AgentOptions, AgentPorts, ContextSettings } from './options.ts';

export interface Parts {
  readonly options: AgentOptions;
  readonly settings: Required<Omit<ContextSettings, 'policy'>>;
  readonly ports: AgentPorts;
  readonly context: Context<object, object>;
  readonly archive: Archive;
  readonly log: SessionLog;
  readonly processes: Processes;
  readonly workspace: Workspace;
  readonly permissions: Permissions;
  readonly hooks: Hooks<object>;
  readonly emit: (event: AgentEvent) => void;
  readonly todos: TodoList;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly system: string;
  model: string;
  /** Number of the newest group of the ledger in the log. */
  loggedSeq: number;
  /** Records of accepted replies that a failed write left out. */
  unlogged: readonly NewRecord[];
  isBusy: boolean;
}
