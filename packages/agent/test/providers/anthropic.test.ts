import { anthropicProvider, createAgent, type AgentEvent } from '@holdover/agent';
import { type ScriptedStep, scripted } from '@holdover/simulator';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ECHO, echo, FORMATS, openSimulator, providerFor, quickPorts } from '../support/stage.ts';
import { serveWeb, sse } from '../support/web-server.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

const SPEC = { system: 'Be terse.', tools: [], messages: [], maxOutputTokens: 8_000 };
const THINK = { budgetTokens: 4_096 };
const provider = anthropicProvider();

const shapeFor = (model: string): unknown => {
  const request = provider.request({ ...SPEC, model, thinking: THINK }) as Record<string, unknown>;
  return [request['max_tokens'], request['thinking'], request['output_config']];
};

describe('thinking', () => {
  it.each([
    'claude-sonnet-4-5-20250929',
    'claude-opus-4-20250514',
    'claude-3-7-sonnet-latest',
    'sim-1',
    'us.anthropic.claude-opus-4-5-20251101-v1:0',
  ])('is a budget on top of the reply for %s', (model) => {
    expect(shapeFor(model)).toEqual([12_096, { type: 'enabled', budget_tokens: 4_096 }, undefined]);
  });

  it.each([
    'claude-opus-4-6',
    'claude-opus-4-7',
    'claude-sonnet-5',
    'claude-haiku-5-5',
    'claude-fable-5-1',
    'anthropic/claude-opus-4.8',
  ])('is adaptive with an effort for %s', (model) => {
    expect(shapeFor(model)).toEqual([12_096, { type: 'adaptive', display: 'summarized' }, { effort: 'medium' }]);
  });

  it('is not asked for by default', () => {
    expect(provider.request({ ...SPEC, model: 'claude-sonnet-5' })).toEqual({
      model: 'claude-sonnet-5',
      max_tokens: 8_000,
      system: [{ type: 'text', text: 'Be terse.' }],
      messages: [],
    });
  });

  it('changes its form with the model', () => {
    const adaptive = provider.request({ ...SPEC, model: 'claude-sonnet-5', thinking: THINK });
    const budget = provider.withModel(adaptive, 'claude-haiku-4-5');
    expect(budget).toMatchObject({ model: 'claude-haiku-4-5', thinking: { type: 'enabled', budget_tokens: 8_192 } });
    expect(budget).not.toHaveProperty('output_config');
    expect(provider.withModel(budget, 'claude-sonnet-5')).toEqual(adaptive);
    expect(provider.withModel({ model: 'a', max_tokens: 1 }, 'b')).toEqual({ model: 'b', max_tokens: 1 });
  });
});

it('shows images as base64 blocks, which the codec reads as media', () => {
  const message = provider.userMessage(['What is this?', { mediaType: 'image/webp', base64: 'aGk=' }]);
  expect(message).toEqual({
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'image', source: { type: 'base64', media_type: 'image/webp', data: 'aGk=' } },
    ],
  });
  expect(provider.codec.decode(message).parts.map(({ kind }) => kind)).toEqual(['text', 'media']);
});

it("carries no key of the environment to somebody else's server", async () => {
  const before = process.env['ANTHROPIC_API_KEY'];
  process.env['ANTHROPIC_API_KEY'] = 'sk-ant-secret';
  try {
    const server = await serveWeb(() => ({ status: 404, body: { error: { message: 'nothing here' } } }));
    const own = anthropicProvider({ baseUrl: server.url });
    const options = { signal: new AbortController().signal, onText: () => undefined };
    await expect(own.send(own.request({ ...SPEC, model: 'm' }), options)).rejects.toMatchObject({ status: 404 });
    expect(server.asked).toHaveLength(1);
    expect(JSON.stringify(server.asked[0]?.headers)).toContain('none');
    expect(JSON.stringify(server.asked[0]?.headers)).not.toContain('secret');
  } finally {
    if (before === undefined) delete process.env['ANTHROPIC_API_KEY'];
    else process.env['ANTHROPIC_API_KEY'] = before;
  }
});

it('takes a stream of something else than events for a cut one', async () => {
  const server = await serveWeb(() => ({ body: `event: message_start\n${sse('<html>')}` }));
  const own = anthropicProvider({ baseUrl: server.url });
  const options = { signal: new AbortController().signal, onText: () => undefined };
  await expect(own.send(own.request({ ...SPEC, model: 'm' }), options)).rejects.toThrow('malformed stream');
});

interface Thoughtful {
  readonly steps: readonly ScriptedStep[];
  readonly model?: string;
  readonly isBound?: boolean;
}

