/** What an agent is made of, and the defaults. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ModelFacts, Policy } from '@holdover/engine';
import type { HookSettings } from '../hooks/hook-settings.ts';
import type { Hooks } from '../hooks/hooks.ts';
import type { AgentEvent } from '../loop/events.ts';
import type { RetryPorts } from '../loop/retry.ts';
import type { McpSettings } from '../mcp/settings.ts';
import type { AskPort } from '../permissions/permissions.ts';
import type { PermissionRules } from '../permissions/rules.ts';
import type { Provider } from '../providers/provider.ts';
import type { SessionChoice } from '../session/open-session.ts';
import type { ArchiveKind } from '../session/workspace-archive.ts';
import type { Tool } from '../tools/tool.ts';

/** How the context is kept. */
export interface ContextSettings {
  /** @default the engine's */
  readonly policy?: Policy;
  /** What a model's window is believed to be, tokens, 4,000 to 2,000,000. @default what `factsOf` says */
  readonly windowTokens?: number | ((model: string) => number);
  /** `arrival`: secrets in messages are replaced before they are first sent or logged. @default only at exits, such as exports */
  readonly redact?: 'arrival';
  /**
   * Where texts that leave the context are put: files, or a SQLite file that can be searched (needs the package libsql). What the other holds is still
   * read. @default 'fs'
   */
  readonly archive?: ArchiveKind;
  /** Output cap of a request, tokens. @default 8_000 (the teaching system's) */
  readonly maxOutputTokens?: number;
  /** Output cap of the one retry after a cut reply, tokens. @default 64_000 (the teaching system's) */
  readonly escalatedOutputTokens?: number;
}

export interface AgentOptions {
  /** Model id sent with each request. */
  readonly model: string;
  /** @default by the keys and addresses in the process's environment, see `chooseProvider` */
  readonly provider?: Provider;
  /** The folder the agent works in; everything it keeps is below it. @default the current one */
  readonly workspace?: string;
  readonly context?: ContextSettings;
  /** Takes over for the rest of a run when the model is overloaded again and again. @default none */
  readonly fallbackModel?: string;
  /** Tokens the model may think before it answers. @default the model's own habit */
  readonly thinkingTokens?: number;
  /** What is known of a model: its window, and prices for the cost of the session. @default the engine's `modelFacts` */
  readonly factsOf?: (model: string) => ModelFacts;
  /** Model calls in one run. @default 200 */
  readonly maxRounds?: number;
  /** @default a new session */
  readonly session?: SessionChoice;
  /** What `SessionStart` hooks are told a new session is: begun, or begun anew by clearing another. @default 'startup' */
  readonly newSessionSource?: 'startup' | 'clear';
  readonly rules?: PermissionRules;
  /** Absent: whatever would need asking is refused. */
  readonly ask?: AskPort;
  /** The host's own functions. @default none */
  readonly hooks?: Hooks<object>;
  /** Shell commands as hooks, of the user's own settings (`parseHookSettings`); never of a project's. @default none */
  readonly shellHooks?: HookSettings;
  /** Servers of the user's own settings (`parseMcpServers`): their commands are run. @default none */
  readonly mcpServers?: McpSettings['servers'];
  /** Tools besides the built-in ones; one of the same name takes its place. @default none */
  readonly tools?: readonly Tool[];
  readonly onEvent?: (event: AgentEvent) => void;
  /** What commands see, before secrets are filtered out. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * The user's own folder, such as `~/.config/holdover`: an `AGENTS.md`, `skills/`, and the permissions that are remembered. Absent: only the
   * project's instructions and skills, and permissions are remembered for the session at most.
   */
  readonly userFolder?: string;
  /** Clock, chance and waiting, for tests. @default the machine's */
  readonly ports?: Partial<AgentPorts>;
}

export interface AgentPorts extends RetryPorts {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export const DEFAULT_AGENT = { maxRounds: 200 } as const;

export const DEFAULT_CONTEXT_SETTINGS = {
  maxOutputTokens: 8_000,
  escalatedOutputTokens: 64_000,
} as const;

export const MACHINE_PORTS: AgentPorts = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) => delay(ms, undefined, { signal }),
};
