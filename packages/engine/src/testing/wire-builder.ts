/** Builders of wire messages, the same interface for every codec, so that one test speaks all formats. */
import type { Codec } from '../core/codec.ts';
import type { Wire } from '../core/entry.ts';
import { anthropic } from '../codecs/anthropic.ts';
import { openaiChat } from '../codecs/openai-chat.ts';
import { anthropicKinds, openaiChatKinds, type WireKinds } from './wire-kinds.ts';

export interface CallSpec {
  readonly id: string;
  readonly name: string;
  readonly input: object;
}

export interface ResultSpec {
  readonly callId: string;
  readonly text: string;
  readonly isError?: boolean;
  /** In place of `text`, in the format's own shape. */
  readonly content?: unknown;
}

export interface ReplySpec {
  readonly text?: string;
  readonly thought?: string;
  readonly calls?: readonly CallSpec[];
  readonly usageTokens?: number;
}

export interface WireBuilder {
  readonly name: string;
  readonly codec: Codec;
  readonly kinds: WireKinds;
  user(text: string, picture?: string): Wire;
  assistant(reply: ReplySpec): Wire;
  /** The results of one batch: one message or several, as the format wants. */
  results(results: readonly ResultSpec[], words?: string): readonly Wire[];
  host(text: string): Wire;
  request(
    messages: readonly Wire[],
    extra?: { readonly system?: string; readonly toolNames?: readonly string[]; readonly maxOutputTokens?: number },
  ): object;
  reply(reply: ReplySpec): object;
}

/** The member `content`, left out where the format allows a result without one. */
function contentOf(result: ResultSpec): { readonly content?: unknown } {
  const content = 'content' in result ? result.content : result.text;
  return content === undefined ? {} : { content };
}

const SIGNATURE = 'c2lnbmF0dXJl';

const toAnthropic = (reply: ReplySpec): object[] => [
  ...(reply.thought === undefined ? [] : [{ type: 'thinking', thinking: reply.thought, signature: SIGNATURE }]),
  ...(reply.text === undefined ? [] : [{ type: 'text', text: reply.text }]),
  ...(reply.calls ?? []).map((call) => ({ type: 'tool_use', id: call.id, name: call.name, input: call.input })),
];

export const anthropicBuilder: WireBuilder = {
  name: 'anthropic',
  codec: anthropic() as unknown as Codec,
  kinds: anthropicKinds,
  user: (text, picture) =>
    picture === undefined
      ? { role: 'user', content: text }
      : {
          role: 'user',
          content: [
            { type: 'text', text },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture } },
          ],
        },
  assistant: (reply) => ({ role: 'assistant', content: toAnthropic(reply) }),
  results: (results, words) => [
    {
      role: 'user',
      content: [
        ...results.map((result) => ({
          type: 'tool_result',
          tool_use_id: result.callId,
          ...contentOf(result),
          ...(result.isError ? { is_error: true } : {}),
        })),
        ...(words === undefined ? [] : [{ type: 'text', text: words }]),
      ],
    },
  ],
  host: (text) => ({ role: 'system', content: text }),
  request: (messages, { system = 'You are a test.', toolNames = ['recall'], maxOutputTokens = 1_000 } = {}) => ({
    model: 'claude-test',
    max_tokens: maxOutputTokens,
    system,
    tools: toolNames.map((name) => ({ name, description: `The ${name} tool.`, input_schema: { type: 'object' } })),
    messages,
  }),
  reply: (reply) => ({
    id: 'msg_test',
    type: 'message',
    role: 'assistant',
    content: toAnthropic(reply),
    stop_reason: (reply.calls ?? []).length > 0 ? 'tool_use' : 'end_turn',
    ...(reply.usageTokens === undefined ? {} : { usage: { input_tokens: reply.usageTokens, output_tokens: 10 } }),
  }),
};

const toOpenAI = (reply: ReplySpec): object => ({
  role: 'assistant',
  content: reply.text ?? null,
  ...(reply.thought === undefined ? {} : { reasoning_content: reply.thought }),
  ...((reply.calls ?? []).length === 0
    ? {}
    : {
        tool_calls: (reply.calls ?? []).map((call) => ({
          id: call.id,
          type: 'function',
          function: { name: call.name, arguments: JSON.stringify(call.input) },
        })),
      }),
});

export const openaiChatBuilder: WireBuilder = {
  name: 'openai-chat',
  codec: openaiChat() as unknown as Codec,
  kinds: openaiChatKinds,
  user: (text, picture) =>
    picture === undefined
      ? { role: 'user', content: text }
      : {
          role: 'user',
          content: [
            { type: 'text', text },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } },
          ],
        },
  assistant: toOpenAI,
  results: (results, words) => [
    ...results.map((result) => ({ role: 'tool', tool_call_id: result.callId, content: '', ...contentOf(result) })),
    ...(words === undefined ? [] : [{ role: 'user', content: words }]),
  ],
  host: (text) => ({ role: 'developer', content: text }),
  request: (messages, { system = 'You are a test.', toolNames = ['recall'], maxOutputTokens = 1_000 } = {}) => ({
    model: 'gpt-test',
    max_completion_tokens: maxOutputTokens,
    messages: [{ role: 'system', content: system }, ...messages],
    tools: toolNames.map((name) => ({
      type: 'function',
      function: { name, description: `The ${name} tool.`, parameters: { type: 'object' } },
    })),
  }),
  reply: (reply) => ({
    id: 'chatcmpl-test',
    object: 'chat.completion',
    choices: [
      { index: 0, message: toOpenAI(reply), finish_reason: (reply.calls ?? []).length > 0 ? 'tool_calls' : 'stop' },
    ],
    ...(reply.usageTokens === undefined ? {} : { usage: { prompt_tokens: reply.usageTokens, completion_tokens: 10 } }),
  }),
};

export const wireBuilders: readonly WireBuilder[] = [anthropicBuilder, openaiChatBuilder];
