import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { scripted, type Simulator } from '../src/index.ts';
import { start } from './support.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const anthropic = (simulator: Simulator): Anthropic =>
  new Anthropic({ baseURL: simulator.url, apiKey: 'any', maxRetries: 0 });
const openai = (simulator: Simulator): OpenAI =>
  new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: 'any', maxRetries: 0 });

describe('Anthropic SDK', () => {
  it('talks, whole', async () => {
    const brain = scripted(['Hello there, friend.']);
    const simulator = await start({ brain });
    const message = await anthropic(simulator).messages.create({
      model: 'sim-1',
      max_tokens: 100,
      system: 'Be brief.',
      messages: [{ role: 'user', content: 'Hi' }],
    });
    expect(message.id).toBe('msg_sim_000001');
    expect(message.content).toEqual([{ type: 'text', text: 'Hello there, friend.' }]);
    expect(message.stop_reason).toBe('end_turn');
    expect(message._request_id).toBe('req_sim_000001');
    expect(brain.requests[0]).toEqual({
      profile: 'anthropic',
      model: 'sim-1',
      system: 'Be brief.',
      messages: [{ role: 'user', parts: [{ kind: 'text', text: 'Hi' }] }],
      tools: [],
      maxOutputTokens: 100,
    });
    brain.assertDone();
  });

  it('loops with thinking, tools and an image, streamed', async () => {
    const brain = scripted([
      [
        { kind: 'thinking', text: 'I should look at the files first.' },
        { kind: 'text', text: 'Looking.' },
        { kind: 'call', name: 'ls', input: { path: 'src', deep: true } },
      ],
      'Two files.',
    ]);
    const simulator = await start({ brain });
    const client = anthropic(simulator);
    const tools: Anthropic.Tool[] = [{ name: 'ls', description: 'Lists.', input_schema: { type: 'object' } }];
    const messages: Anthropic.MessageParam[] = [
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
          { type: 'text', text: 'What is here?' },
        ],
      },
    ];
    const base = {
      model: 'sim-1',
      max_tokens: 4000,
      tools,
      thinking: { type: 'enabled', budget_tokens: 1024 },
    } as const;
    const first = await client.messages.stream({ ...base, messages }).finalMessage();
    expect(first.content.map((block) => block.type)).toEqual(['thinking', 'text', 'tool_use']);
    expect(first.content[2]).toEqual({
      type: 'tool_use',
      id: 'toolu_sim_000001',
      name: 'ls',
      input: { path: 'src', deep: true },
    });
    expect(first.stop_reason).toBe('tool_use');
    expect(first.usage.input_tokens).toBeGreaterThan(1500);

    messages.push({ role: 'assistant', content: first.content });
    messages.push({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_sim_000001', content: 'a.ts\nb.ts' }],
    });
    const second = await client.messages.stream({ ...base, messages }).finalMessage();
    expect(second.content).toEqual([{ type: 'text', text: 'Two files.' }]);
    brain.assertDone();
  });

  it('counts as it bills', async () => {
    const simulator = await start();
    const client = anthropic(simulator);
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'How many tokens is this?' }];
    const counted = await client.messages.countTokens({ model: 'sim-1', messages });
    const message = await client.messages.create({ model: 'sim-1', max_tokens: 10, messages });
    expect(message.usage.input_tokens).toBe(counted.input_tokens);
    expect(simulator.totals()).toMatchObject({ requests: 1, inputTokens: counted.input_tokens });
  });

  it('raises its own error classes', async () => {
    const simulator = await start({ faults: [{ kind: 'rate_limit', retryAfterSeconds: 7 }, { kind: 'overloaded' }] });
    const client = anthropic(simulator);
    const go = (): Promise<unknown> =>
      client.messages.create({ model: 'sim-1', max_tokens: 5, messages: [{ role: 'user', content: 'x' }] });
    const limited = await go().catch((error: unknown) => error);
    expect(limited).toBeInstanceOf(Anthropic.RateLimitError);
    expect((limited as InstanceType<typeof Anthropic.APIError>).headers?.get('retry-after')).toBe('7');
    await expect(go()).rejects.toMatchObject({ status: 529, error: { error: { type: 'overloaded_error' } } });
    const bad = client.messages.create({
      model: 'sim-1',
      max_tokens: 5,
      messages: [{ role: 'assistant', content: 'x' }],
    });
    await expect(bad).rejects.toBeInstanceOf(Anthropic.BadRequestError);
  });

  it('lists models', async () => {
    const simulator = await start({ windowTokens: { 'sim-small': 1000, '*': 5000 } });
    const page = await anthropic(simulator).models.list();
    expect(page.data.map((model) => [model.id, model.max_input_tokens])).toEqual([['sim-small', 1000]]);
    expect((await anthropic(simulator).models.retrieve('sim-small')).id).toBe('sim-small');
  });

  it('does not retry when a brain fails', async () => {
    const brain = scripted([]);
    const simulator = await start({ brain });
    const client = new Anthropic({ baseURL: simulator.url, apiKey: 'any', maxRetries: 3 });
    const go = client.messages.create({ model: 'sim-1', max_tokens: 5, messages: [{ role: 'user', content: 'x' }] });
    await expect(go).rejects.toMatchObject({ status: 500, message: expect.stringContaining('unexpected model call') });
    expect(brain.requests).toHaveLength(1);
  });
});

