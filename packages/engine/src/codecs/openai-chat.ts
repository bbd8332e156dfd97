/**
 * OpenAI Chat Completions, and whatever speaks it (Ollama, vLLM, llama.cpp, OpenRouter). Each tool result is a message of its own; leading system
 * and developer messages belong to the head. Caching is automatic there, so no breakpoints are set.
 */
import type { Codec, DecodedReply, Head, HeadPart, Patch, Stop, Usage, WirePiece } from '../core/codec.ts';
import type { Decoded, Origin, Part, Wire } from '../core/entry.ts';
import { ContextError } from '../core/errors.ts';
import { jsonText } from '../core/json-text.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A list that may be read-only, and stays one that may be changed where it is written in place: SDKs ask for those. */
type List<Item> = readonly Item[] | Item[];

interface MessageShape {
  readonly role: string;
  readonly content?: string | List<object> | null | undefined;
  readonly tool_calls?: List<object> | null | undefined;
}

interface ToolShape {
  readonly type?: string;
  readonly function?: {
    readonly parameters?: { readonly required?: List<string> } | Readonly<Record<string, unknown>>;
  };
}

/** The part of a Chat Completions request this codec reads; any SDK's request type fits. */
export interface OpenAIChatRequest {
  readonly model: string;
  readonly messages: List<object> | List<MessageShape>;
  readonly tools?: List<object> | List<ToolShape>;
  readonly max_completion_tokens?: number | null;
  readonly max_tokens?: number | null;
}

/** The part of a Chat Completions reply this codec reads. */
export interface OpenAIChatReply {
  readonly choices: readonly { readonly message: object; readonly finish_reason?: string | null }[];
  readonly usage?: object | null;
}

/** Assumed where the request sets no limit: small enough to leave a small window usable. */
const ASSUMED_OUTPUT_TOKENS = 4_096;

const ORIGIN: Readonly<Record<string, Origin>> = {
  user: 'user',
  tool: 'user',
  assistant: 'model',
  system: 'host',
  developer: 'host',
};

