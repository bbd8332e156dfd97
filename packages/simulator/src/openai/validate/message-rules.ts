/** The shape of each message, by role, and of each content part, by type. */

import { isObject, type JsonObject, lookUp } from '../../json.ts';
import { firstProblem, type Problem } from '../../problem.ts';
import { invalidRequest } from '../problems.ts';
import { missing, wrongType } from './body-rules.ts';
import type { Rule } from './context.ts';

interface RoleShape {
  readonly fields: readonly string[];
  readonly parts: readonly string[];
}

/** `reasoning_content` is what several OpenAI-compatible servers want replayed inside a tool loop. */
const ROLES: Readonly<Record<string, RoleShape>> = {
  system: { fields: ['role', 'content', 'name'], parts: ['text'] },
  developer: { fields: ['role', 'content', 'name'], parts: ['text'] },
  user: { fields: ['role', 'content', 'name'], parts: ['text', 'image_url', 'input_audio', 'file'] },
  assistant: {
    fields: [
      'role',
      'content',
      'name',
      'refusal',
      'audio',
      'tool_calls',
      'function_call',
      'annotations',
      'reasoning_content',
      'reasoning',
    ],
    parts: ['text', 'refusal'],
  },
  tool: { fields: ['role', 'content', 'tool_call_id'], parts: ['text'] },
};

export const messageShapes: Rule = ({ body }) =>
  firstProblem(body['messages'] as readonly unknown[], (message, index) => {
    const path = `messages[${index}]`;
    if (!isObject(message)) return wrongType(path, 'an object', message);
    const role = message['role'];
    if (role === undefined) return missing(`${path}.role`);
    const shape = lookUp(ROLES, role);
    if (shape === undefined) return unknownRole(role, path);
    const extra = Object.keys(message).find((field) => !shape.fields.includes(field));
    if (extra !== undefined) {
      const param = `${path}.${extra}`;
      return invalidRequest(`Unknown parameter: '${param}'.`, { param, code: 'unknown_parameter' });
    }
    return checkContent(message, path, shape) ?? lookUp(ROLE_CHECKS, role)?.(message, path);
  });

function unknownRole(role: unknown, path: string): Problem {
  const supported = Object.keys(ROLES)
    .map((name) => `'${name}'`)
    .join(', ');
  return invalidRequest(`Invalid value: '${String(role)}'. Supported values are: ${supported}.`, {
    param: `${path}.role`,
    code: 'invalid_value',
  });
}

const CONTENT = 'one of a string or array of objects';

function checkContent(message: JsonObject, path: string, shape: RoleShape): Problem | undefined {
  const content = message['content'];
  if (typeof content === 'string') return undefined;
  if (content === undefined || content === null) return checkNoContent(message, path);
  if (!Array.isArray(content)) return wrongType(`${path}.content`, CONTENT, content);
  if (content.length === 0) {
    return invalidRequest(
      `Invalid '${path}.content': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
      { param: `${path}.content`, code: 'empty_array' },
    );
  }
  return firstProblem(content, (part: unknown, index) => checkPart(part, `${path}.content[${index}]`, shape));
}

/** Only an assistant that calls, refuses or speaks may have no content. */
function checkNoContent(message: JsonObject, path: string): Problem | undefined {
  const substitutes = ['tool_calls', 'function_call', 'refusal', 'audio'];
  const isReplaced = message['role'] === 'assistant' && substitutes.some((field) => isObjectLike(message[field]));
  if (isReplaced) return undefined;
  return message['content'] === undefined
    ? missing(`${path}.content`)
    : wrongType(`${path}.content`, CONTENT, message['content']);
}

function isObjectLike(value: unknown): boolean {
  return typeof value === 'string' ? value !== '' : value !== undefined && value !== null;
}

function checkPart(part: unknown, path: string, { parts }: RoleShape): Problem | undefined {
  if (!isObject(part)) return wrongType(path, 'an object', part);
  const type = part['type'];
  if (type === undefined) return missing(`${path}.type`);
  if (!parts.includes(String(type))) {
    const supported = parts.map((name) => `'${name}'`).join(', ');
    return invalidRequest(`Invalid value: '${String(type)}'. Supported values are: ${supported}.`, {
      param: `${path}.type`,
      code: 'invalid_value',
    });
  }
  return lookUp(PART_CHECKS, type)?.(part, path);
}

type ObjectCheck = (value: JsonObject, path: string) => Problem | undefined;

const PART_CHECKS: Readonly<Record<string, ObjectCheck>> = {
  text: (part, path) => (typeof part['text'] === 'string' ? undefined : missing(`${path}.text`)),
  refusal: (part, path) => (typeof part['refusal'] === 'string' ? undefined : missing(`${path}.refusal`)),
  image_url: (part, path) => checkImage(part['image_url'], `${path}.image_url`),
  input_audio: (part, path) => (isObject(part['input_audio']) ? undefined : missing(`${path}.input_audio`)),
  file: (part, path) => (isObject(part['file']) ? undefined : missing(`${path}.file`)),
};

const IMAGE_URL = /^(https?:\/\/|data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$)/;

function checkImage(image: unknown, path: string): Problem | undefined {
  if (!isObject(image)) return missing(path);
  if (typeof image['url'] !== 'string') return missing(`${path}.url`);
  if (IMAGE_URL.test(image['url'])) return undefined;
  return invalidRequest(
    "Invalid image_url. Expected a valid URL or a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU=').",
    { param: `${path}.url`, code: 'invalid_image_url' },
  );
}

const ROLE_CHECKS: Readonly<Record<string, ObjectCheck>> = {
  assistant: checkAssistant,
  tool: (message, path) => (typeof message['tool_call_id'] === 'string' ? undefined : missing(`${path}.tool_call_id`)),
};

function checkAssistant(message: JsonObject, path: string): Problem | undefined {
  const calls = message['tool_calls'] ?? undefined;
  if (calls === undefined) return undefined;
  const param = `${path}.tool_calls`;
  if (!Array.isArray(calls)) return wrongType(param, 'an array of objects', calls);
  if (calls.length === 0) {
    return invalidRequest(
      `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
      { param, code: 'empty_array' },
    );
  }
  return firstProblem(calls, (call: unknown, index) => checkCall(call, `${param}[${index}]`));
}

function checkCall(call: unknown, path: string): Problem | undefined {
  if (!isObject(call)) return wrongType(path, 'an object', call);
  if (typeof call['id'] !== 'string') return missing(`${path}.id`);
  if (call['type'] === 'custom') return isObject(call['custom']) ? undefined : missing(`${path}.custom`);
  if (call['type'] !== 'function') return missing(`${path}.type`);
  const target = call['function'];
  if (!isObject(target)) return missing(`${path}.function`);
  if (typeof target['name'] !== 'string') return missing(`${path}.function.name`);
  if (target['arguments'] === undefined) return missing(`${path}.function.arguments`);
  return typeof target['arguments'] === 'string'
    ? undefined
    : wrongType(`${path}.function.arguments`, 'a string', target['arguments']);
}
