/** A host around a context, as small as can be: one model, a recall tool, replies that report what was asked for. */
import { type Archive, type Context, type ContextOptions, createContext, economic } from '@holdover/engine';
import { fsArchive } from '@holdover/engine/archives/fs';
import { memoryArchive } from '@holdover/engine/archives/memory';
import { anthropic, type AnthropicReply, type AnthropicRequest } from '@holdover/engine/codecs/anthropic';
import type { Message } from './session.ts';

export type BenchContext = Context<AnthropicRequest, AnthropicReply>;

/** Tools with descriptions and schemas as long as agents have them: about 16 KB of JSON. */
function tool(name: string, required: readonly string[]): object {
  const describe = (what: string): string => `${what} of ${name}. `.repeat(16).trim();
  const property = (key: string): object => ({ type: 'string', description: describe(key) });
  const properties = Object.fromEntries([...required, 'limit', 'offset'].map((key) => [key, property(key)]));
  return {
    name,
    description: describe('What it does').repeat(6),
    input_schema: { type: 'object', properties, required },
  };
}

/** The request of every turn; the messages come from the context, or stand in a copy of it. */
export const REQUEST: AnthropicRequest = {
  model: 'claude-sonnet-4-5',
  max_tokens: 8_192,
  system: 'You are a coding agent. Work in small steps and check each of them.',
  tools: [
    tool('read_file', ['path']),
    tool('bash', ['command']),
    tool('edit_file', ['path', 'old_text', 'new_text']),
    tool('write_file', ['path', 'content']),
    tool('grep', ['pattern', 'path']),
    tool('recall', ['query']),
  ],
};

/** SHA-256 as Node has it, which the archive on disk brings; the one in memory runs anywhere and has none of its own. */
const sha256 = fsArchive('.').hash as (text: string) => string;

/** A context under the economic policy, unless told otherwise. */
export function contextOf(options: Partial<ContextOptions<AnthropicRequest, AnthropicReply>> = {}): BenchContext {
  const archive: Archive = { ...memoryArchive(), hash: sha256 };
  return createContext({ codec: anthropic(), archive, policy: economic, ...options });
}

/** The reply that is `message`, with a report of `inputTokens`. */
export function replyOf(message: Message, inputTokens: number): AnthropicReply {
  return {
    content: message.content as readonly object[],
    stop_reason: 'end_turn',
    usage: { input_tokens: inputTokens, output_tokens: 100 },
  };
}

/** What one turn took, milliseconds. */
export interface TurnTimes {
  /** Taking in what came since the reply, and `prepare`. */
  readonly prepareMs: number;
  /** `accept`. */
  readonly acceptMs: number;
}

/** Feeds messages to a context as a host does: what the user's side says is appended, what the model says is accepted. */
export async function feed(
  context: BenchContext,
  messages: Iterable<Message>,
  onTurn: (times: TurnTimes) => void = () => {},
): Promise<void> {
  let waiting: Message[] = [];
  for (const message of messages) {
    if (message.role === 'user') {
      waiting.push(message);
      continue;
    }
    const startMs = performance.now();
    context.append(waiting);
    const turn = await context.prepare(REQUEST);
    const preparedMs = performance.now();
    const reply = replyOf(message, turn.receipt.tokens.head + turn.receipt.tokens.view);
    const acceptFromMs = performance.now();
    await turn.accept(reply);
    onTurn({ prepareMs: preparedMs - startMs, acceptMs: performance.now() - acceptFromMs });
    waiting = [];
  }
  context.append(waiting);
}
