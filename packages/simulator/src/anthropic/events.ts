/** The Messages stream, and the whole message as a fold over it. */

import { isObject, type JsonObject } from '../json.ts';
import type { ShapedPart, ShapedReply, ShapedStop } from '../output/shape.ts';
import type { Answer, WireEvent } from '../profile.ts';

export interface AnthropicMeta {
  readonly messageId: string;
  readonly model: string;
  /** Signs the thinking part at `index` of the reply. */
  readonly sign: (text: string, index: number) => string;
  /** With `display: 'omitted'` thinking is sent without its text. */
  readonly omitsThinking: boolean;
}

const STOP_REASONS: Readonly<Record<ShapedStop, string>> = {
  end: 'end_turn',
  calls: 'tool_use',
  cap: 'max_tokens',
  window: 'model_context_window_exceeded',
  refusal: 'refusal',
  sequence: 'stop_sequence',
};

export function anthropicEvents(answer: Answer, meta: AnthropicMeta): readonly WireEvent[] {
  const { reply } = answer;
  const message = {
    id: meta.messageId,
    type: 'message',
    role: 'assistant',
    model: meta.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage: usageOf(answer, 1),
  };
  return [
    event({ type: 'message_start', message }),
    event({ type: 'ping' }),
    ...reply.parts.flatMap((part, index) => partEvents(part, index, meta)),
    event({ type: 'message_delta', delta: stopOf(reply), usage: usageOf(answer, reply.outputTokens) }),
    event({ type: 'message_stop' }),
  ];
}

function event(data: JsonObject & { readonly type: string }): WireEvent {
  return { name: data.type, data, isDelta: data.type === 'content_block_delta' };
}

function partEvents(part: ShapedPart, index: number, meta: AnthropicMeta): readonly WireEvent[] {
  const { start, deltas } = PART_ENCODERS[part.kind](part as never, index, meta);
  return [
    event({ type: 'content_block_start', index, content_block: start }),
    ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
    event({ type: 'content_block_stop', index }),
  ];
}

interface EncodedPart {
  readonly start: JsonObject;
  readonly deltas: readonly JsonObject[];
}

type PartEncoders = {
  readonly [K in ShapedPart['kind']]: (
    part: Extract<ShapedPart, { kind: K }>,
    index: number,
    meta: AnthropicMeta,
  ) => EncodedPart;
};

const PART_ENCODERS: PartEncoders = {
  text: (part) => ({
    start: { type: 'text', text: '' },
    deltas: part.deltas.map((text) => ({ type: 'text_delta', text })),
  }),
  thinking: (part, index, meta) => {
    const shown = meta.omitsThinking ? [] : part.deltas;
    return {
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: [
        ...shown.map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: meta.sign(shown.join(''), index) },
      ],
    };
  },
  call: (part) => ({
    start: { type: 'tool_use', id: part.id, name: part.name, input: {} },
    deltas: ['', ...part.deltas].map((json) => ({ type: 'input_json_delta', partial_json: json })),
  }),
};

function stopOf(reply: ShapedReply): JsonObject {
  const isRefusal = reply.stop === 'refusal';
  return {
    stop_reason: STOP_REASONS[reply.stop],
    stop_sequence: reply.stopSequence ?? null,
    stop_details: isRefusal ? { type: 'refusal', category: null, explanation: null } : null,
  };
}

/** `input_tokens` is what neither came from the cache nor went into it; the three add up to the prompt. */
function usageOf({ cache, inputTokens, reply }: Answer, outputTokens: number): JsonObject {
  const writeTokens = cache.write5mTokens + cache.write1hTokens;
  return {
    input_tokens: inputTokens - cache.readTokens - writeTokens,
    cache_creation_input_tokens: writeTokens,
    cache_read_input_tokens: cache.readTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: cache.write5mTokens,
      ephemeral_1h_input_tokens: cache.write1hTokens,
    },
    output_tokens: outputTokens,
    output_tokens_details: { thinking_tokens: Math.min(outputTokens, reply.thinkingTokens) },
    service_tier: 'standard',
  };
}

interface Draft {
  message: Record<string, unknown>;
  content: Record<string, unknown>[];
  /** Argument text of the open call. */
  json: string;
}

export function foldAnthropic(events: readonly WireEvent[]): JsonObject {
  const draft: Draft = { message: {}, content: [], json: '' };
  for (const { name = '', data } of events) {
    if (isObject(data)) FOLDS[name]?.(draft, data);
  }
  return { ...draft.message, content: draft.content };
}

const FOLDS: Readonly<Record<string, (draft: Draft, data: JsonObject) => void>> = {
  message_start: (draft, data) => {
    draft.message = { ...objectAt(data, 'message') };
  },
  content_block_start: (draft, data) => {
    draft.content.push({ ...objectAt(data, 'content_block') });
    draft.json = '';
  },
  content_block_delta: (draft, data) => {
    const block = draft.content.at(-1);
    const delta = objectAt(data, 'delta');
    if (block === undefined) return;
    if (delta['type'] === 'input_json_delta') draft.json += String(delta['partial_json']);
    else appendDelta(block, delta);
  },
  content_block_stop: (draft) => {
    const block = draft.content.at(-1);
    if (block?.['type'] === 'tool_use') block['input'] = parseInput(draft.json);
  },
  message_delta: (draft, data) => {
    Object.assign(draft.message, objectAt(data, 'delta'), { usage: data['usage'] });
  },
};

function appendDelta(block: Record<string, unknown>, delta: JsonObject): void {
  for (const field of ['text', 'thinking', 'signature']) {
    if (typeof delta[field] === 'string') block[field] = String(block[field] ?? '') + delta[field];
  }
}

function objectAt(data: JsonObject, field: string): JsonObject {
  const value = data[field];
  return isObject(value) ? value : {};
}

/** A call cut at the output limit has no whole arguments. */
function parseInput(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return {};
  }
}
