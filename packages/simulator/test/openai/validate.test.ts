import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulator, type Simulator } from '../../src/index.ts';
import { chat, type Json, quickCount, user, yes } from '../support.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await createSimulator({ countTokens: quickCount, brain: yes });
});
afterAll(async () => simulator.close());

const hi = [user('hi')];
const calls = (...ids: string[]): Json => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'ls', arguments: '{}' } })),
});
const tool = (id: string, content: unknown = 'done'): Json => ({ role: 'tool', tool_call_id: id, content });
const definition = (name: string): Json => ({ type: 'function', function: { name, parameters: {} } });
const image = (url: string): Json => ({ type: 'image_url', image_url: { url } });

/** Rule, the request it refuses, and param, code and words of the refusal. */
const REFUSED: [string, Json, string | null, string | null, string][] = [
  ['unknown field', { messages: hi, colour: 1 }, 'colour', 'unknown_parameter', "Unknown parameter: 'colour'."],
  ['no model', { messages: hi, model: undefined }, null, null, 'you must provide a model parameter'],
  ['no messages', {}, 'messages', 'missing_required_parameter', "Missing required parameter: 'messages'."],
  ['empty list', { messages: [] }, 'messages', 'empty_array', "Invalid 'messages': empty array."],
  [
    'messages as text',
    { messages: 'x' },
    'messages',
    'invalid_type',
    'expected an array of objects, but got a string instead',
  ],
  ['stream as text', { messages: hi, stream: 'x' }, 'stream', 'invalid_type', 'expected a boolean'],
  [
    'hot',
    { messages: hi, temperature: 3 },
    'temperature',
    'integer_above_max_value',
    'Expected a value <= 2, but got 3',
  ],
  ['no output', { messages: hi, max_tokens: 0 }, 'max_tokens', 'integer_below_min_value', 'Expected a value >= 1'],
  ['two limits', { messages: hi, max_tokens: 1, max_completion_tokens: 1 }, 'max_tokens', null, 'at the same time'],
  [
    'stream options',
    { messages: hi, stream_options: {} },
    'stream_options',
    null,
    "only allowed when 'stream' is enabled",
  ],
  [
    'tool name',
    { messages: hi, tools: [definition('a b')] },
    'tools[0].function.name',
    'invalid_value',
    'does not match pattern',
  ],
  [
    'tool kind',
    { messages: hi, tools: [{ name: 'a' }] },
    'tools[0].type',
    'missing_required_parameter',
    'tools[0].type',
  ],
  [
    'choice without tools',
    { messages: hi, tool_choice: 'auto' },
    'tool_choice',
    null,
    "only allowed when 'tools' are specified",
  ],
  ['no role', { messages: [{ content: 'x' }] }, 'messages[0].role', 'missing_required_parameter', 'messages[0].role'],
  [
    'unknown role',
    { messages: [{ role: 'bot', content: 'x' }] },
    'messages[0].role',
    'invalid_value',
    "Invalid value: 'bot'. Supported values are: 'system'",
  ],
  [
    'prototype role',
    { messages: [{ role: 'toString', content: 'x' }] },
    'messages[0].role',
    'invalid_value',
    "Invalid value: 'toString'",
  ],
  [
    'message field',
    { messages: [{ ...user('x'), id: 1 }] },
    'messages[0].id',
    'unknown_parameter',
    "Unknown parameter: 'messages[0].id'.",
  ],
  [
    'null content',
    { messages: [user(null)] },
    'messages[0].content',
    'invalid_type',
    'expected one of a string or array of objects, but got null instead.',
  ],
  [
    'no content',
    { messages: [{ role: 'user' }] },
    'messages[0].content',
    'missing_required_parameter',
    'messages[0].content',
  ],
  [
    'mute assistant',
    { messages: [user('x'), { role: 'assistant', content: null }] },
    'messages[1].content',
    'invalid_type',
    'but got null',
  ],
  [
    'empty parts',
    { messages: [user([])] },
    'messages[0].content',
    'empty_array',
    "Invalid 'messages[0].content': empty array.",
  ],
  [
    'part kind',
    { messages: [user([{ type: 'video' }])] },
    'messages[0].content[0].type',
    'invalid_value',
    "Invalid value: 'video'",
  ],
  [
    'image for a tool',
    { messages: [user('x'), calls('a'), tool('a', [image('https://x.y')])] },
    'messages[2].content[0].type',
    'invalid_value',
    "'image_url'",
  ],
  [
    'image url',
    { messages: [user([image('file:///x')])] },
    'messages[0].content[0].image_url.url',
    'invalid_image_url',
    'Invalid image_url',
  ],
  [
    'no calls',
    { messages: [user('x'), { ...calls(), content: 'y' }] },
    'messages[1].tool_calls',
    'empty_array',
    'empty array',
  ],
  [
    'arguments as object',
    {
      messages: [
        user('x'),
        { ...calls(), tool_calls: [{ id: 'a', type: 'function', function: { name: 'n', arguments: {} } }] },
      ],
    },
    'messages[1].tool_calls[0].function.arguments',
    'invalid_type',
    'expected a string, but got an object',
  ],
  ['double call id', { messages: [user('x'), calls('a', 'a'), tool('a')] }, 'messages[1].tool_calls', null, "'a'"],
  [
    'unanswered call',
    { messages: [user('x'), calls('a', 'b'), tool('a')] },
    'messages',
    null,
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: b",
  ],
  [
    'answer after another role',
    { messages: [user('x'), calls('a', 'b'), tool('a'), user('y'), tool('b')] },
    'messages',
    null,
    'did not have response messages: b',
  ],
  [
    'orphan',
    { messages: [user('x'), tool('a')] },
    'messages.[1].role',
    null,
    "must be a response to a preceeding message with 'tool_calls'.",
  ],
  ['wrong id', { messages: [user('x'), calls('a'), tool('b')] }, 'messages.[2].role', null, 'must be a response'],
  [
    'double answer',
    { messages: [user('x'), calls('a'), tool('a'), tool('a')] },
    'messages[3].tool_call_id',
    null,
    "'a'",
  ],
  [
    'tool without id',
    { messages: [user('x'), calls('a'), { role: 'tool', content: 'x' }] },
    'messages[2].tool_call_id',
    'missing_required_parameter',
    'tool_call_id',
  ],
];

