/** From a validated Chat Completions request to what a brain reads. */

import type { SimMessage, SimPart, SimRequest, SimTool } from '../brain.ts';
import { isObject, type JsonObject, lookUp } from '../json.ts';

/** The output limit of a request that sets none, as a brain sees it; the window is the real limit then. */
const DEFAULT_OUTPUT_TOKENS = 16_384;

export function decodeOpenai(body: JsonObject): SimRequest {
  const messages = objectsOf(body['messages']);
  const head = leadingInstructions(messages);
  return {
    profile: 'openai',
    model: String(body['model']),
    system: head.map((message) => textOf(message['content'])).join('\n\n'),
    messages: fromOpenaiMessages(messages.slice(head.length)),
    tools: objectsOf(body['tools']).map(decodeTool),
    maxOutputTokens: outputLimitOf(body) ?? DEFAULT_OUTPUT_TOKENS,
  };
}

export function outputLimitOf(body: JsonObject): number | undefined {
  const limit = body['max_completion_tokens'] ?? body['max_tokens'];
  return typeof limit === 'number' ? limit : undefined;
}

/**
 * Messages of the OpenAI Chat wire format as a brain sees them: neighbours of one role merged, tool messages as
 * results in user messages, system and developer messages as `system`. Does not throw.
 */
export function fromOpenaiMessages(messages: readonly unknown[]): readonly SimMessage[] {
  const merged: { role: SimMessage['role']; parts: SimPart[] }[] = [];
  for (const message of messages.filter(isObject)) {
    const role = roleOf(message['role']);
    const parts = decodeMessage(message);
    const last = merged.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else merged.push({ role, parts: [...parts] });
  }
  return merged;
}

function leadingInstructions(messages: readonly JsonObject[]): readonly JsonObject[] {
  const end = messages.findIndex((message) => roleOf(message['role']) !== 'system');
  return end === -1 ? messages : messages.slice(0, end);
}

function roleOf(role: unknown): SimMessage['role'] {
  if (role === 'assistant') return 'assistant';
  return role === 'system' || role === 'developer' ? 'system' : 'user';
}

function decodeMessage(message: JsonObject): readonly SimPart[] {
  if (message['role'] === 'tool') {
    return [
      { kind: 'result', callId: String(message['tool_call_id']), text: textOf(message['content']), isError: false },
    ];
  }
  return [...contentParts(message), ...objectsOf(message['tool_calls']).map(decodeCall)];
}

function contentParts(message: JsonObject): readonly SimPart[] {
  const { content, refusal, reasoning_content: reasoning } = message as Readonly<Record<string, unknown>>;
  const parts: SimPart[] = [];
  if (typeof reasoning === 'string' && reasoning !== '') parts.push({ kind: 'thinking', text: reasoning });
  if (typeof content === 'string' && content !== '') parts.push({ kind: 'text', text: content });
  if (typeof refusal === 'string' && refusal !== '') parts.push({ kind: 'text', text: refusal });
  return [...parts, ...objectsOf(content).map(decodePart)];
}

const PART_DECODERS: Readonly<Record<string, (part: JsonObject) => SimPart>> = {
  text: (part) => ({ kind: 'text', text: String(part['text']) }),
  refusal: (part) => ({ kind: 'text', text: String(part['refusal']) }),
  image_url: () => ({ kind: 'media', mediaType: 'image' }),
  input_audio: () => ({ kind: 'media', mediaType: 'audio' }),
  file: () => ({ kind: 'media', mediaType: 'application/pdf' }),
};

function decodePart(part: JsonObject): SimPart {
  const type = String(part['type']);
  return lookUp(PART_DECODERS, type)?.(part) ?? { kind: 'other', type };
}

function decodeCall(call: JsonObject): SimPart {
  const target = isObject(call['function']) ? call['function'] : {};
  return {
    kind: 'call',
    id: String(call['id']),
    name: String(target['name'] ?? ''),
    input: parseArguments(target['arguments']),
  };
}

/** The API takes any string as arguments; a brain sees those that are no JSON object under `arguments`. */
function parseArguments(json: unknown): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(String(json));
    return isObject(value) ? { ...value } : { arguments: value };
  } catch {
    return { arguments: json };
  }
}

function decodeTool(tool: JsonObject): SimTool {
  const target = [tool['function'], tool['custom']].find(isObject) ?? {};
  return { name: String(target['name']), description: String(target['description'] ?? '') };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = objectsOf(content).filter((part) => part['type'] === 'text');
  return texts.map((part) => String(part['text'])).join('\n');
}

export function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
