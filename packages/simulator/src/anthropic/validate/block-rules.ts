/** The shape of each content block kind: one small function per kind, picked from a table. */

import { isObject, lookUp } from '../../json.ts';
import { firstProblem, type Problem } from '../../problem.ts';
import { type Block, blocksOf, isBlock } from '../conversation.ts';
import { invalidRequest } from '../problems.ts';
import type { Rule } from './context.ts';

/** Says what is wrong, starting with the field: `id: Field required`. */
type BlockCheck = (block: Block) => string | undefined;

const NON_EMPTY = 'text content blocks must be non-empty';
const TOOL_ID = /^[a-zA-Z0-9_-]+$/;
const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
const RESULT_KINDS = ['text', 'image', 'search_result', 'document', 'tool_reference', 'browser_state'];

const CHECKS: Readonly<Record<string, BlockCheck>> = {
  text: (block) => (typeof block['text'] === 'string' ? undefined : 'text: Input should be a valid string'),
  image: (block) => checkImageSource(block['source']),
  document: (block) => (isObject(block['source']) ? undefined : 'source: Field required'),
  thinking: (block) => {
    if (typeof block['thinking'] !== 'string') return 'thinking: Field required';
    return typeof block['signature'] === 'string' ? undefined : 'signature: Field required';
  },
  redacted_thinking: (block) => (typeof block['data'] === 'string' ? undefined : 'data: Field required'),
  tool_use: (block) => checkId(block['id'], 'id') ?? checkName(block) ?? checkInput(block),
  tool_result: (block) => checkId(block['tool_use_id'], 'tool_use_id') ?? checkResultContent(block['content']),
  server_tool_use: (block) => checkId(block['id'], 'id') ?? checkName(block) ?? checkInput(block),
  mcp_tool_use: (block) => checkId(block['id'], 'id') ?? checkName(block) ?? checkInput(block),
};

/** Known kinds whose inside is taken as it is. */
const OPEN_KINDS = [
  'search_result',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'advisor_tool_result',
  'fallback',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'tool_search_tool_result',
  'mcp_tool_result',
  'container_upload',
  'compaction',
  'tool_addition',
  'tool_removal',
  'mcp_tool_listing',
];

/** Kinds whose fields are closed: anything else is an extra input. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ['type', 'text', 'citations', 'cache_control'],
  image: ['type', 'source', 'cache_control'],
  thinking: ['type', 'thinking', 'signature'],
  redacted_thinking: ['type', 'data'],
  tool_use: ['type', 'id', 'name', 'input', 'caller', 'toolset_name', 'cache_control'],
  tool_result: ['type', 'tool_use_id', 'content', 'is_error', 'toolset_name', 'cache_control'],
};

const ALL_KINDS = [...Object.keys(CHECKS), ...OPEN_KINDS];

export const blockShapes: Rule = ({ body }) =>
  firstProblem(body['messages'] as readonly unknown[], (message, messageIndex) => {
    const content = isObject(message) ? message['content'] : undefined;
    if (!Array.isArray(content)) return undefined;
    return firstProblem(content, (block: unknown, index) =>
      checkBlock(block, `messages.${messageIndex}.content.${index}`),
    );
  });

function checkBlock(block: unknown, path: string): Problem | undefined {
  if (!isBlock(block)) return invalidRequest(`${path}.type: Field required`);
  const { type } = block;
  if (!ALL_KINDS.includes(type)) {
    const expected = ALL_KINDS.map((kind) => `'${kind}'`).join(', ');
    return invalidRequest(
      `${path}: Input tag '${type}' found using 'type' does not match any of the expected tags: ${expected}`,
    );
  }
  const extra = Object.keys(block).find((field) => lookUp(FIELDS, type)?.includes(field) === false);
  if (extra !== undefined) return invalidRequest(`${path}.${type}.${extra}: Extra inputs are not permitted`);
  const fault = lookUp(CHECKS, type)?.(block);
  if (fault !== undefined) return invalidRequest(`${path}.${type}.${fault}`);
  return undefined;
}

/** Checked after the shapes, over nested blocks too: empty text is refused wherever it stands. */
export const nonEmptyText: Rule = ({ turns }) =>
  firstProblem(turns, (turn) => firstProblem(turn.blocks, ({ block }) => checkText(block) ?? checkNested(block)));

function checkText(block: Block): Problem | undefined {
  if (block.type !== 'text') return undefined;
  const text = String(block['text']);
  if (text === '') return invalidRequest(`messages: ${NON_EMPTY}`);
  return text.trim() === ''
    ? invalidRequest('messages: text content blocks must contain non-whitespace text')
    : undefined;
}

function checkNested(block: Block): Problem | undefined {
  if (block.type !== 'tool_result' || !Array.isArray(block['content'])) return undefined;
  const empty = blocksOf(block['content']).find((inner) => inner.type === 'text' && inner['text'] === '');
  return empty === undefined ? undefined : invalidRequest(`messages: ${NON_EMPTY}`);
}

function checkId(value: unknown, field: string): string | undefined {
  if (typeof value !== 'string') return `${field}: Field required`;
  return TOOL_ID.test(value) ? undefined : `${field}: String should match pattern '${TOOL_ID.source}'`;
}

function checkName(block: Block): string | undefined {
  const name = block['name'];
  if (typeof name !== 'string') return 'name: Field required';
  return name === '' ? 'name: String should have at least 1 character' : undefined;
}

function checkInput(block: Block): string | undefined {
  if (block['input'] === undefined) return 'input: Field required';
  return isObject(block['input']) ? undefined : 'input: Input should be a valid dictionary';
}

function checkImageSource(source: unknown): string | undefined {
  if (!isObject(source)) return 'source: Field required';
  const checkSource = lookUp(SOURCE_CHECKS, source['type']);
  if (checkSource === undefined)
    return "source: Input tag does not match any of the expected tags: 'base64', 'url', 'file'";
  return checkSource(source as Block);
}

const SOURCE_CHECKS: Readonly<Record<string, BlockCheck>> = {
  base64: (source) => {
    if (!IMAGE_TYPES.includes(String(source['media_type']))) {
      return `source.base64.media_type: Input should be ${IMAGE_TYPES.map((type) => `'${type}'`).join(', ')}`;
    }
    const data = source['data'];
    if (typeof data !== 'string') return 'source.base64.data: Field required';
    return data === '' || /[^A-Za-z0-9+/=]/.test(data) ? 'source.base64.data: Invalid base64 data' : undefined;
  },
  url: (source) => (typeof source['url'] === 'string' ? undefined : 'source.url.url: Field required'),
  file: (source) => (typeof source['file_id'] === 'string' ? undefined : 'source.file.file_id: Field required'),
};

function checkResultContent(content: unknown): string | undefined {
  if (content === undefined || typeof content === 'string') return undefined;
  if (!Array.isArray(content)) return 'content: Input should be a valid string or list';
  for (const [index, inner] of content.entries()) {
    if (!isBlock(inner)) return `content.${index}.type: Field required`;
    if (!RESULT_KINDS.includes(inner.type)) {
      return `content.${index}: Input tag '${inner.type}' found using 'type' does not match any of the expected tags`;
    }
    const fault = lookUp(CHECKS, inner.type)?.(inner);
    if (fault !== undefined) return `content.${index}.${inner.type}.${fault}`;
  }
  return undefined;
}