function invalid(what: string): ContextError {
  return new ContextError('INVALID_REQUEST', `openai-chat: ${what}`);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function list(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

function roleOf(message: Fields): string {
  const role = message['role'];
  if (typeof role === 'string' && Object.hasOwn(ORIGIN, role)) return role;
  throw invalid(`role ${JSON.stringify(role)} is not one of ${Object.keys(ORIGIN).join(', ')}`);
}

/** Content as a list of blocks, whatever form it came in. */
function blocksOf(message: Fields): readonly Fields[] {
  const content = message['content'];
  if (content === null || content === undefined) return [];
  if (typeof content === 'string')
    return content === '' && message['role'] === 'assistant' ? [] : [{ type: 'text', text: content }];
  if (Array.isArray(content) && content.every(isFields)) return content;
  throw invalid(`content of a ${roleOf(message)} message is neither text nor a list of parts`);
}

function mediaPart(block: Fields, mediaType: string): Part {
  return { kind: 'media', mediaType, value: block };
}

const DECODE: Readonly<Record<string, (block: Fields) => Part>> = {
  text: (block) => ({ kind: 'text', text: text(block['text']) }),
  refusal: (block) => ({ kind: 'text', text: text(block['refusal']) }),
  image_url: (block) => mediaPart(block, 'image'),
  input_audio: (block) => mediaPart(block, 'audio'),
  file: (block) => mediaPart(block, 'file'),
};

function decodeBlock(block: Fields): Part {
  const type = text(block['type']);
  const decode = Object.hasOwn(DECODE, type) ? DECODE[type] : undefined;
  return decode?.(block) ?? { kind: 'opaque', name: type, value: block, isBarrier: false };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // A model may write arguments that are no JSON; they are kept as they are.
    return json;
  }
}

/** What a call or a tool says under its own type: `function` or `custom`. */
function bodyOf(value: Fields): Fields | undefined {
  return [value['function'], value['custom']].find(isFields);
}

function decodeCall(call: Fields): Part {
  const body = bodyOf(call) ?? {};
  const input = body['arguments'] ?? body['input'];
  return {
    kind: 'call',
    id: text(call['id']),
    name: text(body['name']),
    input: typeof input === 'string' ? parsed(input) : input,
  };
}

function decodeTool(message: Fields): Part {
  const content = message['content'];
  const readable =
    typeof content === 'string'
      ? content
      : list(content)
          .map((block) => text(block['text']))
          .join('\n');
  return {
    kind: 'result',
    callId: text(message['tool_call_id']),
    text: readable,
    content: content ?? '',
    mediaCount: 0,
    isError: false,
  };
}

/** Parts of an assistant message in a fixed order, which `patch` relies on: reasoning, content, refusal, audio, calls. */
function decodeAssistant(message: Fields): readonly Part[] {
  const thought = text(message['reasoning_content']);
  const refusal = text(message['refusal']);
  return [
    ...(thought === '' ? [] : [{ kind: 'reasoning', text: thought, sizeChars: thought.length } as const]),
    ...blocksOf(message).map(decodeBlock),
    ...(refusal === '' ? [] : [{ kind: 'text', text: refusal } as const]),
    ...(isFields(message['audio'])
      ? [{ kind: 'opaque', name: 'audio', value: message['audio'], isBarrier: false } as const]
      : []),
    ...list(message['tool_calls']).map(decodeCall),
  ];
}

function patchAssistant(message: Fields, patches: ReadonlyMap<number, Patch>): Fields {
  const blocks = blocksOf(message);
  const calls = list(message['tool_calls']);
  const first = text(message['reasoning_content']) === '' ? 0 : 1;
  const hasRefusal = text(message['refusal']) !== '';
  const refusalAt = first + blocks.length;
  const firstCall = refusalAt + (hasRefusal ? 1 : 0) + (isFields(message['audio']) ? 1 : 0);
  const kept = calls.filter((_, index) => !patches.has(firstCall + index));
  const notes = calls.flatMap((_, index) => {
    const patch = patches.get(firstCall + index);
    return patch === undefined ? [] : [{ type: 'text', text: patch.text }];
  });
  const content = blocks.map((block, index) => {
    const patch = patches.get(first + index);
    return patch === undefined ? block : { type: 'text', text: patch.text };
  });
  const refusal = hasRefusal ? patches.get(refusalAt) : undefined;
  const { tool_calls: _, ...rest } = message;
  return {
    ...rest,
    content: [...content, ...notes].length === 0 ? null : [...content, ...notes],
    ...(refusal === undefined ? {} : { refusal: refusal.text }),
    ...(kept.length === 0 ? {} : { tool_calls: kept }),
  };
}

function patchMessage(message: Fields, patches: ReadonlyMap<number, Patch>): Fields {
  const role = roleOf(message);
  if (role === 'assistant') return patchAssistant(message, patches);
  const only = patches.get(0);
  if (role === 'tool') return only === undefined ? message : { ...message, content: only.text };
  const content = blocksOf(message).map((block, index) => {
    const patch = patches.get(index);
    return patch === undefined ? block : { type: 'text', text: patch.text };
  });
  return { ...message, content };
}

/** Members that say nothing when empty; replies carry them, messages made by hand do not. */
function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

function withoutParsedArguments(call: Fields): Fields {
  if (!isFields(call['function'])) return call;
  const { parsed_arguments: _, ...body } = call['function'];
  return { ...call, function: body };
}

/** What of a message is wire: the SDK adds `parsed` and `parsed_arguments` to replies it streamed, which no server takes back. */
function wireOnly(message: Fields): Fields {
  const { parsed: _, ...rest } = message;
  const calls = rest['tool_calls'];
  return Array.isArray(calls) ? { ...rest, tool_calls: list(calls).map(withoutParsedArguments) } : rest;
}

function withoutEmpty(message: Fields): Fields {
  return Object.fromEntries(
    Object.entries(wireOnly(message)).filter(([key, value]) => key === 'content' || !isEmpty(value)),
  );
}

function canonical(message: Fields): unknown {
  return { ...withoutEmpty(message), content: blocksOf(message) };
}

function leadingHosts(messages: readonly object[]): number {
  const index = messages.findIndex((message) => ORIGIN[text((message as Fields)['role'])] !== 'host');
  return index < 0 ? messages.length : index;
}

function head(request: OpenAIChatRequest): Head {
  const cap = request.max_completion_tokens ?? request.max_tokens;
  if (typeof request.model !== 'string') throw invalid('model is missing');
  if (!Array.isArray(request.messages)) throw invalid('messages is not a list');
  const tools = (request.tools ?? []) as readonly Fields[];
  const hosts = request.messages.slice(0, leadingHosts(request.messages)) as readonly Fields[];
  const names = tools.map((tool) => text((bodyOf(tool) ?? tool)['name']));
  const systems = hosts.flatMap((message) => blocksOf(message).map((block) => text(block['text'])));
  const parts: readonly HeadPart[] = [
    ...systems.map((system) => ({ kind: 'system', text: system }) as const),
    ...tools.map((tool, index) => ({ kind: 'tool', name: names[index] ?? '', text: jsonText(tool) }) as const),
  ];
  return {
    model: request.model,
    maxOutputTokens: cap ?? ASSUMED_OUTPUT_TOKENS,
    isOutputCapAssumed: cap === undefined || cap === null,
    texts: parts.map((part) => part.text),
    parts,
    toolNames: names,
  };
}

const STOP: Readonly<Record<string, Stop>> = {
  stop: 'end',
  tool_calls: 'calls',
  function_call: 'calls',
  length: 'cap',
  content_filter: 'refusal',
  model_context_window_exceeded: 'window',
};

function number(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

function usageOf(usage: Fields): Usage {
  const details = isFields(usage['prompt_tokens_details']) ? usage['prompt_tokens_details'] : {};
  return {
    inputTokens: number(usage['prompt_tokens']),
    cacheReadTokens: number(details['cached_tokens']),
    cacheWriteTokens: number(details['cache_write_tokens']),
    outputTokens: number(usage['completion_tokens']),
  };
}

function decodeReply(reply: OpenAIChatReply): DecodedReply {
  const choice = reply.choices[0];
  const message = choice?.message as Fields | undefined;
  const hasContent = message !== undefined && decodeAssistant(message).length > 0;
  return {
    message: hasContent ? { ...withoutEmpty(message), role: 'assistant' } : undefined,
    usage: isFields(reply.usage) ? usageOf(reply.usage) : undefined,
    stop: text(message?.['refusal']) === '' ? (STOP[choice?.finish_reason ?? ''] ?? 'other') : 'refusal',
  };
}

function carried(piece: Exclude<WirePiece, string>): readonly Fields[] {
  const block = blocksOf(piece.message as Fields)[piece.part];
  return block === undefined ? [] : [block];
}

/**
 * Texts at the end of a message of the user's side. In a user message each is a part of its own. A tool message has nothing but its content, and
 * a message of the user's between the results of a batch would part them from their calls: there the text follows the result behind a blank line.
 */
function attachTo(message: Fields, texts: readonly string[]): Fields {
  const { content } = message;
  if (message['role'] === 'tool' && !Array.isArray(content)) {
    return { ...message, content: [text(content), ...texts].filter((item) => item !== '').join('\n\n') };
  }
  return { ...message, content: [...blocksOf(message), ...texts.map((note) => ({ type: 'text', text: note }))] };
}

/** The codec for OpenAI Chat Completions. */
export function openaiChat(): Codec<OpenAIChatRequest, OpenAIChatReply> {
  return {
    name: 'openai-chat',
    // Servers behind this format number their calls anew in each reply.
    idScope: 'round',
    head,
    messages: (request) => request.messages.slice(leadingHosts(request.messages)),
    decode(message): Decoded {
      const fields = message as Fields;
      const role = roleOf(fields);
      const origin = ORIGIN[role] ?? 'user';
      if (role === 'tool') return { origin, parts: [decodeTool(fields)] };
      return { origin, parts: role === 'assistant' ? decodeAssistant(fields) : blocksOf(fields).map(decodeBlock) };
    },
    canonical: (message) => canonical(message as Fields),
    patch: (message, patches): Wire => patchMessage(message as Fields, patches),
    attach: (message, texts): Wire => attachTo(message as Fields, texts),
    compose: (pieces) => ({
      role: 'user',
      content: pieces.flatMap((piece) =>
        typeof piece === 'string' ? [{ type: 'text', text: piece }] : carried(piece),
      ),
    }),
    encode: (request, messages) => ({
      ...request,
      messages: [...request.messages.slice(0, leadingHosts(request.messages)), ...messages],
    }),
    withOutputCap(request, maxOutputTokens) {
      const isOld = request.max_tokens !== undefined && request.max_completion_tokens === undefined;
      return { ...request, [isOld ? 'max_tokens' : 'max_completion_tokens']: maxOutputTokens };
    },
    reply: decodeReply,
  };
}
