import { describe, expect, it } from 'vitest';
import { type Fault, scripted, SimulatorError, type SimulatorOptions, type Simulator } from '../../src/index.ts';
import { ask, chat, post, quickCount, start as startExact, text, user, words } from '../support.ts';

const start = (options: Partial<SimulatorOptions> = {}): Promise<Simulator> =>
  startExact({ countTokens: quickCount, ...options });

const hi = { messages: [user('hi')] };
const tools = [{ name: 'ls', input_schema: { type: 'object' } }];

describe('refusing faults', () => {
  it.each([
    [{ kind: 'request_too_large' }, 413, 'request_too_large', 'Request exceeds the maximum size'],
    [
      { kind: 'too_long', inputTokens: 213_462, windowTokens: 200_000 },
      400,
      'invalid_request_error',
      'prompt is too long: 213462 tokens > 200000 maximum',
    ],
    [{ kind: 'rate_limit' }, 429, 'rate_limit_error', 'rate limit'],
    [{ kind: 'overloaded' }, 529, 'overloaded_error', 'Overloaded'],
    [{ kind: 'server_error' }, 500, 'api_error', 'Internal server error'],
  ] as [Fault, number, string, string][])('%j', async (fault, status, type, message) => {
    const simulator = await start({ faults: [fault] });
    const answer = await ask(simulator, hi);
    expect(answer).toMatchObject({ status, body: { type: 'error', error: { type } } });
    expect(answer.body.error.message).toContain(message);
    expect(simulator.requests[0]).toMatchObject({ status, fault: fault.kind });
    expect((await ask(simulator, hi)).status).toBe(200);
  });

  it('have the OpenAI shape in the OpenAI profile', async () => {
    const faults: Fault[] = [
      { kind: 'rate_limit', retryAfterSeconds: 3 },
      { kind: 'overloaded' },
      { kind: 'too_long', inputTokens: 9, windowTokens: 8 },
    ];
    const simulator = await start({ faults });
    const limited = await post(simulator, '/v1/chat/completions', { model: 'm', ...hi });
    expect(limited.headers.get('retry-after')).toBe('3');
    expect(await limited.json()).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
    expect(await chat(simulator, hi)).toMatchObject({ status: 503, body: { error: { type: 'server_error' } } });
    expect((await chat(simulator, hi)).body.error.message).toContain(
      'maximum context length is 8 tokens. However, your messages resulted in 9',
    );
  });
});

describe('answering faults', () => {
  it('empty reply', async () => {
    const simulator = await start({ faults: [{ kind: 'empty_reply', times: 2 }] });
    expect((await ask(simulator, hi)).body).toMatchObject({ content: [], stop_reason: 'end_turn' });
    expect((await chat(simulator, hi)).body.choices[0].message).toMatchObject({ content: null });
  });

  it('a tool call, without asking the brain', async () => {
    const brain = scripted([]);
    const simulator = await start({
      brain,
      faults: [{ kind: 'tool_call' }, { kind: 'tool_call', name: 'rm', input: { all: true } }],
    });
    expect((await ask(simulator, { ...hi, tools })).body).toMatchObject({
      stop_reason: 'tool_use',
      content: [{ name: 'ls', input: {} }],
    });
    expect((await ask(simulator, hi)).body.content[0]).toMatchObject({
      type: 'tool_use',
      name: 'rm',
      input: { all: true },
    });
    expect(brain.requests).toHaveLength(0);
  });

  it('truncated output', async () => {
    const simulator = await start({
      brain: scripted([words(100), words(100)]),
      faults: [{ kind: 'truncated', keepTokens: 10, times: 2 }],
    });
    expect((await ask(simulator, hi)).body).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: 10 } });
    expect((await chat(simulator, hi)).body.choices[0].finish_reason).toBe('length');
  });

  it('refusal', async () => {
    const simulator = await start({ faults: [{ kind: 'refusal', text: 'No.', times: 2 }] });
    expect((await ask(simulator, hi)).body).toMatchObject({
      stop_reason: 'refusal',
      stop_details: { type: 'refusal' },
    });
    expect((await chat(simulator, hi)).body.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { refusal: 'No.', content: null },
    });
  });

  it('slow', async () => {
    const simulator = await start({
      brain: scripted([words(9)]),
      faults: [{ kind: 'slow', delayMs: 40, deltaDelayMs: 20 }],
    });
    const startMs = performance.now();
    const response = await post(simulator, '/v1/messages', { model: 'm', max_tokens: 99, stream: true, ...hi });
    await response.text();
    expect(performance.now() - startMs).toBeGreaterThan(85);
  });

  it('silent truncation', async () => {
    const brain = scripted(['ok', 'ok']);
    const simulator = await start({ brain, windowTokens: 1000, faults: [{ kind: 'silent_truncation', times: 2 }] });
    const messages = [user(words(900)), { role: 'assistant', content: 'yes' }, user('the newest')];
    const answer = await chat(simulator, { messages: [{ role: 'system', content: words(500) }, ...messages] });
    expect(answer.body.usage.prompt_tokens).toBe(502);
    expect(brain.requests[0]?.messages.at(-1)?.parts).toEqual([{ kind: 'text', text: 'the newest' }]);
    expect(JSON.stringify(brain.requests[0]?.messages)).not.toContain(words(900));
    const fits = await chat(simulator, { messages: messages.slice(2) });
    expect(fits.body.usage.prompt_tokens).toBeLessThan(20);
  });
});

const stream = { model: 'm', max_tokens: 99, stream: true, ...hi };

