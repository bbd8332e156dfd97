/** OpenAI Chat Completions, and whatever speaks it, through the official SDK, loaded when the first request is sent. */
import type { Codec } from '@holdover/engine';
import { openaiChat } from '@holdover/engine/codecs/openai-chat';
import type OpenAIClient from 'openai';
import { effortOf } from './effort.ts';
import { applyQuirks, learnedFrom, type Quirk } from './openai-quirks.ts';
import { assembleReply } from './openai-reply.ts';
import { withOwnSignal } from './own-signal.ts';
import {
  NO_KEY,
  type Provider,
  type ProviderOptions,
  type RequestSpec,
  type SendOptions,
  type UserPiece,
} from './provider.ts';
import { asStreamFault } from './stream-faults.ts';

type StreamBody = OpenAIClient.ChatCompletionCreateParamsStreaming;
type Body = Readonly<Record<string, unknown>>;

const OWN_HOST = 'api.openai.com';

function toolOf({ name, description, inputSchema }: RequestSpec['tools'][number]): object {
  return { type: 'function', function: { name, description, parameters: inputSchema } };
}

function partOf(piece: UserPiece): object {
  if (typeof piece === 'string') return { type: 'text', text: piece };
  return { type: 'image_url', image_url: { url: `data:${piece.mediaType};base64,${piece.base64}` } };
}

/** Whether the vendor itself listens there; other servers know the older name of the output cap only. */
function isOwn(baseUrl: string | undefined): boolean {
  return baseUrl === undefined || (URL.canParse(baseUrl) && new URL(baseUrl).hostname === OWN_HOST);
}

async function openClient({ baseUrl, apiKey }: ProviderOptions): Promise<OpenAIClient> {
  const { default: Client } = await import('openai');
  const key = apiKey ?? (baseUrl === undefined ? undefined : NO_KEY);
  // The loop retries by its own rules; the SDK's retries would hide what happened, and its log lines would land in the terminal's picture.
  return new Client({
    maxRetries: 0,
    logLevel: 'off',
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    ...(key === undefined ? {} : { apiKey: key }),
    // Who the user is at OpenAI is nobody else's business.
    ...(isOwn(baseUrl) ? {} : { organization: null, project: null }),
  });
}

type Stream = (body: Body, options: SendOptions) => Promise<object>;

/** Sends, and sends again as the server's refusals ask for. Each quirk is learned once, so this ends. */
function minding(stream: Stream): Stream {
  const known = new Map<unknown, Set<Quirk>>();
  return async (request, options) => {
    const { model } = request as { model?: unknown };
    const quirks = known.get(model) ?? new Set();
    known.set(model, quirks);
    for (;;) {
      const body = applyQuirks(request, quirks);
      try {
        return await stream(body, options);
      } catch (error) {
        const learned = learnedFrom(error, body, quirks);
        if (learned === undefined) throw error;
        quirks.add(learned);
        options.onNotice?.(`${learned.about}; requests are changed accordingly from here on`);
      }
    }
  };
}

export function openaiChatProvider(options: ProviderOptions = {}): Provider {
  let client: Promise<OpenAIClient> | undefined;
  const capName = isOwn(options.baseUrl) ? 'max_completion_tokens' : 'max_tokens';
  const stream: Stream = async (body, { signal, ...ports }) => {
    client ??= openClient(options);
    const { completions } = (await client).chat;
    return withOwnSignal(signal, async (own) => {
      try {
        const chunks = await completions.create(body as unknown as StreamBody, { signal: own });
        return await assembleReply(chunks, ports);
      } catch (error) {
        // An interrupted stream ends as if it were over.
        signal.throwIfAborted();
        throw asStreamFault(error);
      }
    });
  };
  const send = minding(stream);
  return {
    name: 'openai-chat',
    codec: openaiChat() as unknown as Codec,
    request: ({ model, system, tools, messages, maxOutputTokens, thinking }) => ({
      model,
      // One cap counts both: the reply keeps its room.
      [capName]: maxOutputTokens + (thinking?.budgetTokens ?? 0),
      ...(thinking === undefined ? {} : { reasoning_effort: effortOf(thinking.budgetTokens) }),
      messages: [{ role: 'system', content: system }, ...messages],
      ...(tools.length === 0 ? {} : { tools: tools.map(toolOf) }),
    }),
    withModel: (request, model) => ({ ...request, model }),
    userMessage: (pieces) => ({ role: 'user', content: pieces.map(partOf) }),
    withoutCalls(reply) {
      const { choices } = reply as { choices: readonly { message: { tool_calls?: unknown } }[] };
      const strip = ({ tool_calls: _, ...message }: { tool_calls?: unknown }): object => message;
      return { ...reply, choices: choices.map((choice) => ({ ...choice, message: strip(choice.message) })) };
    },
    // The format has no field for a failed call: the text says so itself.
    results: (results) => results.map(({ callId, text }) => ({ role: 'tool', tool_call_id: callId, content: text })),
    send: (request, sendOptions) =>
      send({ ...request, stream: true, stream_options: { include_usage: true } }, sendOptions),
  };
}
