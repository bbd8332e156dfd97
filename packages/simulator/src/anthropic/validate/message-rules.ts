/** Roles, order and emptiness of messages. */

import { isObject, lookUp } from '../../json.ts';
import { firstProblem, type Problem } from '../../problem.ts';
import { blocksOf, type PlacedBlock, type Turn } from '../conversation.ts';
import { invalidRequest } from '../problems.ts';
import type { Rule } from './context.ts';

const ROLES = ['user', 'assistant', 'system'];
const MESSAGE_FIELDS = ['role', 'content'];

export const messageShapes: Rule = ({ body }) =>
  firstProblem(body['messages'] as readonly unknown[], (message, index) => {
    if (!isObject(message)) return invalidRequest(`messages.${index}: Input should be a valid dictionary`);
    const missing = MESSAGE_FIELDS.find((field) => message[field] === undefined);
    if (missing !== undefined) return invalidRequest(`messages.${index}.${missing}: Field required`);
    const extra = Object.keys(message).find((field) => !MESSAGE_FIELDS.includes(field));
    if (extra !== undefined) return invalidRequest(`messages.${index}.${extra}: Extra inputs are not permitted`);
    if (!ROLES.includes(String(message['role']))) {
      return invalidRequest(`messages.${index}.role: Input should be 'user', 'assistant' or 'system'`);
    }
    return checkContent(message['content'], index);
  });

function checkContent(content: unknown, index: number): Problem | undefined {
  if (typeof content !== 'string' && !Array.isArray(content)) {
    return invalidRequest(`messages.${index}.content: Input should be a valid string or list`);
  }
  if (content.length > 0) return undefined;
  return invalidRequest(
    `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
  );
}

/** A string of nothing but whitespace is one empty text block. */
export const nonEmptyStrings: Rule = ({ body }) =>
  firstProblem(body['messages'] as readonly unknown[], (message) => {
    const content = isObject(message) ? message['content'] : undefined;
    return typeof content === 'string' && content.trim() === ''
      ? invalidRequest('messages: text content blocks must contain non-whitespace text')
      : undefined;
  });

export const firstIsUser: Rule = ({ turns }) =>
  turns[0]?.role === 'user' ? undefined : invalidRequest('messages: first message must use the "user" role');

export const noPrefill: Rule = ({ turns }) => {
  const last = turns.at(-1);
  // A paused turn of server tools is continued by sending it back as it stands.
  if (last?.role !== 'assistant' || last.blocks.some(({ block }) => block.type === 'server_tool_use')) return undefined;
  return invalidRequest(
    'This model does not support assistant message prefill. The conversation must end with a user message.',
  );
};

/** Mid-conversation system messages follow a user turn and end the list or precede an assistant turn. */
export const systemPlacement: Rule = ({ body, turns }) =>
  firstProblem(turns, (turn, index) => {
    if (turn.role !== 'system') return undefined;
    const isPlaced = turns[index - 1]?.role === 'user' && (turns[index + 1]?.role ?? 'assistant') === 'assistant';
    if (!isPlaced) {
      return invalidRequest(
        `messages.${turn.messageIndex}: a "system" message must follow a user turn and be last or precede an assistant turn`,
      );
    }
    return systemContent(turn, body['messages'] as readonly unknown[]);
  });

const SYSTEM_BLOCKS = ['text', 'tool_addition', 'tool_removal'];

function systemContent(turn: Turn, messages: readonly unknown[]): Problem | undefined {
  const message = messages[turn.messageIndex];
  const blocks = isObject(message) ? blocksOf(message['content']) : [];
  const wrong = blocks.find((block) => !SYSTEM_BLOCKS.includes(block.type));
  return wrong === undefined
    ? undefined
    : invalidRequest(`messages.${turn.messageIndex}: \`${wrong.type}\` blocks are not permitted in a "system" message`);
}

/** Kinds that only one role may carry. */
const ROLE_OF_KIND: Readonly<Record<string, string>> = {
  tool_use: 'assistant',
  server_tool_use: 'assistant',
  mcp_tool_use: 'assistant',
  thinking: 'assistant',
  redacted_thinking: 'assistant',
  tool_result: 'user',
  image: 'user',
  document: 'user',
  tool_addition: 'system',
  tool_removal: 'system',
};

export const blocksFitRole: Rule = ({ turns }) => firstProblem(turns, checkTurnKinds);

function checkTurnKinds(turn: Turn): Problem | undefined {
  return firstProblem(turn.blocks, ({ block }: PlacedBlock) => {
    const role = lookUp(ROLE_OF_KIND, block.type);
    return role === undefined || role === turn.role
      ? undefined
      : invalidRequest(`messages: \`${block.type}\` blocks can only be in \`${role}\` messages`);
  });
}