describe('refused', () => {
  it.each(REFUSED)('%s', async (_name, body, param, code, message) => {
    const { status, body: answer } = await chat(simulator, body);
    expect(answer.error).toMatchObject({ type: 'invalid_request_error', param, code });
    expect(answer.error.message).toContain(message);
    expect(status).toBe(400);
  });
});

const ACCEPTED: [string, Json][] = [
  ['a string', { messages: hi }],
  ['instructions only', { messages: [{ role: 'developer', content: 'x' }] }],
  ['an empty string', { messages: [user('')] }],
  [
    'answers in another order',
    { messages: [user('x'), calls('a', 'b'), tool('b'), tool('a', [{ type: 'text', text: 'y' }])] },
  ],
  ['the same id in a later message', { messages: [user('x'), calls('a'), tool('a'), calls('a'), tool('a')] }],
  ['replayed reasoning', { messages: [user('x'), { ...calls('a'), reasoning_content: 'hm' }, tool('a')] }],
  [
    'a replayed answer',
    { messages: [user('x'), { role: 'assistant', content: 'y', refusal: null, annotations: [] }, user('z')] },
  ],
  ['an assistant at the end', { messages: [user('x'), { role: 'assistant', content: 'y' }] }],
  ['images', { messages: [user([image('https://x.y/z.png'), image('data:image/png;base64,AA==')])] }],
  ['tools', { messages: hi, tools: [definition('a'), { type: 'custom', custom: { name: 'b' } }], tool_choice: 'auto' }],
  ['nulls', { messages: hi, temperature: null, stream: null, stop: null, tools: null }],
];

describe('accepted', () => {
  it.each(ACCEPTED)('%s', async (_name, body) => {
    expect(await chat(simulator, body)).toMatchObject({ status: 200, body: { object: 'chat.completion' } });
  });
});
