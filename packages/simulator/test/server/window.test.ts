import { describe, expect, it } from 'vitest';
import { scripted } from '../../src/index.ts';
import { ask, chat, start, user, words } from '../support.ts';

describe('Anthropic window', () => {
  it('refuses a prompt above it with the exact numbers', async () => {
    const simulator = await start({ windowTokens: { small: 100, '*': 100_000 } });
    const messages = [user(words(500))];
    const counted = (await ask(simulator, { messages })).body.usage.input_tokens;
    const answer = await ask(simulator, { model: 'small', messages });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      type: 'error',
      error: { type: 'invalid_request_error', message: `prompt is too long: ${counted} tokens > 100 maximum` },
      request_id: 'req_sim_000002',
    });
    expect(simulator.requests.at(-1)).toMatchObject({ status: 400, model: 'small' });
  });

  it('accepts a prompt of exactly its size and refuses one token more', async () => {
    const probe = await start();
    const messages = [user(words(50))];
    const windowTokens = (await ask(probe, { messages })).body.usage.input_tokens;
    const full = await ask(await start({ windowTokens }), { messages });
    expect(full).toMatchObject({ status: 200, body: { stop_reason: 'model_context_window_exceeded', content: [] } });
    expect((await ask(await start({ windowTokens: windowTokens - 1 }), { messages })).status).toBe(400);
  });

  it('stops the output where the window ends', async () => {
    const probe = await start();
    const messages = [user('tell me a story')];
    const inputTokens = (await ask(probe, { messages })).body.usage.input_tokens;
    const simulator = await start({ windowTokens: inputTokens + 40, brain: scripted([words(200), words(10)]) });
    const cut = (await ask(simulator, { messages, max_tokens: 1000 })).body;
    expect(cut['stop_reason']).toBe('model_context_window_exceeded');
    expect(cut['usage'].output_tokens).toBe(40);
    expect(words(200).startsWith(String(cut.content[0]?.['text']))).toBe(true);
    expect((await ask(simulator, { messages, max_tokens: 1000 })).body.stop_reason).toBe('end_turn');
  });

  it('stops the output at max_tokens', async () => {
    const simulator = await start({ brain: scripted([words(200)]) });
    const cut = (await ask(simulator, { messages: [user('x')], max_tokens: 20 })).body;
    expect(cut['stop_reason']).toBe('max_tokens');
    expect(cut['usage'].output_tokens).toBe(20);
  });

  it('cuts a call in the middle of its arguments', async () => {
    const simulator = await start({ brain: scripted([{ kind: 'call', name: 'w', input: { text: words(200) } }]) });
    const cut = (await ask(simulator, { messages: [user('x')], max_tokens: 50 })).body;
    expect(cut).toMatchObject({ stop_reason: 'max_tokens', content: [{ type: 'tool_use', input: {} }] });
  });

  it('ends at a stop sequence', async () => {
    const simulator = await start({ brain: scripted(['one two STOP three']) });
    const body = (await ask(simulator, { messages: [user('x')], stop_sequences: ['STOP', 'three'] })).body;
    expect(body).toMatchObject({
      stop_reason: 'stop_sequence',
      stop_sequence: 'STOP',
      content: [{ text: 'one two ' }],
    });
  });
});

describe('OpenAI window', () => {
  it('refuses a prompt above it with the exact numbers', async () => {
    const messages = [user(words(500))];
    const probe = await start();
    const counted = (await chat(probe, { messages })).body.usage.prompt_tokens;
    const answer = await chat(await start({ windowTokens: 100 }), { messages });
    expect(answer).toEqual({
      status: 400,
      body: {
        error: {
          message: `This model's maximum context length is 100 tokens. However, your messages resulted in ${counted} tokens. Please reduce the length of the messages.`,
          type: 'invalid_request_error',
          param: 'messages',
          code: 'context_length_exceeded',
        },
      },
    });
  });

  it('finishes with length at the limit', async () => {
    const simulator = await start({ brain: scripted([words(200)]) });
    const body = (await chat(simulator, { messages: [user('x')], max_completion_tokens: 20 })).body;
    expect(body.choices[0].finish_reason).toBe('length');
    expect(body.usage.completion_tokens).toBe(20);
  });
});
