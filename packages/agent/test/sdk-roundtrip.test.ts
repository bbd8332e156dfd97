/** The library alone, as its users have it: the vendors' own SDKs, no agent in between. That this file compiles is half of the test. */
import Anthropic from '@anthropic-ai/sdk';
import { type Context, createContext } from '@holdover/engine';
import { memoryArchive } from '@holdover/engine/archives/memory';
import { anthropic, type AnthropicReply, type AnthropicRequest } from '@holdover/engine/codecs/anthropic';
import { openaiChat } from '@holdover/engine/codecs/openai-chat';
import {
  type Fault,
  scripted,
  type ScriptedBrain,
  type ScriptedStep,
  type Simulator,
  type SimulatorOptions,
} from '@holdover/simulator';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { openSimulator, resultsIn, shownIn } from './support/stage.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const LOREM = 'lorem ipsum dolor sit amet '.repeat(300);
const MODEL = 'sim-1';

interface Served {
  readonly simulator: Simulator;
  readonly brain: ScriptedBrain;
}

async function serve(steps: readonly ScriptedStep[], options: Partial<SimulatorOptions> = {}): Promise<Served> {
  const brain = scripted(steps);
  return { brain, simulator: await openSimulator(brain, { minimumCacheTokens: 0, ...options }) };
}

const overAt = (index: number): Fault => ({
  kind: 'too_long',
  inputTokens: 9_000,
  windowTokens: 8_000,
  when: (request) => request.index === index,
});

