/** OpenAI Chat Completions through the official SDK, loaded when the first request is sent. */
import type { Codec } from '@holdover/engine';
import { openaiChat } from '@holdover/engine/codecs/openai-chat';
import type OpenAIClient from 'openai';
import type { Provider, ProviderOptions, RequestSpec } from './provider.ts';

type StreamBody = Parameters<OpenAIClient['chat']['completions']['stream']>[0];

function toolOf({ name, description, inputSchema }: RequestSpec['tools'][number]): object {
  return { type: 'function', function: { name, description, parameters: inputSchema } };
}

export function openaiChatProvider(options: ProviderOptions = {}): Provider {
  let client: Promise<OpenAIClient> | undefined;
  const open = async (): Promise<OpenAIClient> => {
    const { default: Client } = await import('openai');
    // The loop retries by its own rules; the SDK's retries would hide what happened.
    return new Client({
      maxRetries: 0,
      ...(options.baseUrl === undefined ? {} : { baseURL: options.baseUrl }),
      ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
    });
  };
  return {
    name: 'openai-chat',
    codec: openaiChat() as unknown as Codec,
    request: ({ model, system, tools, messages, maxOutputTokens }) => ({
      model,
      max_completion_tokens: maxOutputTokens,
      messages: [{ role: 'system', content: system }, ...messages],
      ...(tools.length === 0 ? {} : { tools: tools.map(toolOf) }),
    }),
    withoutCalls(reply) {
      const { choices } = reply as { choices: readonly { message: { tool_calls?: unknown } }[] };
      const strip = ({ tool_calls: _, ...message }: { tool_calls?: unknown }): object => message;
      return { ...reply, choices: choices.map((choice) => ({ ...choice, message: strip(choice.message) })) };
    },
    // The format has no field for a failed call: the text says so itself.
    results: (results) => results.map(({ callId, text }) => ({ role: 'tool', tool_call_id: callId, content: text })),
    async send(request, { signal, onText }) {
      client ??= open();
      const body = { ...request, stream_options: { include_usage: true } } as StreamBody;
      const stream = (await client).chat.completions.stream(body, { signal });
      stream.on('content', onText);
      return stream.finalChatCompletion();
    },
  };
}
