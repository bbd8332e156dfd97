/** The agent harness: loop, tools, hooks, permissions, sessions, on the Holdover engine. */
export { type Agent, createAgent } from './agent/create-agent.ts';
export { type CostReport, type ModelCost } from './agent/cost.ts';
export {
  type AgentOptions,
  type AgentPorts,
  type ContextSettings,
  DEFAULT_AGENT,
  DEFAULT_CONTEXT_SETTINGS,
} from './agent/options.ts';
export { CACHE_CHECK_TOKENS } from './doctor/cache.ts';
export { diagnose, type DiagnoseOptions } from './doctor/diagnose.ts';
export type { CheckName, Finding } from './doctor/finding.ts';
export type { WindowFacts } from './doctor/window.ts';
export type { UserMessage } from './agent/run.ts';
export { AgentError, type AgentErrorCode } from './errors.ts';
export { createFileState, type FileState, type FileStatePort, type Standing } from './file-state/file-state.ts';
export { type HistoryCall, historyCalls } from './file-state/history-calls.ts';
export { restoreFileState } from './file-state/restore.ts';
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
export { looksLikeImage, MAX_IMAGE_BYTES, readImage, type ReadImage } from './images/read-image.ts';
export { type Fallback } from './loop/retry.ts';
export { type CommandHook, type HookSettings, parseHookSettings } from './hooks/hook-settings.ts';
export { type ShellHookOptions, type ShellHooks, shellHooks } from './hooks/shell-hooks.ts';
export type { AgentEvent, RunResult, RunStop } from './loop/events.ts';
export type { AskPort, PermissionAnswer, PermissionQuestion, Permissions } from './permissions/permissions.ts';
export type { KnownRule } from './permissions/rule-book.ts';
export { openRuleStore, type RuleScope, type RuleStore, type RuleStoreOptions } from './permissions/rule-store.ts';
export {
  connectMcp,
  DEFAULT_MCP,
  MAX_MCP_RESULT_CHARS,
  type McpConnections,
  type McpOptions,
  type McpState,
  type McpStatus,
} from './mcp/connect-mcp.ts';
export {
  type McpHttpSettings,
  type McpServerSettings,
  type McpSettings,
  type McpStdioSettings,
  parseMcpServers,
} from './mcp/settings.ts';
export { parseRules, type PermissionRules } from './permissions/rules.ts';
export { anthropicProvider } from './providers/anthropic.ts';
export {
  type Choice,
  chooseProvider,
  type ChooseOptions,
  DEFAULT_MODELS,
  type Endpoint,
  isLocalUrl,
  type Vendor,
} from './providers/choose-provider.ts';
export { openaiChatProvider } from './providers/openai-chat.ts';
export type {
  CallResult,
  Provider,
  ProviderOptions,
  RequestSpec,
  SendOptions,
  ToolSpec,
  UserPiece,
} from './providers/provider.ts';
export { describeSessions, type SessionProblem, type SessionSummary } from './session/describe-sessions.ts';
export { type ExportOptions, exportSession } from './session/export/export-session.ts';
export { EXPORT_VERSION, SESSION_EXPORT_SCHEMA } from './session/export/json.ts';
export { type Move, moveRecords } from './session/moves.ts';
export type { SessionChoice } from './session/open-session.ts';
export { type RewindPoint, rewindPoints } from './session/rewind-points.ts';
export {
  listSessions,
  locateSession,
  RESULTS_FOLDER,
  SESSIONS_FOLDER,
  TRANSCRIPTS_FOLDER,
} from './session/sessions.ts';
export { type Amount, pruneArchive, type PruneOptions, type PruneReport } from './session/retention.ts';
export {
  ARCHIVE_FILE,
  type ArchiveKind,
  workspaceArchive,
  type WorkspaceArchive,
} from './session/workspace-archive.ts';
export { failureLine, type VerifyFailure, type VerifyReport } from './session/verify/report.ts';
export { type VerifyOptions, verifySession } from './session/verify/verify-session.ts';
export { CATALOGUE_WINDOW_SHARE, skillCatalogue } from './skills/catalogue.ts';
export {
  findSkills,
  type FindSkillsOptions,
  type FoundSkills,
  type Skill,
  type SkillSource,
  type SkippedSkill,
} from './skills/find-skills.ts';
export {
  createSubagentRunner,
  MAX_SUBAGENT_ROUNDS,
  type SubagentParts,
  type SubagentResult,
  type SubagentRun,
  type SubagentRunner,
  type SubagentStop,
} from './subagents/run-subagent.ts';
export { createLoadSkillTool } from './tools/load-skill.ts';
export { createSnipTool, type SnipRequest } from './tools/snip.ts';
export { createTodoNag, DEFAULT_TODO_NAG, type TodoNag, type TodoNagOptions } from './tools/todo-nag.ts';
export { createLongTexts, type LongTexts, type LongTextSource, recallingLongTexts } from './tools/long-texts.ts';
export { createTaskTool, MAX_REPORT_CHARS, type TaskPort } from './tools/task.ts';
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
export { askWindow, type AskWindowOptions } from './windows/ask-window.ts';
export { createWorkspace, type Purpose, type ResolvedPath, type Workspace } from './workspace/workspace.ts';
export { openConfined, type OpenResult } from './workspace/confined-files.ts';