describe('Anthropic', () => {
  const clientFor = ({ simulator }: Served): Anthropic =>
    new Anthropic({ baseURL: simulator.url, apiKey: 'none', maxRetries: 0 });
  const contextFor = (): Context<AnthropicRequest, AnthropicReply> =>
    createContext({ codec: anthropic(), archive: memoryArchive() });
  const system: Anthropic.TextBlockParam[] = [{ type: 'text', text: 'You are terse.' }];
  const tools: Anthropic.ToolUnion[] = [
    { name: 'look', description: 'Looks.', input_schema: { type: 'object', properties: { at: { type: 'string' } } } },
    {
      name: 'recall',
      description: 'Gets back what left.',
      input_schema: { type: 'object', properties: { address: { type: 'string' } } },
    },
  ];

  it('takes the ten lines of the documentation, without a cast', async () => {
    const served = await serve(['Hello.']);
    const client = clientFor(served);
    const context = createContext({ codec: anthropic(), archive: memoryArchive() });
    const model: Anthropic.Model = MODEL;
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Hi.' }];
    const turn = await context.prepare(
      { model, system, tools, messages, max_tokens: 100 },
      { signal: new AbortController().signal },
    );
    const reply = await client.messages.create(turn.request);
    const receipt = await turn.accept(reply);
    expect(reply.content).toEqual([expect.objectContaining({ type: 'text', text: 'Hello.' })]);
    expect(receipt.usage).toMatchObject({
      inputTokens: served.simulator.totals().inputTokens,
      outputTokens: reply.usage.output_tokens,
    });
    expect(context.history()).toHaveLength(2);
  });

  it("takes a request written in place, and the SDK's own type of request", async () => {
    const served = await serve(['One.', 'Two.']);
    const client = clientFor(served);
    const context = contextFor();
    const first = await context.prepare({
      model: MODEL,
      max_tokens: 100,
      system: [{ type: 'text', text: 'You are terse.' }],
      tools: [
        { name: 'look', input_schema: { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] } },
      ],
      tool_choice: { type: 'auto' },
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi.' }] }],
    });
    const reply = await client.messages.create(first.request);
    await first.accept(reply);
    const params: Anthropic.MessageCreateParamsNonStreaming = {
      model: MODEL,
      max_tokens: 100,
      stop_sequences: ['STOP'],
      messages: [
        { role: 'user', content: 'Hi.' },
        { role: 'assistant', content: reply.content },
        { role: 'user', content: 'More.' },
      ],
    };
    const second = await context.prepare(params);
    await second.accept(await client.messages.create(second.request));
    expect(served.simulator.requests[1]?.body).toMatchObject({ stop_sequences: ['STOP'], model: MODEL });
    expect(context.history()).toHaveLength(4);
  });

  it.each(['whole', 'streamed', 'as events'] as const)(
    'carries tools, an image and thinking through three rounds, %s',
    async (way) => {
      const think = (text: string): { kind: 'thinking'; text: string } => ({ kind: 'thinking', text });
      const served = await serve([
        [
          think('I should look.'),
          { kind: 'call', name: 'look', input: { at: 'left' }, id: 'toolu_1' },
          { kind: 'call', name: 'look', input: { at: 'right' }, id: 'toolu_2' },
        ],
        [
          think('And up.'),
          { kind: 'text', text: 'Up too.' },
          { kind: 'call', name: 'look', input: { at: 'up' }, id: 'toolu_3' },
        ],
        [think('Enough.'), { kind: 'text', text: 'I saw it all.' }],
      ]);
      const client = clientFor(served);
      const context = contextFor();
      const image: Anthropic.ImageBlockParam = {
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: PIXEL },
      };
      const messages: Anthropic.MessageParam[] = [{ role: 'user', content: [image, { type: 'text', text: 'Look.' }] }];
      let reply: Anthropic.Message;
      do {
        const turn = await context.prepare({
          model: MODEL,
          system,
          tools,
          messages,
          max_tokens: 4_000,
          thinking: { type: 'enabled', budget_tokens: 1_024 },
        });
        if (way === 'whole') reply = await client.messages.create(turn.request);
        else if (way === 'streamed') reply = await client.messages.stream(turn.request).finalMessage();
        else {
          const stream = client.messages.stream(turn.request);
          const types = new Set<string>();
          for await (const event of stream) types.add(event.type);
          expect([...types].slice(0, 2)).toEqual(['message_start', 'content_block_start']);
          reply = await stream.finalMessage();
        }
        await turn.accept(reply);
        messages.push({ role: 'assistant', content: reply.content });
        const results = reply.content.flatMap((block): Anthropic.ToolResultBlockParam[] =>
          block.type === 'tool_use'
            ? [
                {
                  type: 'tool_result',
                  tool_use_id: block.id,
                  content: [{ type: 'text', text: `seen by ${block.id}` }, image],
                },
              ]
            : [],
        );
        if (results.length > 0) messages.push({ role: 'user', content: results });
      } while (reply.stop_reason === 'tool_use');
      expect(served.simulator.requests.map(({ status, error }) => [status, error])).toEqual(
        [1, 2, 3].map(() => [200, undefined]),
      );
      expect(resultsIn(served.brain.requests[2]).map(({ text }) => text.slice(0, 15))).toEqual([
        'seen by toolu_1',
        'seen by toolu_2',
        'seen by toolu_3',
      ]);
      expect(context.history()).toHaveLength(6);
      // Nothing was edited: each request reads the whole one before from the cache.
      const [, second, third] = served.simulator.requests.map(({ usage }) => usage);
      expect(third?.cacheReadTokens).toBe(second?.inputTokens);
      served.brain.assertDone();
    },
  );

  it('turns an error into a smaller request, streamed too, and what left comes back', async () => {
    const served = await serve(['Done.', 'Done.'], { faults: [overAt(0)] });
    const client = clientFor(served);
    const context = contextFor();
    const messages: Anthropic.MessageParam[] = [1, 2, 3].flatMap((round): Anthropic.MessageParam[] => [
      { role: 'user', content: `Round ${round}.` },
      { role: 'assistant', content: [{ type: 'tool_use', id: `toolu_${round}`, name: 'look', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: `toolu_${round}`, content: `${round} ${LOREM}` }] },
      { role: 'assistant', content: `I saw ${round}.` },
    ]);
    messages.push({ role: 'user', content: 'And now?' });
    const turn = await context.prepare({ model: MODEL, tools, messages, max_tokens: 500 });
    const error: unknown = await client.messages
      .stream(turn.request)
      .finalMessage()
      .catch((thrown: unknown) => thrown);
    const smaller = await turn.fail(error);
    if (smaller === undefined) throw new Error('no smaller turn');
    await smaller.accept(await client.messages.create(smaller.request));
    const [refused, taken] = served.simulator.requests;
    expect([refused?.status, taken?.status]).toEqual([400, 200]);
    expect(taken?.bytes).toBeLessThan((refused?.bytes ?? 0) / 2);
    expect(shownIn(served.brain.requests[0])).toContain('And now?');
    const found = context.search('lorem');
    const [hit] = found.kind === 'hits' ? found.hits : [];
    const back = await context.recall(hit?.address ?? '');
    expect(back.kind === 'content' && back.text.endsWith(LOREM)).toBe(true);
  });

  it('changes nothing for an error that is not about size', async () => {
    const served = await serve(['Fine.'], { faults: [{ kind: 'overloaded' }] });
    const client = clientFor(served);
    const context = contextFor();
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Hi.' }];
    const turn = await context.prepare({ model: MODEL, messages, max_tokens: 100 });
    const error: unknown = await client.messages.create(turn.request).catch((thrown: unknown) => thrown);
    expect(await turn.fail(error)).toBeUndefined();
    const again = await context.prepare({ model: MODEL, messages, max_tokens: 100 });
    await again.accept(await client.messages.create(again.request));
    expect(served.simulator.requests[1]?.body).toEqual(served.simulator.requests[0]?.body);
  });
});

