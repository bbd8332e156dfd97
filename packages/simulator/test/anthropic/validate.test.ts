import { beforeAll, afterAll, describe, expect, it } from 'vitest';
import { createSimulator, type Simulator } from '../../src/index.ts';
import { ask, assistant, call, type Json, quickCount, result, text, user, yes } from '../support.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await createSimulator({ countTokens: quickCount, brain: yes, keepRequests: 1 });
});
afterAll(async () => simulator.close());

const tool = (name: string, extra: Json = {}): Json => ({ name, input_schema: { type: 'object' }, ...extra });
const ephemeral = (ttl?: string): Json => ({
  cache_control: ttl === undefined ? { type: 'ephemeral' } : { type: 'ephemeral', ttl },
});
const serverCall = (id: string): Json => ({ type: 'server_tool_use', id, name: 'web_search', input: {} });
const serverResult = (id: string): Json => ({ type: 'web_search_tool_result', tool_use_id: id, content: [] });
const image = (source: Json): Json => ({ type: 'image', source });
const hi = [user('hi')];

/** Rule, the request it refuses, the words of the refusal. */
const REFUSED: [string, Json, string][] = [
  ['unknown field', { messages: hi, colour: 1 }, 'colour: Extra inputs are not permitted'],
  ['beta field without header', { messages: hi, mcp_servers: [] }, 'mcp_servers: Extra inputs are not permitted'],
  ['no messages', {}, 'messages: Field required'],
  ['no max_tokens', { messages: hi, max_tokens: undefined }, 'max_tokens: Field required'],
  ['zero max_tokens', { messages: hi, max_tokens: 0 }, 'max_tokens: Input should be greater than or equal to 1'],
  ['fractional max_tokens', { messages: hi, max_tokens: 1.5 }, 'max_tokens: Input should be a valid integer'],
  ['empty model', { messages: hi, model: '' }, 'model: String should have at least 1 character'],
  ['empty list', { messages: [] }, 'messages: at least one message is required'],
  ['100,001 messages', { messages: Array(100_001).fill(user('x')) }, 'messages: List should have at most 100000 items'],
  ['stream as text', { messages: hi, stream: 'yes' }, 'stream: Input should be a valid boolean'],
  ['temperature', { messages: hi, temperature: 2 }, 'temperature: range: 0..1'],
  ['message field', { messages: [{ ...user('hi'), id: 'x' }] }, 'messages.0.id: Extra inputs are not permitted'],
  ['no role', { messages: [{ content: 'x' }] }, 'messages.0.role: Field required'],
  ['unknown role', { messages: [{ role: 'tool', content: 'x' }] }, "messages.0.role: Input should be 'user'"],
  ['content number', { messages: [user(4)] }, 'messages.0.content: Input should be a valid string or list'],
  ['empty content', { messages: [user([])] }, 'messages.0: all messages must have non-empty content'],
  ['empty string', { messages: [user('')] }, 'messages.0: all messages must have non-empty content'],
  ['blank string', { messages: [user(' \n')] }, 'messages: text content blocks must contain non-whitespace text'],
  ['empty text block', { messages: [user([text('')])] }, 'messages: text content blocks must be non-empty'],
  ['blank text block', { messages: [user([text(' ')])] }, 'must contain non-whitespace text'],
  [
    'empty text in a result',
    { messages: [user('x'), assistant([call('a')]), user([result('a', [text('')])])] },
    'messages: text content blocks must be non-empty',
  ],
  ['block without type', { messages: [user([{ text: 'x' }])] }, 'messages.0.content.0.type: Field required'],
  [
    'unknown block',
    { messages: [user([{ type: 'video' }])] },
    "messages.0.content.0: Input tag 'video' found using 'type'",
  ],
  [
    'text field',
    { messages: [user([text('x', { id: 1 })])] },
    'messages.0.content.0.text.id: Extra inputs are not permitted',
  ],
  [
    'image without source',
    { messages: [user([{ type: 'image' }])] },
    'messages.0.content.0.image.source: Field required',
  ],
  [
    'image type',
    { messages: [user([image({ type: 'base64', media_type: 'image/bmp', data: 'AA==' })])] },
    'media_type',
  ],
  [
    'image data',
    { messages: [user([image({ type: 'base64', media_type: 'image/png', data: 'a b' })])] },
    'Invalid base64 data',
  ],
  [
    'inherited source kind',
    { messages: [user([image({ type: 'constructor' })])] },
    "expected tags: 'base64', 'url', 'file'",
  ],
  ['inherited block kind', { messages: [user([{ type: 'constructor' }])] }, "Input tag 'constructor'"],
  ['image source kind', { messages: [user([image({ type: 'path' })])] }, "expected tags: 'base64', 'url', 'file'"],
  [
    'call id',
    { messages: [user('x'), assistant([call('a b')]), user([result('a b')])] },
    'tool_use.id: String should match',
  ],
  [
    'call input',
    { messages: [user('x'), assistant([{ ...call('a'), input: 'x' }]), user([result('a')])] },
    'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
  ],
  [
    'result content kind',
    { messages: [user('x'), assistant([call('a')]), user([result('a', [call('b')])])] },
    "tool_result.content.0: Input tag 'tool_use'",
  ],
  ['system block', { messages: hi, system: [{ type: 'image' }] }, 'system.0: Input should be a text block'],
  ['empty system block', { messages: hi, system: [text('')] }, 'system: text content blocks must be non-empty'],
  ['tool without schema', { messages: hi, tools: [{ name: 'a' }] }, 'tools.0.custom.input_schema: Field required'],
  ['tool name', { messages: hi, tools: [tool('a b')] }, 'tools.0.custom.name: String should match pattern'],
  [
    'tool schema type',
    { messages: hi, tools: [tool('a', { input_schema: {} })] },
    "input_schema.type: Input should be 'object'",
  ],
  ['tool twice', { messages: hi, tools: [tool('a'), tool('a')] }, 'tools: Tool names must be unique.'],
  ['choice without tools', { messages: hi, tool_choice: { type: 'auto' } }, 'tool_choice may only be specified while'],
  [
    'choice of no tool',
    { messages: hi, tools: [tool('a')], tool_choice: { type: 'tool', name: 'b' } },
    "Tool 'b' not found",
  ],
  ['small budget', { messages: hi, thinking: { type: 'enabled', budget_tokens: 10 } }, 'greater than or equal to 1024'],
  [
    'budget over max_tokens',
    { messages: hi, max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 2000 } },
    '`max_tokens` must be greater than `thinking.budget_tokens`',
  ],
  ['first assistant', { messages: [assistant('x'), user('y')] }, 'messages: first message must use the "user" role'],
  ['prefill', { messages: [user('x'), assistant('y')] }, 'does not support assistant message prefill'],
  ['call from user', { messages: [user([call('a')])] }, '`tool_use` blocks can only be in `assistant` messages'],
  [
    'image from assistant',
    { messages: [user('x'), assistant([image({ type: 'url', url: 'https://x.y/z' })]), user('y')] },
    '`image` blocks can only be',
  ],
  [
    'system first',
    { messages: [{ role: 'system', content: 'x' }, user('y')] },
    'first message must use the "user" role',
  ],
  [
    'system before user',
    { messages: [user('x'), assistant('y'), { role: 'system', content: 's' }, user('z')] },
    'messages.2: a "system" message must follow a user turn',
  ],
  [
    'system between call and result',
    { messages: [user('x'), assistant([call('a')]), { role: 'system', content: 's' }, user([result('a')])] },
    'messages.2: a "system" message must follow a user turn',
  ],
  [
    'unanswered call',
    { messages: [user('x'), assistant([call('a'), call('b')]), user([result('a')])] },
    'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: b. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
  ],
  [
    'text before results',
    { messages: [user('x'), assistant([call('a')]), user([text('see'), result('a')])] },
    'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a.',
  ],
  [
    'text message merged before results',
    { messages: [user('x'), assistant([call('a')]), user('see'), user([result('a')])] },
    'messages.1: `tool_use` ids were found without',
  ],
  [
    'orphan result',
    { messages: [user('x'), assistant('y'), user([result('a')])] },
    'messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
  ],
  [
    'late result',
    { messages: [user('x'), assistant([call('a')]), user([result('a')]), assistant('y'), user([result('a')])] },
    'messages.4.content.0: unexpected `tool_use_id`',
  ],
  [
    'the earliest of two faults',
    { messages: [user('x'), assistant([call('a')]), user('y'), assistant('z'), user([result('a')])] },
    'messages.1: `tool_use` ids were found without',
  ],
  [
    'double result',
    { messages: [user('x'), assistant([call('a')]), user([result('a'), result('a')])] },
    'messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a',
  ],
  [
    'double call id',
    { messages: [user('x'), assistant([call('a')]), user([result('a')]), assistant([call('a')]), user([result('a')])] },
    'messages: `tool_use` ids must be unique',
  ],
  [
    'server call without result',
    { messages: [user('x'), assistant([serverCall('s')]), user('y')] },
    'messages.1: `web_search` tool use with id `s` was found without a corresponding `web_search_tool_result` block',
  ],
  [
    'server result without call',
    { messages: [user('x'), assistant([serverResult('s')]), user('y')] },
    'messages.1.content.0: unexpected `tool_use_id` found in `web_search_tool_result` blocks: s',
  ],
  [
    'five breakpoints',
    { messages: [user(Array(5).fill(text('x', ephemeral())))] },
    'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  ],
  [
    'top-level breakpoint as the fifth',
    { messages: [user(Array(4).fill(text('x', ephemeral())))], ...ephemeral() },
    'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  ],
  [
    'cache type',
    { messages: [user([text('x', { cache_control: { type: 'forever' } })])] },
    "cache_control.type: Input should be 'ephemeral'",
  ],
  ['cache ttl', { messages: [user([text('x', ephemeral('1d'))])] }, "cache_control.ttl: Input should be '5m' or '1h'"],
  [
    '1h after 5m',
    { messages: [user([text('x', ephemeral()), text('y', ephemeral('1h'))])] },
    "a ttl='1h' cache_control block must not come after",
  ],
  [
    'cache_control on thinking',
    {
      messages: [
        user('x'),
        assistant([{ type: 'thinking', thinking: 't', signature: 's', ...ephemeral() }, text('y')]),
        user('z'),
      ],
    },
    'messages.1.content.0.thinking.cache_control: Extra inputs are not permitted',
  ],
  [
    'foreign signature',
    {
      messages: [user('x'), assistant([{ type: 'thinking', thinking: 't', signature: 'c2ln' }, text('y')]), user('z')],
    },
    'messages.1.content.0: Invalid `signature` in `thinking` block',
  ],
  [
    'foreign redacted thinking',
    { messages: [user('x'), assistant([{ type: 'redacted_thinking', data: 'c2ln' }, text('y')]), user('z')] },
    'messages.1.content.0: Invalid `data` in `redacted_thinking` block',
  ],
  [
    'only thinking',
    { messages: [user('x'), assistant([{ type: 'thinking', thinking: 't', signature: 's' }]), user('z')] },
    'messages.1.content: The final block in an assistant message cannot be `thinking`.',
  ],
];

describe('refused', () => {
  it.each(REFUSED)('%s', async (_name, body, message) => {
    const { status, body: answer } = await ask(simulator, body);
    expect(answer).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
    expect(answer.error.message).toContain(message);
    expect(status).toBe(400);
  });
});

/** The accepting side of the same rules. */
const ACCEPTED: [string, Json][] = [
  ['a string', { messages: hi }],
  [
    'every ordinary field',
    { messages: hi, system: 's', temperature: 1, top_k: 5, metadata: { user_id: 'u' }, stop_sequences: ['X'] },
  ],
  ['neighbours of one role', { messages: [user('x'), user('y'), assistant('z'), assistant('w'), user('v')] }],
  [
    'results over two user messages',
    { messages: [user('x'), assistant([call('a'), call('b')]), user([result('a')]), user([result('b')])] },
  ],
  [
    'calls over two assistant messages',
    { messages: [user('x'), assistant([call('a')]), assistant([call('b')]), user([result('b'), result('a')])] },
  ],
  [
    'text after results',
    { messages: [user('x'), assistant([text('y'), call('a')]), user([result('a'), text('now')])] },
  ],
  [
    'empty result',
    {
      messages: [user('x'), assistant([call('a')]), user([{ type: 'tool_result', tool_use_id: 'a', is_error: true }])],
    },
  ],
  [
    'image in a result',
    {
      messages: [
        user('x'),
        assistant([call('a')]),
        user([result('a', [image({ type: 'base64', media_type: 'image/png', data: 'AA==' })])]),
      ],
    },
  ],
  [
    'images',
    { messages: [user([image({ type: 'url', url: 'https://x.y/z' }), image({ type: 'file', file_id: 'f' })])] },
  ],
  ['system at the end', { messages: [user('x'), { role: 'system', content: 's' }] }],
  ['system before assistant', { messages: [user('x'), { role: 'system', content: 's' }, assistant('y'), user('z')] }],
  ['server tool', { messages: [user('x'), assistant([serverCall('s'), serverResult('s'), text('y')]), user('z')] }],
  [
    'server call open beside a call',
    { messages: [user('x'), assistant([serverCall('s'), call('a')]), user([result('a')])] },
  ],
  ['paused turn', { messages: [user('x'), assistant([serverCall('s')])] }],
  [
    'known open kinds',
    {
      messages: [
        user([
          { type: 'container_upload', file_id: 'f' },
          { type: 'search_result', anything: 1 },
        ]),
      ],
    },
  ],
  ['four breakpoints', { messages: [user(Array(4).fill(text('x', ephemeral())))] }],
  ['1h before 5m', { system: [text('s', ephemeral('1h'))], messages: [user([text('x', ephemeral('5m'))])] }],
  [
    'server tool definition',
    {
      messages: hi,
      tools: [{ type: 'web_search_20260209', name: 'web_search' }, tool('a')],
      tool_choice: { type: 'tool', name: 'a' },
    },
  ],
  ['thinking', { messages: hi, max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 1024 } }],
];

describe('accepted', () => {
  it.each(ACCEPTED)('%s', async (_name, body) => {
    expect(await ask(simulator, body)).toMatchObject({ status: 200, body: { type: 'message' } });
  });

  it('beta fields under a beta header', async () => {
    const answer = await ask(
      simulator,
      { messages: hi, mcp_servers: [] },
      { 'anthropic-beta': 'mcp-client-2025-11-20' },
    );
    expect(answer.status).toBe(200);
  });
});
