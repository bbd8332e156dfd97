import { openaiChatProvider, type Provider, type SendOptions } from '@holdover/agent';
import { describe, expect, it } from 'vitest';
import { type Answer, type Asked, deltas, serveWeb, sse, type WebServer } from '../support/web-server.ts';

const SPEC = { model: 'local-1', system: 'Be terse.', tools: [], messages: [], maxOutputTokens: 500 };
const TOOL = { name: 'look', description: 'Looks.', inputSchema: { type: 'object', properties: {} } as const };
const USER = { role: 'user', content: 'Hi.' };

interface Served {
  readonly provider: Provider;
  readonly server: WebServer;
  readonly seen: { text: string; reasoning: string; readonly notices: string[] };
  readonly options: SendOptions;
}

async function served(answer: (asked: Asked, index: number) => Answer): Promise<Served> {
  const server = await serveWeb(answer);
  const seen = { text: '', reasoning: '', notices: [] as string[] };
  return {
    server,
    seen,
    provider: openaiChatProvider({ baseUrl: `${server.url}/v1` }),
    options: {
      signal: new AbortController().signal,
      onText: (delta) => {
        seen.text += delta;
      },
      onReasoning: (delta) => {
        seen.reasoning += delta;
      },
      onNotice: (text) => seen.notices.push(text),
    },
  };
}

const streamed = (body: string) => served(() => ({ body }));

async function messageOf({ provider, options }: Served, request: object = provider.request(SPEC)): Promise<object> {
  const reply = (await provider.send(request, options)) as { choices: readonly { message: object }[] };
  return reply.choices[0]?.message ?? {};
}

describe('requests', () => {
  it('name the output cap as the server knows it, and ask for usage', async () => {
    const stage = await streamed(deltas('stop', { content: 'Hi.' }));
    await messageOf(stage, stage.provider.request({ ...SPEC, messages: [USER], thinking: { budgetTokens: 9_000 } }));
    expect(stage.server.asked[0]?.body).toEqual({
      model: 'local-1',
      max_tokens: 9_500,
      reasoning_effort: 'medium',
      messages: [{ role: 'system', content: 'Be terse.' }, USER],
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(openaiChatProvider().request(SPEC)).toMatchObject({ max_completion_tokens: 500 });
    expect(openaiChatProvider({ baseUrl: 'https://api.openai.com/v1' }).request(SPEC)).toMatchObject({
      max_completion_tokens: 500,
    });
  });

  it("carry no key of the environment, nor who the user is at OpenAI, to somebody else's server", async () => {
    const before = { ...process.env };
    Object.assign(process.env, { OPENAI_API_KEY: 'sk-secret', OPENAI_ORG_ID: 'org-1', OPENAI_PROJECT_ID: 'proj-1' });
    try {
      const stage = await streamed(deltas('stop', { content: 'Hi.' }));
      await messageOf(stage);
      const { headers } = stage.server.asked[0] as Asked;
      expect(headers.authorization).toBe('Bearer none');
      expect(Object.keys(headers).filter((name) => name.startsWith('openai-'))).toEqual([]);
    } finally {
      for (const name of ['OPENAI_API_KEY', 'OPENAI_ORG_ID', 'OPENAI_PROJECT_ID']) delete process.env[name];
      Object.assign(process.env, before);
    }
  });

  it('show images as data URLs, which the codec reads as media', () => {
    const provider = openaiChatProvider();
    const message = provider.userMessage(['What is this?', { mediaType: 'image/png', base64: 'aGk=' }]);
    expect(message).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
      ],
    });
    expect(provider.codec.decode(message).parts.map(({ kind }) => kind)).toEqual(['text', 'media']);
  });
});