describe('OpenAI', () => {
  const clientFor = ({ simulator }: Served): OpenAI =>
    new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: 'none', maxRetries: 0 });
  const tools: OpenAI.ChatCompletionTool[] = [
    {
      type: 'function',
      function: { name: 'look', parameters: { type: 'object', properties: { at: { type: 'string' } } } },
    },
    {
      type: 'function',
      function: { name: 'recall', parameters: { type: 'object', properties: { address: { type: 'string' } } } },
    },
  ];

  it('takes the ten lines of the documentation, without a cast', async () => {
    const served = await serve(['Hello.']);
    const client = clientFor(served);
    const context = createContext({ codec: openaiChat(), archive: memoryArchive() });
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'system', content: 'You are terse.' },
      { role: 'user', content: 'Hi.' },
    ];
    const turn = await context.prepare({ model: MODEL, tools, messages, max_completion_tokens: 100 });
    const reply = await client.chat.completions.create(turn.request);
    const receipt = await turn.accept(reply);
    expect(reply.choices[0]?.message.content).toBe('Hello.');
    expect(receipt.usage?.inputTokens).toBe(reply.usage?.prompt_tokens);
    expect(context.history()).toHaveLength(2);
  });

  it("takes a request written in place, and the SDK's own type of request", async () => {
    const served = await serve(['One.', 'Two.']);
    const client = clientFor(served);
    const context = createContext({ codec: openaiChat(), archive: memoryArchive() });
    const first = await context.prepare({
      model: MODEL,
      tools: [
        { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {}, required: [] } } },
      ],
      tool_choice: 'auto',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi.' }] }],
    });
    const reply = await client.chat.completions.create(first.request);
    await first.accept(reply);
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hi.' }];
    for (const { message } of reply.choices) messages.push(message);
    const params: OpenAI.ChatCompletionCreateParamsNonStreaming = {
      model: MODEL,
      temperature: 0.5,
      messages: [...messages, { role: 'user', content: 'More.' }],
    };
    const second = await context.prepare(params);
    await second.accept(await client.chat.completions.create(second.request));
    expect(served.simulator.requests[1]?.body).toMatchObject({ temperature: 0.5 });
    expect(context.history()).toHaveLength(4);
  });

  it.each(['whole', 'streamed'] as const)('carries tools and an image through three rounds, %s', async (way) => {
    const served = await serve([
      [
        { kind: 'call', name: 'look', input: { at: 'left' }, id: 'call_1' },
        { kind: 'call', name: 'look', input: { at: 'right' }, id: 'call_2' },
      ],
      [
        { kind: 'text', text: 'Up too.' },
        { kind: 'call', name: 'look', input: { at: 'up' }, id: 'call_3' },
      ],
      'I saw it all.',
    ]);
    const client = clientFor(served);
    const context = createContext({ codec: openaiChat(), archive: memoryArchive() });
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
          { type: 'text', text: 'Look.' },
        ],
      },
    ];
    let calls: readonly OpenAI.ChatCompletionMessageToolCall[];
    do {
      const turn = await context.prepare({ model: MODEL, tools, messages, max_completion_tokens: 500 });
      const reply: OpenAI.ChatCompletion =
        way === 'whole'
          ? await client.chat.completions.create(turn.request)
          : await client.chat.completions
              .stream({ ...turn.request, stream_options: { include_usage: true } })
              .finalChatCompletion();
      const receipt = await turn.accept(reply);
      expect(receipt.usage?.inputTokens).toBeGreaterThan(0);
      const message = reply.choices[0]?.message;
      if (message === undefined) throw new Error('no choice');
      // The SDK's stream helper adds members no server knows; a host sends the plain ones.
      messages.push(
        way === 'whole'
          ? message
          : {
              role: 'assistant',
              content: message.content,
              ...(message.tool_calls === undefined ? {} : { tool_calls: plain(message.tool_calls) }),
            },
      );
      calls = message.tool_calls ?? [];
      for (const { id } of calls) messages.push({ role: 'tool', tool_call_id: id, content: `seen by ${id}` });
    } while (calls.length > 0);
    expect(served.simulator.requests.map(({ status, error }) => [status, error])).toEqual(
      [1, 2, 3].map(() => [200, undefined]),
    );
    expect(resultsIn(served.brain.requests[2]).map(({ text }) => text)).toEqual([
      'seen by call_1',
      'seen by call_2',
      'seen by call_3',
    ]);
    expect(context.history()).toHaveLength(7);
    served.brain.assertDone();
  });

  it("regression: a streamed reply is known again when the host hands back the SDK's own message, and only wire members are sent", async () => {
    const served = await serve([{ kind: 'call', name: 'look', input: {}, id: 'call_1' }, 'Done.']);
    const client = clientFor(served);
    const context = createContext({ codec: openaiChat(), archive: memoryArchive() });
    const first = await context.prepare({ model: MODEL, tools, messages: [{ role: 'user', content: 'Look.' }] });
    const reply = await client.chat.completions.stream(first.request).finalChatCompletion();
    await first.accept(reply);
    const [before] = context.history().slice(-1);
    expect(JSON.stringify(before)).not.toContain('parsed');
    const handedBack = reply.choices.map(({ message }) => message);
    const second = await context.prepare({
      model: MODEL,
      tools,
      messages: [
        { role: 'user', content: 'Look.' },
        ...handedBack,
        { role: 'tool', tool_call_id: 'call_1', content: 'seen' },
      ],
    });
    expect(context.history()[1]).toBe(before);
    await second.accept(await client.chat.completions.create(second.request));
    expect(served.simulator.requests[1]?.status).toBe(200);
  });

  it('turns an error into a smaller request, and what left comes back', async () => {
    const served = await serve(['Done.'], { faults: [overAt(0)] });
    const client = clientFor(served);
    const context = createContext({ codec: openaiChat(), archive: memoryArchive() });
    const messages: OpenAI.ChatCompletionMessageParam[] = [1, 2, 3].flatMap(
      (round): OpenAI.ChatCompletionMessageParam[] => [
        { role: 'user', content: `Round ${round}.` },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: `call_${round}`, type: 'function', function: { name: 'look', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: `call_${round}`, content: `${round} ${LOREM}` },
        { role: 'assistant', content: `I saw ${round}.` },
      ],
    );
    messages.push({ role: 'user', content: 'And now?' });
    const turn = await context.prepare({ model: MODEL, tools, messages });
    const error: unknown = await client.chat.completions.create(turn.request).catch((thrown: unknown) => thrown);
    const smaller = await turn.fail(error);
    if (smaller === undefined) throw new Error('no smaller turn');
    await smaller.accept(await client.chat.completions.create(smaller.request));
    const [refused, taken] = served.simulator.requests;
    expect([refused?.status, taken?.status]).toEqual([400, 200]);
    expect(taken?.bytes).toBeLessThan((refused?.bytes ?? 0) / 2);
    expect(shownIn(served.brain.requests[0])).toContain('And now?');
    const found = context.search('lorem');
    const [hit] = found.kind === 'hits' ? found.hits : [];
    const back = await context.recall(hit?.address ?? '');
    expect(back.kind === 'content' && back.text.endsWith(LOREM)).toBe(true);
  });
});

/** Calls as they were on the wire. */
function plain(calls: readonly OpenAI.ChatCompletionMessageToolCall[]): OpenAI.ChatCompletionMessageToolCall[] {
  return calls.flatMap((call) =>
    call.type === 'function'
      ? [{ id: call.id, type: call.type, function: { name: call.function.name, arguments: call.function.arguments } }]
      : [],
  );
}
