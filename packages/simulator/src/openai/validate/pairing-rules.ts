/** Tool calls and tool messages: every call answered directly after, before any other role. */

import { isObject, type JsonObject } from '../../json.ts';
import { firstProblem, type Problem } from '../../problem.ts';
import { invalidRequest } from '../problems.ts';
import type { Rule } from './context.ts';

export const uniqueCallIds: Rule = ({ messages }) =>
  firstProblem(messages, (message, index) => {
    const ids = callIdsOf(message);
    const double = ids.find((id, at) => ids.indexOf(id) !== at);
    return double === undefined
      ? undefined
      : invalidRequest(`Duplicate value for 'tool_call_id' of '${double}' in messages[${index}].`, {
          param: `messages[${index}].tool_calls`,
        });
  });

/** A run of tool messages belongs to the message before it, and must answer each of its calls once. */
export const callsPaired: Rule = ({ messages }) =>
  firstProblem(messages, (message, index) => {
    if (message['role'] === 'tool') return index === 0 ? unexpected(index) : undefined;
    return checkRun({ index, ids: callIdsOf(message), answers: answersAfter(messages, index) });
  });

interface Run {
  /** Index of the message the run belongs to. */
  readonly index: number;
  readonly ids: readonly string[];
  readonly answers: readonly string[];
}

function checkRun({ index, ids, answers }: Run): Problem | undefined {
  const wrong = firstProblem(answers, (id, at) => {
    if (!ids.includes(id)) return unexpected(index + 1 + at);
    return answers.indexOf(id) === at ? undefined : doubled(id, index + 1 + at);
  });
  if (wrong !== undefined) return wrong;
  const open = ids.filter((id) => !answers.includes(id));
  if (open.length === 0) return undefined;
  return invalidRequest(
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
      `The following tool_call_ids did not have response messages: ${open.join(', ')}`,
    { param: 'messages' },
  );
}

function unexpected(index: number): Problem {
  return invalidRequest(
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    { param: `messages.[${index}].role` },
  );
}

function doubled(id: string, index: number): Problem {
  return invalidRequest(`Duplicate response for tool_call_id '${id}' in messages[${index}].`, {
    param: `messages[${index}].tool_call_id`,
  });
}

function callIdsOf(message: JsonObject): readonly string[] {
  const calls = message['role'] === 'assistant' ? message['tool_calls'] : undefined;
  return Array.isArray(calls) ? calls.filter(isObject).map((call) => String(call['id'])) : [];
}

function answersAfter(messages: readonly JsonObject[], index: number): readonly string[] {
  const ids: string[] = [];
  for (let next = index + 1; messages[next]?.['role'] === 'tool'; next += 1) {
    ids.push(String(messages[next]?.['tool_call_id']));
  }
  return ids;
}
