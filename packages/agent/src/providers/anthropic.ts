/** Anthropic Messages through the official SDK, loaded when the first request is sent. */
import type AnthropicClient from '@anthropic-ai/sdk';
import type { Codec } from '@holdover/engine';
import { anthropic } from '@holdover/engine/codecs/anthropic';
import type { Provider, ProviderOptions } from './provider.ts';

type StreamBody = Parameters<AnthropicClient['messages']['stream']>[0];

const THINKING: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking']);

export function anthropicProvider(options: ProviderOptions = {}): Provider {
  let client: Promise<AnthropicClient> | undefined;
  const open = async (): Promise<AnthropicClient> => {
    const { default: Client } = await import('@anthropic-ai/sdk');
    // The loop retries by its own rules; the SDK's retries would hide what happened.
    return new Client({
      maxRetries: 0,
      ...(options.baseUrl === undefined ? {} : { baseURL: options.baseUrl }),
      ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
    });
  };
  return {
    name: 'anthropic',
    codec: anthropic() as unknown as Codec,
    request: ({ model, system, tools, messages, maxOutputTokens }) => ({
      model,
      max_tokens: maxOutputTokens,
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
    async send(request, { signal, onText }) {
      client ??= open();
      const stream = (await client).messages.stream(request as StreamBody, { signal });
      stream.on('text', onText);
      return stream.finalMessage();
    },
  };
}
