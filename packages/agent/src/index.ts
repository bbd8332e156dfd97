/** The agent harness: loop, tools, hooks, permissions, sessions, on the Holdover engine. */
export { type Agent, type AgentOptions, type AgentPorts, createAgent, DEFAULT_AGENT } from './agent.ts';
export { AgentError, type AgentErrorCode } from './errors.ts';
export {
  createHooks,
  type HookAnswer,
  type HookBlock,
  type HookCallbacks,
  type HookEvent,
  type Hooks,
  type HooksOptions,
  type HookToolCall,
  type OneHookOptions,
  type PostCompactAbout,
  type PreCompactAbout,
  type SessionStartAbout,
} from './hooks/hooks.ts';
export { type CommandHook, type HookSettings, parseHookSettings } from './hooks/hook-settings.ts';
export { type ShellHookOptions, type ShellHooks, shellHooks } from './hooks/shell-hooks.ts';
export type { AgentEvent, RunResult, RunStop } from './loop/events.ts';
export type { AskPort, PermissionAnswer, PermissionQuestion, Permissions } from './permissions/permissions.ts';
export type { KnownRule } from './permissions/rule-book.ts';
export { openRuleStore, type RuleScope, type RuleStore, type RuleStoreOptions } from './permissions/rule-store.ts';
export { parseRules, type PermissionRules } from './permissions/rules.ts';
export { anthropicProvider } from './providers/anthropic.ts';
export { openaiChatProvider } from './providers/openai-chat.ts';
export type {
  CallResult,
  Provider,
  ProviderOptions,
  RequestSpec,
  SendOptions,
  ToolSpec,
} from './providers/provider.ts';
export { describeSessions, type SessionProblem, type SessionSummary } from './session/describe-sessions.ts';
export { type ExportOptions, exportSession } from './session/export/export-session.ts';
export { EXPORT_VERSION, SESSION_EXPORT_SCHEMA } from './session/export/json.ts';
export { type Move, moveRecords } from './session/moves.ts';
export type { SessionChoice } from './session/open-session.ts';
export { type RewindPoint, rewindPoints } from './session/rewind-points.ts';
export { listSessions, RESULTS_FOLDER, SESSIONS_FOLDER, TRANSCRIPTS_FOLDER } from './session/sessions.ts';
export { defineTool, objectSchema, type ToolDefinition } from './tools/define-tool.ts';
export {
  failure,
  success,
  type Access,
  type JsonSchema,
  type Tool,
  type ToolContext,
  type ToolOutput,
} from './tools/tool.ts';
