/** Top-level fields: which exist, which must, and their ranges. */

import { isInteger, isObject, type JsonObject } from '../../json.ts';
import { firstProblem, type Problem } from '../../problem.ts';
import { invalidRequest } from '../problems.ts';
import type { Rule, RuleContext } from './context.ts';

const SHARED_FIELDS = [
  'cache_control',
  'messages',
  'model',
  'output_config',
  'system',
  'thinking',
  'tool_choice',
  'tools',
];
const CREATE_FIELDS = [
  'container',
  'diagnostics',
  'inference_geo',
  'max_tokens',
  'metadata',
  'service_tier',
  'speed',
  'stop_sequences',
  'stream',
  'temperature',
  'top_k',
  'top_p',
  'user_profile_id',
  'workspace_id',
];
/** Need a beta header. Fields whose effect is not simulated stay unknown, so that nobody relies on them unseen. */
const BETA_FIELDS = ['billing_policy', 'mcp_servers', 'output_format'];

const MAX_MESSAGES = 100_000;
const MIN_THINKING_TOKENS = 1_024;

export const knownFieldsOnly: Rule = ({ body, endpoint, hasBeta }) => {
  const known = new Set([
    ...SHARED_FIELDS,
    ...(endpoint === 'create' ? CREATE_FIELDS : []),
    ...(hasBeta ? BETA_FIELDS : []),
  ]);
  const extra = Object.keys(body).find((field) => !known.has(field));
  return extra === undefined ? undefined : invalidRequest(`${extra}: Extra inputs are not permitted`);
};

export const requiredFields: Rule = ({ body, endpoint }) => {
  const required = endpoint === 'create' ? ['model', 'max_tokens', 'messages'] : ['model', 'messages'];
  const missing = required.find((field) => body[field] === undefined);
  return missing === undefined ? undefined : invalidRequest(`${missing}: Field required`);
};

type FieldCheck = (value: unknown) => string | undefined;

const FIELD_CHECKS: Readonly<Record<string, FieldCheck>> = {
  model: (value) => {
    if (typeof value !== 'string') return 'Input should be a valid string';
    return value === '' ? 'String should have at least 1 character' : undefined;
  },
  max_tokens: (value) => {
    if (!isInteger(value)) return 'Input should be a valid integer';
    return value < 1 ? 'Input should be greater than or equal to 1' : undefined;
  },
  messages: (value) => {
    if (!Array.isArray(value)) return 'Input should be a valid list';
    if (value.length === 0) return 'at least one message is required';
    return value.length > MAX_MESSAGES ? `List should have at most ${MAX_MESSAGES} items after validation` : undefined;
  },
  stream: (value) => (typeof value === 'boolean' ? undefined : 'Input should be a valid boolean'),
  temperature: (value) => checkRange(value, 1),
  top_p: (value) => checkRange(value, 1),
  tools: (value) => (Array.isArray(value) ? undefined : 'Input should be a valid list'),
  system: (value) => (typeof value === 'string' || Array.isArray(value) ? undefined : 'Input should be a valid string'),
  stop_sequences: (value) =>
    Array.isArray(value) && value.every((item) => typeof item === 'string' && item.trim() !== '')
      ? undefined
      : 'each stop sequence must contain non-whitespace',
  thinking: (value) =>
    isObject(value) && ['enabled', 'disabled', 'adaptive'].includes(String(value['type']))
      ? undefined
      : "Input tag does not match any of the expected tags: 'adaptive', 'disabled', 'enabled'",
  tool_choice: (value) =>
    isObject(value) && ['auto', 'any', 'tool', 'none'].includes(String(value['type']))
      ? undefined
      : "Input tag does not match any of the expected tags: 'any', 'auto', 'none', 'tool'",
};

function checkRange(value: unknown, maximum: number): string | undefined {
  if (typeof value !== 'number') return 'Input should be a valid number';
  return value < 0 || value > maximum ? `range: 0..${maximum}` : undefined;
}

