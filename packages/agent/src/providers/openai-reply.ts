/**
 * A Chat Completions stream as one reply. Written for what servers send rather than for what the format says: calls without index, id or
 * type, no usage, reasoning under three names.
 */
import { addDetails } from './openai-reasoning.ts';

type Fields = Readonly<Record<string, unknown>>;

interface DraftCall {
  id: string;
  name: string;
  json: string;
  readonly index: unknown;
}

export interface DeltaPorts {
  readonly onText: (delta: string) => void;
  readonly onReasoning?: (delta: string) => void;
}

interface Draft {
  head: Fields;
  content: string;
  refusal: string;
  /** Under the name it came. */
  readonly reasoning: Record<string, string>;
  readonly details: Fields[];
  readonly calls: DraftCall[];
  finish: string | undefined;
  usage: unknown;
}

/** DeepSeek, llama.cpp, Kimi and GLM say the first, OpenRouter, Ollama and vLLM from 0.11 the second. */
const REASONING_NAMES = ['reasoning_content', 'reasoning'] as const;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function list(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** The call a piece belongs to. Some servers give every call the index 0, or none, and only another id tells them apart. */
function callFor(draft: Draft, piece: Fields): DraftCall {
  const id = text(piece['id']);
  const { index } = piece as { index?: unknown };
  const known = draft.calls.findLast((call) => index === undefined || call.index === index);
  if (known !== undefined && (id === '' || id === known.id)) return known;
  const call = { id, name: '', json: '', index };
  draft.calls.push(call);
  return call;
}

function addCall(draft: Draft, piece: Fields): void {
  const body = isFields(piece['function']) ? piece['function'] : {};
  const call = callFor(draft, piece);
  const { arguments: json } = body as { arguments?: unknown };
  call.name = call.name === '' ? text(body['name']) : call.name;
  call.json += isFields(json) ? JSON.stringify(json) : text(json);
}

function addReasoning(draft: Draft, delta: Fields, ports: DeltaPorts): void {
  const name = REASONING_NAMES.find((candidate) => text(delta[candidate]) !== '');
  addDetails(draft.details, list(delta['reasoning_details']));
  if (name === undefined) return;
  draft.reasoning[name] = (draft.reasoning[name] ?? '') + text(delta[name]);
  ports.onReasoning?.(text(delta[name]));
}

function addChunk(draft: Draft, chunk: Fields, ports: DeltaPorts): void {
  draft.head = chunk;
  if (isFields(chunk['usage'])) draft.usage = chunk['usage'];
  const [choice] = list(chunk['choices']);
  if (choice === undefined) return;
  if (text(choice['finish_reason']) !== '') draft.finish = text(choice['finish_reason']);
  const delta = isFields(choice['delta']) ? choice['delta'] : {};
  addReasoning(draft, delta, ports);
  const content = text(delta['content']);
  draft.content += content;
  draft.refusal += text(delta['refusal']);
  if (content !== '') ports.onText(content);
  for (const piece of list(delta['tool_calls'])) addCall(draft, piece);
}

/**
 * Thinking goes back where servers want it: with calls. DeepSeek refuses calls without the `reasoning_content` that led to them (its guide on
 * thinking mode), OpenRouter asks for `reasoning_details`; `reasoning` is for showing only. A plain answer goes back without.
 */
function reasoningOf({ reasoning, details, calls }: Draft): object {
  if (calls.length === 0) return {};
  const { reasoning_content: content } = reasoning;
  return {
    ...(content === undefined ? {} : { reasoning_content: content }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
  };
}

function replyOf(draft: Draft): object {
  const calls = draft.calls.map(({ id, name, json }, index) => ({
    id: id === '' ? `call_${index}` : id,
    type: 'function',
    function: { name, arguments: json.trim() === '' ? '{}' : json },
  }));
  const message = {
    role: 'assistant',
    content: draft.content === '' ? null : draft.content,
    refusal: draft.refusal === '' ? null : draft.refusal,
    ...reasoningOf(draft),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  const { id, created, model } = draft.head as Record<string, unknown>;
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: draft.finish }],
    ...(draft.usage === undefined ? {} : { usage: draft.usage }),
  };
}

/** Rejects where the stream ends without saying why the reply did: it was cut. */
export async function assembleReply(chunks: AsyncIterable<object>, ports: DeltaPorts): Promise<object> {
  const draft: Draft = {
    head: {},
    content: '',
    refusal: '',
    reasoning: {},
    details: [],
    calls: [],
    finish: undefined,
    usage: undefined,
  };
  for await (const chunk of chunks) addChunk(draft, chunk as Fields, ports);
  if (draft.finish === undefined) throw new Error('stream ended without a finish reason');
  return replyOf(draft);
}
