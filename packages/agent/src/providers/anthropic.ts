/** Anthropic Messages through the official SDK, loaded when the first request is sent. */
import type AnthropicClient from '@anthropic-ai/sdk';
import type { Codec } from '@holdover/engine';
import { anthropic } from '@holdover/engine/codecs/anthropic';
import {
  fitted,
  refusedThinking,
  thinkingFields,
  thinkingForModel,
  thinkingFrom,
  type ThinkingRequest,
  withoutThinking,
} from './anthropic-thinking.ts';
import { withOwnSignal } from './own-signal.ts';
import { NO_KEY, type Provider, type ProviderOptions, type SendOptions, type UserPiece } from './provider.ts';
import { asStreamFault } from './stream-faults.ts';

type StreamBody = Parameters<AnthropicClient['messages']['stream']>[0];

const THINKING: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking']);

function blockOf(piece: UserPiece): object {
  if (typeof piece === 'string') return { type: 'text', text: piece };
  return { type: 'image', source: { type: 'base64', media_type: piece.mediaType, data: piece.base64 } };
}

async function openClient({ baseUrl, apiKey }: ProviderOptions): Promise<AnthropicClient> {
  const { default: Client } = await import('@anthropic-ai/sdk');
  const key = apiKey ?? (baseUrl === undefined ? undefined : NO_KEY);
  // The loop retries by its own rules; the SDK's retries would hide what happened, and its log lines would land in the terminal's picture.
  return new Client({
    maxRetries: 0,
    logLevel: 'off',
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    ...(key === undefined ? {} : { apiKey: key }),
  });
}

type Stream = (body: ThinkingRequest, options: SendOptions) => Promise<object>;

/** Sends, and sends again without the thinking a server will not take back: from the block it names on, then without any. */
function droppingThinking(stream: Stream): Stream {
  const dropped = new Set<string>();
  return async (request, options) => {
    for (let attempt = 0; ; attempt += 1) {
      const body = withoutThinking(request, dropped);
      try {
        return await stream(body, options);
      } catch (error) {
        const from = refusedThinking(error);
        const keys = from === undefined ? [] : thinkingFrom(body, attempt === 0 ? from : 0);
        if (keys.length === 0) throw error;
        for (const key of keys) dropped.add(key);
        options.onNotice?.(
          `the provider no longer takes ${keys.length} thinking blocks of earlier turns; they are left out from here on`,
        );
      }
    }
  };
}

export function anthropicProvider(options: ProviderOptions = {}): Provider {
  let client: Promise<AnthropicClient> | undefined;
  const stream: Stream = async (body, { signal, onText, onReasoning }) => {
    client ??= openClient(options);
    const { messages } = await client;
    return withOwnSignal(signal, async (own) => {
      const events = messages.stream(fitted(body) as unknown as StreamBody, { signal: own });
      events.on('text', onText);
      if (onReasoning !== undefined) events.on('thinking', onReasoning);
      return events.finalMessage().catch((error: unknown) => {
        throw asStreamFault(error);
      });
    });
  };
  const send = droppingThinking(stream);
  return {
    name: 'anthropic',
    codec: anthropic() as unknown as Codec,
    request: ({ model, system, tools, messages, maxOutputTokens, thinking }) => ({
      model,
      // One cap counts both: the reply keeps its room.
      max_tokens: maxOutputTokens + (thinking?.budgetTokens ?? 0),
      ...(thinking === undefined ? {} : thinkingFields(model, thinking.budgetTokens)),
      system: [{ type: 'text', text: system }],
      ...(tools.length === 0
        ? {}
        : {
            tools: tools.map(({ name, description, inputSchema }) => ({
              name,
              description,
              input_schema: inputSchema,
            })),
          }),
      messages,
    }),
    withModel: (request, model) => thinkingForModel(request as ThinkingRequest, model),
    userMessage: (pieces) => ({ role: 'user', content: pieces.map(blockOf) }),
    withoutCalls(reply) {
      const { content } = reply as { content: readonly { type: string }[] };
      const left = content.filter((block) => block.type !== 'tool_use');
      // A message may not end in thinking.
      return { ...reply, content: left.slice(0, left.findLastIndex((block) => !THINKING.has(block.type)) + 1) };
    },
    results: (results) => [
      {
        role: 'user',
        content: results.map(({ callId, text, isError }) => ({
          type: 'tool_result',
          tool_use_id: callId,
          content: text,
          ...(isError ? { is_error: true } : {}),
        })),
      },
    ],
    send: (request, sendOptions) => send(request as ThinkingRequest, sendOptions),
  };
}
