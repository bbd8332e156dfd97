/** The Chat Completions stream, and the whole completion as a fold over it. */

import { isObject, type JsonObject } from '../json.ts';
import type { ShapedPart, ShapedReply, ShapedStop } from '../output/shape.ts';
import type { Answer, WireEvent } from '../profile.ts';

export interface OpenaiMeta {
  readonly id: string;
  readonly model: string;
  readonly createdSeconds: number;
  /** What the client asked for with `stream_options.include_usage`; the fold always needs it. */
  readonly includesUsage: boolean;
}

const FINISH_REASONS: Readonly<Record<ShapedStop, string>> = {
  end: 'stop',
  calls: 'tool_calls',
  cap: 'length',
  window: 'length',
  // A refusal is an ordinary end with the text in a field of its own.
  refusal: 'stop',
  sequence: 'stop',
};

export function openaiChunks(answer: Answer, meta: OpenaiMeta): readonly WireEvent[] {
  const { reply } = answer;
  const base = {
    id: meta.id,
    object: 'chat.completion.chunk',
    created: meta.createdSeconds,
    model: meta.model,
    service_tier: 'default',
    system_fingerprint: 'fp_sim',
  };
  const chunk = (delta: JsonObject, finish: string | null, isDelta: boolean): WireEvent => {
    const choice = { index: 0, delta, logprobs: null, finish_reason: finish };
    const usage = meta.includesUsage ? { usage: null } : {};
    return { data: { ...base, choices: [choice], ...usage }, isDelta };
  };
  const usage = { ...base, choices: [], usage: usageOf(answer) };
  return [
    chunk({ role: 'assistant', content: null, refusal: null }, null, false),
    ...deltasOf(reply).map((delta) => chunk(delta, null, true)),
    chunk({}, FINISH_REASONS[reply.stop], false),
    ...(meta.includesUsage ? [{ data: usage, isDelta: false }] : []),
    { data: '[DONE]', isDelta: false },
  ];
}

function deltasOf(reply: ShapedReply): readonly JsonObject[] {
  let calls = 0;
  const textField = reply.stop === 'refusal' ? 'refusal' : 'content';
  return reply.parts.flatMap((part) => {
    if (part.kind === 'call') {
      calls += 1;
      return callDeltas(part, calls - 1);
    }
    // Chat Completions shows no reasoning; its tokens are billed all the same.
    return part.kind === 'text' ? part.deltas.map((text) => ({ [textField]: text })) : [];
  });
}

function callDeltas(part: Extract<ShapedPart, { kind: 'call' }>, index: number): readonly JsonObject[] {
  const start = { index, id: part.id, type: 'function', function: { name: part.name, arguments: '' } };
  return [start, ...part.deltas.map((json) => ({ index, function: { arguments: json } }))].map((call) => ({
    tool_calls: [call],
  }));
}

function usageOf({ cache, inputTokens, reply }: Answer): JsonObject {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: reply.outputTokens,
    total_tokens: inputTokens + reply.outputTokens,
    prompt_tokens_details: { cached_tokens: cache.readTokens, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: reply.thinkingTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

interface DraftCall {
  id: string;
  type: string;
  function: { name: string; arguments: string };
}

interface Draft {
  head: JsonObject;
  content: string | null;
  refusal: string | null;
  calls: DraftCall[];
  finish: unknown;
  usage: unknown;
}

export function foldOpenai(events: readonly WireEvent[]): JsonObject {
  const draft: Draft = { head: {}, content: null, refusal: null, calls: [], finish: null, usage: null };
  for (const { data } of events) {
    if (isObject(data)) foldChunk(draft, data);
  }
  const {
    id,
    created,
    model,
    service_tier: tier,
    system_fingerprint: fingerprint,
  } = draft.head as Record<string, unknown>;
  const calls = draft.calls.length === 0 ? {} : { tool_calls: draft.calls };
  const message = { role: 'assistant', content: draft.content, refusal: draft.refusal, annotations: [], ...calls };
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: [
      {
        index: 0,
        message,
        logprobs: null,
        finish_reason: draft.finish,
      },
    ],
    usage: draft.usage,
    service_tier: tier,
    system_fingerprint: fingerprint,
  };
}

function foldChunk(draft: Draft, data: JsonObject): void {
  draft.head = data;
  if (isObject(data['usage'])) draft.usage = data['usage'];
  const choice: unknown = Array.isArray(data['choices']) ? data['choices'][0] : undefined;
  if (!isObject(choice)) return;
  draft.finish = choice['finish_reason'] ?? draft.finish;
  const delta = isObject(choice['delta']) ? choice['delta'] : {};
  for (const field of ['content', 'refusal'] as const) {
    if (typeof delta[field] === 'string') draft[field] = (draft[field] ?? '') + delta[field];
  }
  for (const call of Array.isArray(delta['tool_calls']) ? delta['tool_calls'] : []) {
    if (isObject(call)) foldCall(draft, call);
  }
}

function foldCall(draft: Draft, call: JsonObject): void {
  const target = isObject(call['function']) ? call['function'] : {};
  const known = draft.calls[Number(call['index'])];
  if (known !== undefined) {
    known.function.arguments += String(target['arguments']);
    return;
  }
  draft.calls.push({
    id: String(call['id']),
    type: 'function',
    function: { name: String(target['name']), arguments: String(target['arguments']) },
  });
}
