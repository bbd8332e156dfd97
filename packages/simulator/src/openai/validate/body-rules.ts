/** Top-level fields: which exist, which must, and their ranges. */

import { isInteger, isObject, type JsonObject } from '../../json.ts';
import { firstProblem, type Problem } from '../../problem.ts';
import { invalidRequest } from '../problems.ts';
import { type Rule, typeName } from './context.ts';

const FIELDS = new Set([
  'audio',
  'frequency_penalty',
  'function_call',
  'functions',
  'logit_bias',
  'logprobs',
  'max_completion_tokens',
  'max_tokens',
  'messages',
  'metadata',
  'modalities',
  'model',
  'moderation',
  'n',
  'parallel_tool_calls',
  'prediction',
  'presence_penalty',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning_effort',
  'response_format',
  'safety_identifier',
  'seed',
  'service_tier',
  'stop',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'user',
  'verbosity',
  'web_search_options',
]);

export const knownFieldsOnly: Rule = ({ body }) => {
  const extra = Object.keys(body).find((field) => !FIELDS.has(field));
  return extra === undefined
    ? undefined
    : invalidRequest(`Unknown parameter: '${extra}'.`, { param: extra, code: 'unknown_parameter' });
};

export const requiredFields: Rule = ({ body }) => {
  const { model, messages } = body as { readonly model?: unknown; readonly messages?: unknown };
  if (typeof model !== 'string' || model === '') return invalidRequest('you must provide a model parameter');
  if (messages === undefined) return missing('messages');
  if (!Array.isArray(messages)) return wrongType('messages', 'an array of objects', messages);
  if (messages.length > 0) return undefined;
  return invalidRequest(
    "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    { param: 'messages', code: 'empty_array' },
  );
};

/** What a field must be, in the vendor's words, and the test for it. Null is the same as absent. */
const TYPES: Readonly<Record<string, readonly [string, (value: unknown) => boolean]>> = {
  stream: ['a boolean', (value) => typeof value === 'boolean'],
  temperature: ['a decimal', (value) => typeof value === 'number'],
  top_p: ['a decimal', (value) => typeof value === 'number'],
  tools: ['an array of objects', Array.isArray],
  stream_options: ['an object', isObject],
  stop: ['one of a string or array of strings', (value) => typeof value === 'string' || isStrings(value)],
  max_tokens: ['an integer', isInteger],
  max_completion_tokens: ['an integer', isInteger],
  n: ['an integer', isInteger],
};

const RANGES: Readonly<Record<string, readonly [from: number, to: number]>> = {
  temperature: [0, 2],
  top_p: [0, 1],
  max_tokens: [1, Number.MAX_SAFE_INTEGER],
  max_completion_tokens: [1, Number.MAX_SAFE_INTEGER],
  // More than one choice is not simulated.
  n: [1, 1],
};

export const fieldTypes: Rule = ({ body }) =>
  firstProblem(Object.entries(TYPES), ([field, [expected, test]]) => {
    const value = body[field] ?? undefined;
    return value === undefined || test(value) ? undefined : wrongType(field, expected, value);
  });

export const fieldRanges: Rule = ({ body }) =>
  firstProblem(Object.entries(RANGES), ([field, [from, to]]) => {
    const value = body[field];
    if (typeof value !== 'number' || (value >= from && value <= to)) return undefined;
    const [side, word, limit] = value < from ? ['below minimum', '>=', from] : ['above maximum', '<=', to];
    const kind = Number.isInteger(value) ? 'integer' : 'decimal';
    return invalidRequest(
      `Invalid '${field}': ${kind} ${side} value. Expected a value ${word} ${limit}, but got ${value} instead.`,
      { param: field, code: value < from ? `${kind}_below_min_value` : `${kind}_above_max_value` },
    );
  });

export const outputLimits: Rule = ({ body }) =>
  isSet(body['max_tokens']) && isSet(body['max_completion_tokens'])
    ? invalidRequest("Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.", {
        param: 'max_tokens',
      })
    : undefined;

export const streamOptions: Rule = ({ body }) =>
  isSet(body['stream_options']) && body['stream'] !== true
    ? invalidRequest("The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
        param: 'stream_options',
      })
    : undefined;

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

export const toolDefinitions: Rule = ({ body }) => {
  const tools = Array.isArray(body['tools']) ? (body['tools'] as readonly unknown[]) : [];
  return firstProblem(tools, checkTool) ?? checkChoice(body, tools);
};

function checkTool(tool: unknown, index: number): Problem | undefined {
  const path = `tools[${index}]`;
  if (!isObject(tool)) return wrongType(path, 'an object', tool);
  if (tool['type'] === 'custom') return undefined;
  if (tool['type'] !== 'function') return missing(`${path}.type`);
  const definition = tool['function'];
  if (!isObject(definition)) return missing(`${path}.function`);
  if (typeof definition['name'] !== 'string') return missing(`${path}.function.name`);
  if (TOOL_NAME.test(definition['name'])) return undefined;
  return invalidRequest(
    `Invalid '${path}.function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
    { param: `${path}.function.name`, code: 'invalid_value' },
  );
}

function checkChoice(body: JsonObject, tools: readonly unknown[]): Problem | undefined {
  const choice = body['tool_choice'] ?? undefined;
  if (choice === undefined || choice === 'none' || tools.length > 0) return undefined;
  return invalidRequest("Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.", {
    param: 'tool_choice',
  });
}

export function missing(param: string): Problem {
  return invalidRequest(`Missing required parameter: '${param}'.`, { param, code: 'missing_required_parameter' });
}

export function wrongType(param: string, expected: string, value: unknown): Problem {
  return invalidRequest(`Invalid type for '${param}': expected ${expected}, but got ${typeName(value)} instead.`, {
    param,
    code: 'invalid_type',
  });
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
