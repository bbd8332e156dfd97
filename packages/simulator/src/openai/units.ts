/** The prompt of a Chat request in cache order: tools, then messages, long ones in pieces. */

import { canonicalJson, isObject, type JsonObject } from '../json.ts';
import type { CountTokens } from '../tokens/count.ts';
import { MEDIA_TOKENS, type PromptUnit } from '../tokens/units.ts';
import { objectsOf } from './decode.ts';

const MESSAGE_OVERHEAD_TOKENS = 4;
const CALL_OVERHEAD_TOKENS = 4;
const TOOL_OVERHEAD_TOKENS = 8;
/** A prefix may end in the middle of a message, so long messages are matched in pieces. */
const PIECE_CHARS = 1_000;

export function unitsOf(body: JsonObject, countTokens: CountTokens): readonly PromptUnit[] {
  const tools = objectsOf(body['tools']).map((tool) => {
    const text = canonicalJson(tool);
    return { text, tokens: TOOL_OVERHEAD_TOKENS + countTokens(text) };
  });
  const messages = objectsOf(body['messages']).map((message) => ({
    text: canonicalJson(message),
    tokens: messageTokens(message, countTokens),
  }));
  return [...tools, ...messages].flatMap(cutUnit);
}

/** Tokens are shared out by length; the pieces add up to the whole. */
function cutUnit(unit: PromptUnit): readonly PromptUnit[] {
  const { text, tokens } = unit;
  if (text.length <= PIECE_CHARS) return [unit];
  const pieces: PromptUnit[] = [];
  for (let start = 0; start < text.length; start += PIECE_CHARS) {
    const end = Math.min(text.length, start + PIECE_CHARS);
    const share = Math.floor((tokens * end) / text.length) - Math.floor((tokens * start) / text.length);
    pieces.push({ text: text.slice(start, end), tokens: share });
  }
  return pieces;
}

function messageTokens(message: JsonObject, countTokens: CountTokens): number {
  const { content, refusal, reasoning_content: reasoning } = message as Readonly<Record<string, unknown>>;
  const texts = [content, refusal, reasoning].filter((value) => typeof value === 'string');
  const parts = objectsOf(content).map((part) => partTokens(part, countTokens));
  const calls = objectsOf(message['tool_calls']).map((call) => callTokens(call, countTokens));
  return [...texts.map(countTokens), ...parts, ...calls].reduce((sum, tokens) => sum + tokens, MESSAGE_OVERHEAD_TOKENS);
}

function partTokens(part: JsonObject, countTokens: CountTokens): number {
  const text = part['text'] ?? part['refusal'];
  return typeof text === 'string' ? countTokens(text) : MEDIA_TOKENS;
}

function callTokens(call: JsonObject, countTokens: CountTokens): number {
  const target = [call['function'], call['custom']].find(isObject) ?? {};
  const input = target['arguments'] ?? target['input'] ?? '';
  return CALL_OVERHEAD_TOKENS + countTokens(String(target['name'] ?? '')) + countTokens(String(input));
}
