/** From a validated Messages request to what a brain reads. */

import type { SimMessage, SimPart, SimRequest, SimTool } from '../brain.ts';
import { isObject, type JsonObject, lookUp } from '../json.ts';
import { type Block, blocksOf, turnsOf } from './conversation.ts';

export function decodeAnthropic(body: JsonObject): SimRequest {
  const tools = Array.isArray(body['tools']) ? body['tools'].filter(isObject) : [];
  return {
    profile: 'anthropic',
    model: String(body['model']),
    system: textOf(body['system']),
    messages: decodeTurns(body),
    tools: tools.map(decodeTool),
    maxOutputTokens: Number(body['max_tokens'] ?? 0),
  };
}

/**
 * Messages of the Anthropic wire format as a brain sees them: neighbours of one role merged, results in user
 * messages. Does not throw; what it does not understand becomes an `other` part.
 */
export function fromAnthropicMessages(messages: readonly unknown[]): readonly SimMessage[] {
  return decodeTurns({ messages });
}

function decodeTurns(body: JsonObject): readonly SimMessage[] {
  return turnsOf(body).map((turn) => ({
    role: turn.role === 'assistant' || turn.role === 'system' ? turn.role : 'user',
    parts: turn.blocks.map(({ block }) => decodeBlock(block)),
  }));
}

function decodeTool(tool: JsonObject): SimTool {
  return { name: String(tool['name']), description: String(tool['description'] ?? '') };
}

const DECODERS: Readonly<Record<string, (block: Block) => SimPart>> = {
  text: (block) => ({ kind: 'text', text: String(block['text']) }),
  thinking: (block) => ({ kind: 'thinking', text: String(block['thinking']) }),
  image: (block) => ({ kind: 'media', mediaType: mediaTypeOf(block, 'image') }),
  document: (block) => ({ kind: 'media', mediaType: mediaTypeOf(block, 'application/pdf') }),
  tool_use: (block) => ({
    kind: 'call',
    id: String(block['id']),
    name: String(block['name']),
    input: isObject(block['input']) ? { ...block['input'] } : {},
  }),
  tool_result: (block) => ({
    kind: 'result',
    callId: String(block['tool_use_id']),
    text: textOf(block['content']),
    isError: block['is_error'] === true,
  }),
};

function decodeBlock(block: Block): SimPart {
  return lookUp(DECODERS, block.type)?.(block) ?? { kind: 'other', type: block.type };
}

function mediaTypeOf(block: Block, fallback: string): string {
  const source = block['source'];
  return isObject(source) && typeof source['media_type'] === 'string' ? source['media_type'] : fallback;
}

/** The text blocks, a line apart; media inside a result are not text. */
function textOf(content: unknown): string {
  const texts = blocksOf(content).filter((block) => block.type === 'text');
  return texts.map((block) => String(block['text'])).join('\n');
}