describe('OpenAI SDK', () => {
  const tools: OpenAI.ChatCompletionTool[] = [
    { type: 'function', function: { name: 'ls', description: 'Lists.', parameters: { type: 'object' } } },
  ];

  it('loops with tools and an image, whole', async () => {
    const brain = scripted([
      [
        { kind: 'text', text: 'Looking.' },
        { kind: 'call', name: 'ls', input: { path: 'a' } },
        { kind: 'call', name: 'ls', input: { path: 'b' } },
      ],
      (request) => request.messages.map((message) => message.role).join(' '),
    ]);
    const client = openai(await start({ brain }));
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
          { type: 'text', text: 'What is here?' },
        ],
      },
    ];
    const first = await client.chat.completions.create({ model: 'sim-1', messages, tools });
    const choice = first.choices[0]?.message;
    expect(first.choices[0]?.finish_reason).toBe('tool_calls');
    expect(choice?.content).toBe('Looking.');
    expect(choice?.tool_calls).toEqual([
      { id: 'call_sim_000001', type: 'function', function: { name: 'ls', arguments: '{"path":"a"}' } },
      { id: 'call_sim_000002', type: 'function', function: { name: 'ls', arguments: '{"path":"b"}' } },
    ]);
    if (choice !== undefined) messages.push(choice);
    for (const call of choice?.tool_calls ?? []) {
      messages.push({ role: 'tool', tool_call_id: call.id, content: 'x' });
    }
    const second = await client.chat.completions.create({ model: 'sim-1', messages, tools });
    expect(second.choices[0]?.message.content).toBe('user assistant user');
    expect(brain.requests[1]?.system).toBe('Be brief.');
  });

  it('streams with usage', async () => {
    const brain = scripted([
      [
        { kind: 'text', text: 'One two three four five.' },
        { kind: 'call', name: 'ls', input: { a: 1 } },
      ],
    ]);
    const client = openai(await start({ brain }));
    const stream = client.chat.completions.stream({
      model: 'sim-1',
      messages: [{ role: 'user', content: 'x' }],
      tools,
      stream_options: { include_usage: true },
    });
    const final = await stream.finalChatCompletion();
    expect(final.choices[0]?.message.content).toBe('One two three four five.');
    expect(final.choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { name: 'ls', arguments: '{"a":1}' } });
    expect(final.usage?.completion_tokens).toBeGreaterThan(5);
  });

  it('raises its own error classes', async () => {
    const client = openai(await start({ windowTokens: 5 }));
    const go = client.chat.completions.create({
      model: 'sim-1',
      messages: [{ role: 'user', content: 'one two three' }],
    });
    const error = await go.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ status: 400, code: 'context_length_exceeded', param: 'messages' });
    const models = await client.models.list();
    expect(models.data.map((model) => model.id)).toEqual(['sim-1']);
  });
});
