import { request as httpRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { scripted } from '../../src/index.ts';
import { type Answer, ask, chat, HEADERS, type Json, post, start, user, yes } from '../support.ts';

const hi = { messages: [user('hi')] };

async function send(url: string, init: RequestInit): Promise<{ status: number; body: Answer; headers: Headers }> {
  const response = await fetch(url, init);
  return { status: response.status, body: (await response.json()) as Answer, headers: response.headers };
}

describe('paths and headers', () => {
  it('answer an unknown path in the shape of the vendor asked', async () => {
    const { url } = await start();
    const anthropic = await send(`${url}/v1/nothing`, { headers: HEADERS });
    expect(anthropic).toMatchObject({ status: 404, body: { type: 'error', error: { type: 'not_found_error' } } });
    const openai = await send(`${url}/v1/nothing`, { headers: { authorization: 'Bearer x' } });
    expect(openai).toMatchObject({
      status: 404,
      body: { error: { message: 'Invalid URL (GET /v1/nothing)', param: null } },
    });
    expect((await send(`${url}/v1/messages`, { headers: HEADERS })).status).toBe(404);
  });

  it('carry a request id', async () => {
    const simulator = await start();
    const { headers } = await post(simulator, '/v1/messages', { model: 'm', max_tokens: 1, ...hi });
    expect(headers.get('request-id')).toBe('req_sim_000001');
    const second = await post(simulator, '/v1/chat/completions', { model: 'm', ...hi });
    expect(second.headers.get('x-request-id')).toBe('req_sim_000002');
  });

  it('need some key, any key', async () => {
    const { url } = await start();
    const body = JSON.stringify({ model: 'm', max_tokens: 5, ...hi });
    const none = await send(`${url}/v1/messages`, { method: 'POST', body });
    expect(none).toMatchObject({ status: 401, body: { error: { type: 'authentication_error' } } });
    const headers = { authorization: 'Bearer whatever', 'anthropic-version': '2023-06-01' };
    expect((await send(`${url}/v1/messages`, { method: 'POST', body, headers })).status).toBe(200);
  });

  it('need a version in the Anthropic profile', async () => {
    const { url } = await start();
    const answer = await send(`${url}/v1/messages`, { method: 'POST', body: '{}', headers: { 'x-api-key': 'x' } });
    expect(answer.body.error.message).toBe('anthropic-version: header is required');
  });

  it('refuse a foreign host name', async () => {
    const { url } = await start();
    const status = await new Promise((resolve, reject) => {
      const request = httpRequest(`${url}/v1/models`, { headers: { ...HEADERS, host: 'evil.example' } });
      request
        .on('response', (response) => resolve(response.statusCode))
        .on('error', reject)
        .end();
    });
    expect(status).toBe(403);
  });

  it('ignore a query string', async () => {
    const response = await post(await start(), '/v1/messages?beta=true', { model: 'm', max_tokens: 5, ...hi });
    expect(response.status).toBe(200);
  });
});

describe('bodies', () => {
  it.each(['', '{', '[]', '"x"', 'null'])('refuse %j', async (body) => {
    const simulator = await start();
    expect((await post(simulator, '/v1/messages', body)).status).toBe(400);
    expect((await post(simulator, '/v1/chat/completions', body)).status).toBe(400);
  });

  it('refuse more bytes than the limit with 413', async () => {
    const simulator = await start({ maxBodyBytes: 1000 });
    const answer = await ask(simulator, { messages: [user('x'.repeat(1000))] });
    expect(answer).toMatchObject({
      status: 413,
      body: { error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } },
    });
    expect((await ask(simulator, { messages: [user('x'.repeat(800))] })).status).toBe(200);
  });

  it('refuse 32 MB and a little', async () => {
    const answer = await ask(await start(), { messages: [user('x'.repeat(32 * 1024 * 1024))] });
    expect(answer.status).toBe(413);
  });
});

describe('counting', () => {
  const count = async (body: Json): Promise<{ status: number; body: Answer }> => {
    const response = await post(await start(), '/v1/messages/count_tokens', { model: 'm', ...body });
    return { status: response.status, body: (await response.json()) as Answer };
  };

  it('needs no max_tokens, and takes none', async () => {
    expect((await count(hi)).body.input_tokens).toBeGreaterThan(1);
    expect((await count({ ...hi, max_tokens: 5 })).body.error.message).toBe(
      'max_tokens: Extra inputs are not permitted',
    );
  });

  it('counts system, tools and images', async () => {
    const plain = (await count(hi)).body.input_tokens;
    expect((await count({ ...hi, system: 'one two three four five' })).body.input_tokens).toBeGreaterThan(plain + 5);
    const tools = [{ name: 'a', description: 'one two three', input_schema: { type: 'object' } }];
    expect((await count({ ...hi, tools })).body.input_tokens).toBeGreaterThan(plain + 15);
    const image = { type: 'image', source: { type: 'url', url: 'https://x.y/z.png' } };
    expect((await count({ messages: [user([image])] })).body.input_tokens).toBeGreaterThan(1500);
  });
});

describe('records', () => {
  it('keep what was asked, answered or not', async () => {
    const simulator = await start();
    await ask(simulator, { ...hi, stream: false });
    await ask(simulator, { messages: [] });
    await chat(simulator, hi);
    expect(simulator.requests).toMatchObject([
      {
        index: 0,
        requestId: 'req_sim_000001',
        profile: 'anthropic',
        path: '/v1/messages',
        model: 'sim-1',
        status: 200,
        body: hi,
      },
      { index: 1, status: 400, error: 'messages: at least one message is required', body: { messages: [] } },
      { index: 2, profile: 'openai', path: '/v1/chat/completions', status: 200 },
    ]);
    expect(simulator.requests[1]).not.toHaveProperty('usage');
    const usages = simulator.requests.flatMap(({ usage }) => usage ?? []);
    const sum = (field: 'inputTokens' | 'outputTokens'): number =>
      usages.reduce((total, usage) => total + usage[field], 0);
    expect(simulator.totals()).toEqual({
      requests: 2,
      inputTokens: sum('inputTokens'),
      outputTokens: sum('outputTokens'),
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
    });
  });

  it('keep the newest only, totals of all', async () => {
    const simulator = await start({ keepRequests: 2 });
    for (let round = 0; round < 4; round += 1) await ask(simulator, hi);
    expect(simulator.requests.map(({ index }) => index)).toEqual([2, 3]);
    expect(simulator.totals().requests).toBe(4);
  });
});

describe('brains', () => {
  it('that fail are answered with 500 and their message', async () => {
    const simulator = await start({ brain: scripted([]) });
    const answer = await ask(simulator, hi);
    expect(answer).toMatchObject({ status: 500, body: { error: { type: 'api_error' } } });
    expect(answer.body.error.message).toContain('unexpected model call');
    expect((await chat(simulator, hi)).body.error.message).toContain('unexpected model call');
  });

  it('that return nonsense are named', async () => {
    const brain = { name: 'odd', reply: () => ({ text: 'x' }) as never };
    expect((await ask(await start({ brain }), hi)).body.error.message).toContain('brain "odd" returned no reply');
  });

  it('give their own call ids and stop reasons', async () => {
    const brain = {
      ...yes,
      reply: () => ({ parts: [{ kind: 'call', id: 'mine', name: 'a', input: {} }], stop: 'cap' }) as never,
    };
    const { body } = await ask(await start({ brain }), hi);
    expect(body).toMatchObject({ stop_reason: 'max_tokens', content: [{ id: 'mine' }] });
  });
});