export const fieldTypes: Rule = ({ body }) =>
  firstProblem(Object.entries(FIELD_CHECKS), ([field, check]) => {
    const value = body[field];
    const fault = value === undefined ? undefined : check(value);
    return fault === undefined ? undefined : invalidRequest(`${field}: ${fault}`);
  });

export const thinkingBudget: Rule = (context) => {
  const { body, endpoint } = context;
  const thinking = body['thinking'];
  if (!isObject(thinking) || thinking['type'] !== 'enabled') return undefined;
  const budget = thinking['budget_tokens'];
  if (!isInteger(budget)) return invalidRequest('thinking.enabled.budget_tokens: Field required');
  if (budget < MIN_THINKING_TOKENS) {
    return invalidRequest(
      `thinking.enabled.budget_tokens: Input should be greater than or equal to ${MIN_THINKING_TOKENS}`,
    );
  }
  return endpoint === 'create' && budget >= Number(body['max_tokens'])
    ? invalidRequest('`max_tokens` must be greater than `thinking.budget_tokens`.')
    : forcedToolWithThinking(context);
};

function forcedToolWithThinking({ body }: RuleContext): Problem | undefined {
  const choice = body['tool_choice'];
  const isForced = isObject(choice) && (choice['type'] === 'any' || choice['type'] === 'tool');
  return isForced ? invalidRequest('Thinking may not be enabled when tool_choice forces tool use.') : undefined;
}

export const systemBlocks: Rule = ({ body }) => {
  const system = body['system'];
  if (!Array.isArray(system)) return undefined;
  return firstProblem(system, (block: unknown, index) => {
    if (!isObject(block) || block['type'] !== 'text' || typeof block['text'] !== 'string') {
      return invalidRequest(`system.${index}: Input should be a text block`);
    }
    return block['text'] === '' ? invalidRequest('system: text content blocks must be non-empty') : undefined;
  });
};

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;

export const toolDefinitions: Rule = ({ body }) => {
  const tools = Array.isArray(body['tools']) ? (body['tools'] as readonly unknown[]) : [];
  return firstProblem(tools, checkTool) ?? checkToolNames(tools.filter(isObject)) ?? checkChoice(body, tools);
};

function checkTool(tool: unknown, index: number): Problem | undefined {
  if (!isObject(tool)) return invalidRequest(`tools.${index}: Input should be a valid dictionary`);
  const isCustom = tool['type'] === undefined || tool['type'] === null || tool['type'] === 'custom';
  if (typeof tool['name'] !== 'string') return invalidRequest(`tools.${index}.custom.name: Field required`);
  if (!isCustom) return undefined;
  if (!TOOL_NAME.test(tool['name'])) {
    return invalidRequest(`tools.${index}.custom.name: String should match pattern '${TOOL_NAME.source}'`);
  }
  const schema = tool['input_schema'];
  if (schema === undefined) return invalidRequest(`tools.${index}.custom.input_schema: Field required`);
  return isObject(schema) && schema['type'] === 'object'
    ? undefined
    : invalidRequest(`tools.${index}.custom.input_schema.type: Input should be 'object'`);
}

function checkToolNames(tools: readonly JsonObject[]): Problem | undefined {
  const names = new Set(tools.map((tool) => tool['name']));
  return names.size === tools.length ? undefined : invalidRequest('tools: Tool names must be unique.');
}

function checkChoice(body: JsonObject, tools: readonly unknown[]): Problem | undefined {
  const choice = body['tool_choice'];
  if (!isObject(choice) || choice['type'] === 'none') return undefined;
  if (tools.length === 0) return invalidRequest('tool_choice may only be specified while providing tools.');
  if (choice['type'] !== 'tool') return undefined;
  const isKnown = tools.some((tool) => isObject(tool) && tool['name'] === choice['name']);
  return isKnown ? undefined : invalidRequest(`Tool '${String(choice['name'])}' not found in provided tools`);
}