/** An agent whose requests all ask for thinking, before a server that checks every signature. */
async function thinkingAgent({ steps, model = 'sim-1', isBound = false }: Thoughtful) {
  const simulator = await openSimulator(scripted(steps), { bindsThinking: () => isBound });
  const inner = providerFor('anthropic', simulator);
  const events: AgentEvent[] = [];
  const agent = await createAgent({
    workspace: tempFolder({}),
    provider: {
      ...inner,
      request: (spec) => inner.request(spec.tools.length === 0 ? spec : { ...spec, thinking: THINK }),
    },
    model,
    tools: [ECHO],
    onEvent: (event) => events.push(event),
    ports: quickPorts(),
  });
  onTestFinished(() => agent.close());
  return { agent, simulator, events };
}

const thought = (text: string, ...rest: ReturnType<typeof echo>[]) => [{ kind: 'thinking', text } as const, ...rest];

describe('thinking in a conversation', () => {
  it('is shown as it comes and goes back unchanged with its signature, through a tool loop and after', async () => {
    const { agent, simulator, events } = await thinkingAgent({
      steps: [
        thought('First I look.', echo('a')),
        thought('Then again.', echo('b')),
        [
          { kind: 'thinking', text: 'Enough.' },
          { kind: 'text', text: 'Done.' },
        ],
        'Bye.',
      ],
    });
    await agent.run('Go.');
    await agent.run('Thanks.');
    expect(simulator.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const shown = events.flatMap((event) => (event.type === 'reasoning-delta' ? [event.delta] : [])).join('');
    expect(shown).toBe('First I look.Then again.Enough.');
    expect(JSON.stringify(simulator.requests[3]?.body).match(/"signature":"[^"]{20,}"/g)).toHaveLength(3);
  });

  it('regression: a compaction no longer makes it invalid: what it is bound to is left alone, and the receipt says so', async () => {
    const long = 'lorem ipsum dolor sit amet '.repeat(300);
    const { agent, simulator, events } = await thinkingAgent({
      model: 'claude-fable-5-1',
      isBound: true,
      steps: [
        thought('One.', echo(long)),
        thought('Two.', echo(long)),
        thought('Three.', echo(long)),
        thought('Four.', echo(long)),
        thought('Five.', echo(long)),
        thought('Six.', echo(long)),
        'Done.',
      ],
    });
    await expect(agent.run('Go.')).resolves.toMatchObject({ text: 'Done.' });
    expect(simulator.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 200]);
    expect(events.filter((event) => event.type === 'notice')).toEqual([]);
    const held = events.flatMap((event) =>
      event.type === 'context' && event.event.type === 'turn-start' ? event.event.receipt.held : [],
    );
    expect(held).toContain('micro: 1 held, the reasoning behind them is bound to what they would change');
  });

  it('made elsewhere is left out in the middle of a tool loop, and thinking on a budget pauses with it', async () => {
    const simulator = await openSimulator(scripted(['Done.']));
    const { send, request } = providerFor('anthropic', simulator);
    const notices: string[] = [];
    const messages = [
      { role: 'user', content: 'Go.' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmVkIGVsc2V3aGVyZQ==' },
          { type: 'tool_use', id: 'a', name: 'echo', input: {} },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] },
    ];
    const tools = [{ name: 'echo', description: 'Echoes.', inputSchema: { type: 'object' } as const }];
    const reply = await send(request({ ...SPEC, model: 'sim-1', tools, messages, thinking: THINK }), {
      signal: new AbortController().signal,
      onText: () => undefined,
      onNotice: (text) => notices.push(text),
    });
    expect(reply).toMatchObject({ content: [{ type: 'text', text: 'Done.' }] });
    expect(simulator.requests.map(({ status }) => status)).toEqual([400, 200]);
    expect(simulator.requests[1]?.body).not.toHaveProperty('thinking');
    expect(notices).toEqual([
      'the provider no longer takes 1 thinking blocks of earlier turns; they are left out from here on',
    ]);
  });
});

it.each(FORMATS)('an image of a user message is taken by the server, in the format %s', async (format) => {
  const simulator = await openSimulator(scripted(['A dot.']));
  const { send, request, userMessage } = providerFor(format, simulator);
  const messages = [userMessage(['What is this?', { mediaType: 'image/png', base64: 'iVBORw0KGgo=' }])];
  await send(request({ ...SPEC, model: 'sim-1', messages }), {
    signal: new AbortController().signal,
    onText: () => undefined,
  });
  expect(simulator.requests.map(({ status, error }) => [status, error])).toEqual([[200, undefined]]);
});
