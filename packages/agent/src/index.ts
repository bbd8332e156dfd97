/** The agent harness: loop, tools, hooks, permissions, sessions, on the Holdover engine. */
export { type Agent, createAgent } from './agent/create-agent.ts';
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
export { AgentError, type AgentErrorCode } from './errors.ts';
export {
  createHooks,
  type HookAnswer,
  type HookCallbacks,
  type HookEvent,
  type Hooks,
  type HooksOptions,
  type HookToolCall,
} from './hooks/hooks.ts';
export { looksLikeImage, MAX_IMAGE_BYTES, readImage, type ReadImage } from './images/read-image.ts';
export { type Fallback } from './loop/retry.ts';
export type { AgentEvent, RunResult, RunStop } from './loop/events.ts';
export type { AskPort, PermissionQuestion } from './permissions/permissions.ts';
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
export type { SessionChoice } from './session/open-session.ts';
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
export { askWindow, type AskWindowOptions } from './windows/ask-window.ts';