describe('replies', () => {
  it('need no usage, no ids and no indexes', async () => {
    const stage = await streamed(
      deltas(
        'tool_calls',
        { content: 'One ' },
        { content: 'moment.' },
        { tool_calls: [{ function: { name: 'look', arguments: '{"at":' } }] },
        { tool_calls: [{ function: { arguments: '"left"}' } }] },
      ),
    );
    expect(await messageOf(stage)).toMatchObject({
      content: 'One moment.',
      tool_calls: [{ id: 'call_0', type: 'function', function: { name: 'look', arguments: '{"at":"left"}' } }],
    });
    expect(stage.seen.text).toBe('One moment.');
  });

  it('keep calls apart that all claim the index 0, and give a call without arguments an empty object', async () => {
    const call = (id: string, name: string) => ({ tool_calls: [{ index: 0, id, function: { name, arguments: '' } }] });
    const stage = await streamed(deltas('stop', call('a', 'look'), call('b', 'echo')));
    expect(await messageOf(stage)).toMatchObject({
      tool_calls: [
        { id: 'a', function: { name: 'look', arguments: '{}' } },
        { id: 'b', function: { name: 'echo', arguments: '{}' } },
      ],
    });
  });

  it('keep the whole reasoning_content that led to a call, and show it', async () => {
    const stage = await streamed(
      deltas(
        'tool_calls',
        { reasoning_content: 'I should ' },
        { reasoning_content: 'look.' },
        { tool_calls: [{ index: 0, id: 'a', function: { name: 'look', arguments: '{}' } }] },
      ),
    );
    expect(await messageOf(stage)).toMatchObject({ reasoning_content: 'I should look.' });
    expect(stage.seen.reasoning).toBe('I should look.');
  });

  it.each(['reasoning_content', 'reasoning'])(
    'show %s of a plain answer, and leave it out of the message',
    async (name) => {
      const stage = await streamed(deltas('stop', { [name]: 'Hm.' }, { content: 'Hi.' }));
      const message = await messageOf(stage);
      expect(stage.seen).toMatchObject({ reasoning: 'Hm.', text: 'Hi.' });
      expect(message).toEqual({ role: 'assistant', content: 'Hi.', refusal: null });
    },
  );

  it("put OpenRouter's reasoning blocks together again for a message with calls", async () => {
    const detail = (fields: object) => ({ reasoning_details: [{ type: 'reasoning.text', index: 0, ...fields }] });
    const stage = await streamed(
      deltas(
        'tool_calls',
        { reasoning: 'I ', ...detail({ text: 'I ', signature: null }) },
        { reasoning: 'look.', ...detail({ text: 'look.' }) },
        detail({ signature: 'sig' }),
        { reasoning_details: [{ type: 'reasoning.encrypted', index: 1, data: 'x' }] },
        { tool_calls: [{ index: 0, id: 'a', function: { name: 'look', arguments: '{}' } }] },
      ),
    );
    expect(await messageOf(stage)).toMatchObject({
      reasoning_details: [
        { type: 'reasoning.text', index: 0, text: 'I look.', signature: 'sig' },
        { type: 'reasoning.encrypted', index: 1, data: 'x' },
      ],
    });
  });

  it('that end without saying why were cut', async () => {
    const stage = await streamed(sse({ choices: [{ delta: { content: 'Hal' } }] }));
    await expect(messageOf(stage)).rejects.toThrow('stream ended without a finish reason');
  });

  it('that are no events were cut too', async () => {
    const stage = await streamed('data: <html>Bad gateway</html>\n\n');
    await expect(messageOf(stage)).rejects.toThrow('malformed stream');
  });
});

describe('what a server refuses', () => {
  /** Refuses while `isWrong`, with these words. */
  const refusing = (isWrong: (body: Record<string, unknown>) => boolean, message: string, status = 400) =>
    served(({ body = {} }) =>
      isWrong(body as Record<string, unknown>)
        ? { status, body: { error: { message, type: 'invalid_request_error' } } }
        : { body: deltas('stop', { content: 'Fine.' }) },
    );

  it('is learned once: tools only without reasoning', async () => {
    const stage = await refusing(
      (body) => body['tools'] !== undefined && body['reasoning_effort'] !== 'none',
      "Function tools with reasoning_effort are not supported for gpt-6-sol in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
    );
    const request = stage.provider.request({ ...SPEC, tools: [TOOL] });
    expect(await messageOf(stage, request)).toMatchObject({ content: 'Fine.' });
    await messageOf(stage, request);
    expect(stage.server.asked.map(({ body }) => body?.['reasoning_effort'])).toEqual([undefined, 'none', 'none']);
    expect(stage.seen.notices).toEqual([
      'this model takes tools here only without reasoning; requests are changed accordingly from here on',
    ]);
  });

  it('ends with the refusal where neither way helps', async () => {
    const stage = await served(({ body }) => ({
      status: 400,
      body: {
        error: {
          message:
            body?.['reasoning_effort'] === 'none'
              ? "Unsupported value: 'reasoning_effort' does not support 'none' with this model."
              : "To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
        },
      },
    }));
    const request = stage.provider.request({ ...SPEC, tools: [TOOL] });
    await expect(messageOf(stage, request)).rejects.toMatchObject({ status: 400 });
    expect(stage.server.asked).toHaveLength(3);
  });

  it.each([
    {
      what: 'an effort',
      isWrong: (body: Record<string, unknown>) => 'reasoning_effort' in body,
      message: 'Unrecognized request argument supplied: reasoning_effort',
    },
    {
      what: 'the older cap',
      isWrong: (body: Record<string, unknown>) => 'max_tokens' in body,
      message:
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    },
    {
      what: 'stream options',
      isWrong: (body: Record<string, unknown>) => 'stream_options' in body,
      message: 'body.stream_options: Extra inputs are not permitted',
    },
  ])('is left out: $what', async ({ isWrong, message }) => {
    const stage = await refusing(isWrong, message, 422);
    const request = stage.provider.request({ ...SPEC, thinking: { budgetTokens: 2_000 } });
    expect(await messageOf(stage, request)).toMatchObject({ content: 'Fine.' });
    expect(stage.server.asked).toHaveLength(2);
  });

  it('is put in: an empty reasoning_content with calls that have none', async () => {
    const isWrong = (body: Record<string, unknown>): boolean =>
      (body['messages'] as readonly Record<string, unknown>[]).some(
        (message) => message['tool_calls'] !== undefined && message['reasoning_content'] === undefined,
      );
    const stage = await refusing(isWrong, 'The reasoning_content in the thinking mode must be passed back to the API.');
    const call = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }],
    };
    const result = { role: 'tool', tool_call_id: 'a', content: 'seen' };
    await messageOf(stage, stage.provider.request({ ...SPEC, messages: [USER, call, result] }));
    expect(stage.server.asked[1]?.body?.['messages']).toMatchObject([{}, {}, { reasoning_content: '' }, {}]);
  });

  it('and what it does not speak of stays an error at once', async () => {
    const stage = await refusing(() => true, 'The model `local-1` does not exist', 404);
    await expect(messageOf(stage)).rejects.toMatchObject({ status: 404 });
    expect(stage.server.asked).toHaveLength(1);
  });
});
