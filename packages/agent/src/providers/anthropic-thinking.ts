/**
 * Thinking in the Messages format: which form a model takes, and what to do when a server will not take thinking back. Blocks go back
 * unchanged with their signatures. Models from Fable 5.1 on bind them to all that came before, so a compaction makes later ones invalid
 * (platform.claude.com, "Preserved thinking"); blocks of a model the current one cannot read are left out by the API itself.
 */
import { budgetOf, effortOf } from './effort.ts';

interface Block {
  readonly type: string;
  readonly signature?: string;
  readonly data?: string;
}

interface Message {
  readonly role: string;
  readonly content: string | readonly Block[];
}

/** The members of a request read here. */
export interface ThinkingRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly messages: readonly Message[];
  readonly thinking?: { readonly type: string; readonly budget_tokens?: number };
  readonly output_config?: { readonly effort?: string };
}

/** Least budget the API takes, tokens. */
const MIN_BUDGET_TOKENS = 1_024;

/** Adaptive thinking came with 4.6; from 4.7 on a budget is refused (error text of the API: use adaptive and effort). */
const ADAPTIVE_FROM = 4.06;

const VERSION = /claude[a-z-]*?-?(?<major>\d{1,2})(?:[-.](?<minor>\d{1,2}))?(?!\d)/;

/** `claude-opus-4-7` is 4.07; undefined for ids without a version, and for other vendors' models behind this format. */
function versionOf(model: string): number | undefined {
  const { major, minor = '0' } = VERSION.exec(model.toLowerCase())?.groups ?? {};
  return major === undefined ? undefined : Number(major) + Number(minor) / 100;
}

/** The members that ask `model` to think. */
export function thinkingFields(model: string, budgetTokens: number): object {
  if ((versionOf(model) ?? 0) < ADAPTIVE_FROM)
    return { thinking: { type: 'enabled', budget_tokens: Math.max(MIN_BUDGET_TOKENS, budgetTokens) } };
  // Without `display` the newest models send no text to show.
  return {
    thinking: { type: 'adaptive', display: 'summarized' },
    output_config: { effort: effortOf(budgetTokens) },
  };
}

/** The request for another model, which may take thinking in the other form. */
export function thinkingForModel(request: ThinkingRequest, model: string): object {
  const { thinking, output_config: config, ...rest } = request;
  if (thinking === undefined) return { ...request, model };
  return { ...rest, model, ...thinkingFields(model, thinking.budget_tokens ?? budgetOf(config?.effort)) };
}

/** A cap that was lowered may be under the budget, which the API refuses: half of it then, or no thinking. */
export function fitted(request: ThinkingRequest): ThinkingRequest {
  const { thinking, ...rest } = request;
  const budget = thinking?.budget_tokens;
  if (thinking === undefined || budget === undefined || budget < request.max_tokens) return request;
  const half = Math.floor(request.max_tokens / 2);
  return half < MIN_BUDGET_TOKENS ? rest : { ...rest, thinking: { ...thinking, budget_tokens: half } };
}

function keyOf(block: Block): string | undefined {
  if (block.type === 'thinking') return block.signature ?? '';
  return block.type === 'redacted_thinking' ? (block.data ?? '') : undefined;
}

/** Index of the message whose thinking a server refused; undefined for every other error. */
export function refusedThinking(error: unknown): number | undefined {
  const { status, message } = error as { status?: number; message?: string };
  if (status !== 400 || message === undefined || !/thinking/.test(message)) return undefined;
  if (!/signature|invalid `data`|bound to a different|cannot be modified/i.test(message)) return undefined;
  return Number(/messages\.(\d+)/.exec(message)?.[1] ?? 0);
}

/** Keys of the thinking blocks from message `from` on: once one is invalid, so are all after it. */
export function thinkingFrom({ messages }: ThinkingRequest, from: number): readonly string[] {
  const blocks = messages.slice(from).flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  return blocks.map(keyOf).filter((key) => key !== undefined);
}

/** A message without the thinking blocks of these keys; the same object where it has none of them. */
function stripped(message: Message, keys: ReadonlySet<string>): Message {
  const { content } = message;
  if (typeof content === 'string') return message;
  const left = content.filter((block) => !keys.has(keyOf(block) ?? '\0'));
  return left.length === content.length ? message : { ...message, content: left };
}

/**
 * The request without the thinking blocks of these keys; a message of nothing else is left out with them. Where the newest reply loses its own
 * in the middle of a tool loop, thinking on a budget has to pause: the API insists on that reply beginning with it.
 */
export function withoutThinking(request: ThinkingRequest, keys: ReadonlySet<string>): ThinkingRequest {
  if (keys.size === 0) return request;
  const newest = request.messages.findLast(({ role }) => role === 'assistant');
  const messages = request.messages
    .map((message) => stripped(message, keys))
    .filter(({ content }) => content.length > 0);
  const hasLost = newest !== undefined && stripped(newest, keys) !== newest;
  const { thinking, ...rest } = request;
  return hasLost && thinking?.type === 'enabled' ? { ...rest, messages } : { ...request, messages };
}