describe('stream faults', () => {
  const ten = { kind: 'text', text: words(30) } as const;

  it('cut the stream in the middle', async () => {
    const simulator = await start({ brain: scripted([ten]), faults: [{ kind: 'cut_stream', afterDeltas: 3 }] });
    const response = await post(simulator, '/v1/messages', stream);
    expect(response.status).toBe(200);
    let seen = '';
    const reading = (async () => {
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
        seen += Buffer.from(chunk).toString();
    })();
    await expect(reading).rejects.toThrow();
    expect(seen.match(/event: content_block_delta/g)).toHaveLength(3);
    expect(seen).not.toContain('message_stop');
  });

  it('cut a whole reply before it begins', async () => {
    const simulator = await start({ faults: [{ kind: 'cut_stream' }] });
    await expect(ask(simulator, hi)).rejects.toThrow();
  });

  it('send an error event', async () => {
    const simulator = await start({ brain: scripted([ten, ten]), faults: [{ kind: 'stream_error', times: 3 }] });
    const events = await (await post(simulator, '/v1/messages', stream)).text();
    expect(events).toContain(
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}',
    );
    const chunks = await (await post(simulator, '/v1/chat/completions', { model: 'm', stream: true, ...hi })).text();
    expect(chunks).toContain('data: {"error":{"message":"The server is currently overloaded.');
    expect(chunks).not.toContain('[DONE]');
    expect((await ask(simulator, hi)).status).toBe(529);
  });

  it('send the window error in the middle', async () => {
    const simulator = await start({
      brain: scripted([ten, ten]),
      faults: [{ kind: 'stream_error', error: 'too_long', times: 3 }],
    });
    const events = await (await post(simulator, '/v1/messages', stream)).text();
    expect(events).toMatch(/event: error\ndata: .*prompt is too long: \d+ tokens > \d+ maximum/);
    const chunks = await (await post(simulator, '/v1/chat/completions', { model: 'm', stream: true, ...hi })).text();
    expect(chunks).toContain('"code":"context_length_exceeded"');
    expect((await ask(simulator, hi)).status).toBe(400);
  });

  it('send half an event, which is no JSON', async () => {
    const simulator = await start({ brain: scripted([ten]), faults: [{ kind: 'malformed_stream', afterDeltas: 1 }] });
    const events = await (await post(simulator, '/v1/messages', stream)).text();
    expect(events.match(/"type":"content_block_delta"/g)).toHaveLength(1);
    expect(events.endsWith('event: content_block_delta\ndata: {"type": "cont\n\n')).toBe(true);
  });

  it('hang up before the first byte', async () => {
    const simulator = await start({ faults: [{ kind: 'hang_up', times: 2 }] });
    await expect(post(simulator, '/v1/messages', stream)).rejects.toThrow();
    await expect(ask(simulator, hi)).rejects.toThrow();
  });
});

describe('rate limits', () => {
  it.each([
    [{ retryAfter: 'Mon, 30 Nov 2026 12:00:21 GMT' }, 'Mon, 30 Nov 2026 12:00:21 GMT', 'Rate limit reached.'],
    [{ retryAfter: '' }, null, 'Rate limit reached.'],
    [{}, '1', 'Rate limit reached. Please try again in 1s.'],
  ])('say when to come back, or not: %j', async (fault, header, message) => {
    const simulator = await start({ faults: [{ kind: 'rate_limit', times: 2, ...fault }] });
    const answer = await post(simulator, '/v1/chat/completions', { model: 'm', ...hi });
    expect(answer.headers.get('retry-after')).toBe(header);
    expect(await answer.json()).toMatchObject({ error: { message } });
    expect((await post(simulator, '/v1/messages', stream)).headers.get('retry-after')).toBe(header);
  });
});

describe('which request', () => {
  it('a predicate chooses', async () => {
    const when: Fault['when'] = ({ request }) => JSON.stringify(request.messages).includes('summarise');
    const simulator = await start({ faults: [{ kind: 'empty_reply', when }] });
    expect((await ask(simulator, hi)).body.content).toHaveLength(1);
    expect(simulator.pendingFaults()).toBe(1);
    expect((await ask(simulator, { messages: [user([text('summarise this')])] })).body.content).toHaveLength(0);
    expect(simulator.pendingFaults()).toBe(0);
  });

  it('faults queue up, repeat, and can be added later', async () => {
    const simulator = await start({ faults: [{ kind: 'server_error', times: 2 }, { kind: 'overloaded' }] });
    const statuses: number[] = [];
    for (let round = 0; round < 4; round += 1) statuses.push((await ask(simulator, hi)).status);
    expect(statuses).toEqual([500, 500, 529, 200]);
    simulator.addFault({ kind: 'rate_limit', times: Number.POSITIVE_INFINITY });
    expect((await ask(simulator, hi)).status).toBe(429);
    expect((await ask(simulator, hi)).status).toBe(429);
  });

  it('a header asks for one', async () => {
    const simulator = await start();
    expect((await ask(simulator, hi, { 'x-sim-fault': '429' })).status).toBe(429);
    expect((await ask(simulator, hi, { 'x-sim-fault': 'empty_reply' })).body.content).toEqual([]);
  });

  it('an invalid request meets its own error first, and spends no fault', async () => {
    const simulator = await start({ faults: [{ kind: 'overloaded' }] });
    expect((await ask(simulator, { messages: [] })).status).toBe(400);
    expect((await ask(simulator, hi)).status).toBe(529);
  });

  it.each([
    [{ kind: 'meteor' }, 'fault.kind is "meteor"'],
    [{ kind: 'slow', delayMs: -1 }, 'fault.delayMs is -1'],
    [{ kind: 'slow', times: 0 }, 'fault.times is 0'],
  ] as unknown as [Fault, string][])('refuses %j', async (fault, message) => {
    const simulator = await start();
    const add = (): void => simulator.addFault(fault);
    expect(add).toThrow(SimulatorError);
    expect(add).toThrow(message);
  });
});
