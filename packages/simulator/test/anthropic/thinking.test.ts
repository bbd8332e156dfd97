import { describe, expect, it } from 'vitest';
import { scripted, type ScriptedStep, type Simulator, type SimulatorOptions } from '../../src/index.ts';
import { ask, assistant, type Json, result, quickCount, start as startExact, text, user } from '../support.ts';

const start = (options: Partial<SimulatorOptions> = {}): Promise<Simulator> =>
  startExact({ countTokens: quickCount, ...options });

const thought = (about: string): Json => ({ kind: 'thinking', text: about });
const step = (...parts: Json[]): ScriptedStep => parts as never;
const ls = { kind: 'call', name: 'ls', input: {} };
const on = { max_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 1024 } };

async function firstReply(simulator: Simulator, extra: Json = {}): Promise<Json[]> {
  return (await ask(simulator, { ...on, messages: [user('x')], ...extra })).body.content;
}

describe('thinking signatures', () => {
  it('are accepted unaltered', async () => {
    const simulator = await start({ brain: scripted([step(thought('hm'), ls), 'ok']) });
    const content = await firstReply(simulator);
    const answer = await ask(simulator, {
      ...on,
      messages: [user('x'), assistant(content), user([result(content[1]?.['id'])])],
    });
    expect(answer.status).toBe(200);
  });

  it('refuse altered text', async () => {
    const simulator = await start({ brain: scripted([step(thought('hm'), ls)]) });
    const [thinking, use] = await firstReply(simulator);
    const altered = assistant([{ ...thinking, thinking: 'ha' }, use]);
    const answer = await ask(simulator, { ...on, messages: [user('x'), altered, user([result(use?.['id'])])] });
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toBe('messages.1.content.0: Invalid `signature` in `thinking` block');
  });

  it('hold across simulators with one key only', async () => {
    const content = await firstReply(await start({ brain: scripted([step(thought('hm'), ls)]) }));
    const messages = [user('x'), assistant(content), user([result(content[1]?.['id'])])];
    expect((await ask(await start(), { ...on, messages })).status).toBe(200);
    expect((await ask(await start({ signingKey: 'other' }), { ...on, messages })).status).toBe(400);
  });

  it('refuse thinking moved behind other blocks', async () => {
    const simulator = await start({ brain: scripted([step(thought('hm'), { kind: 'text', text: 'y' }, ls)]) });
    const [thinking, said, use] = await firstReply(simulator);
    const answer = await ask(simulator, {
      messages: [user('x'), assistant([said, thinking, use]), user([result(use?.['id'])])],
    });
    expect(answer.body.error.message).toContain('blocks in the latest assistant message cannot be modified');
  });

  it('omit the text on request and sign the empty one', async () => {
    const simulator = await start({ brain: scripted([step(thought('secret'), ls), 'ok']) });
    const content = await firstReply(simulator, { thinking: { type: 'adaptive', display: 'omitted' } });
    expect(content[0]).toMatchObject({ type: 'thinking', thinking: '' });
    const answer = await ask(simulator, {
      messages: [user('x'), assistant(content), user([result(content[1]?.['id'])])],
    });
    expect(answer.status).toBe(200);
  });
});

describe('a tool loop', () => {
  it('must keep the thinking that led to its calls while thinking is enabled', async () => {
    const simulator = await start({ brain: scripted([step(thought('hm'), ls), 'ok', 'ok']) });
    const [, use] = await firstReply(simulator);
    const loop = [user('x'), assistant([use]), user([result(use?.['id'])])];
    const refused = await ask(simulator, { ...on, messages: loop });
    expect(refused.body.error.message).toContain('Expected `thinking` or `redacted_thinking`, but found `tool_use`');
    expect((await ask(simulator, { messages: loop })).status).toBe(200);
    const finished = [...loop, assistant('done'), user('next')];
    expect((await ask(simulator, { ...on, messages: finished })).status).toBe(200);
  });
});

describe('bound thinking', () => {
  /** A conversation of three replies with thinking. */
  async function converse(): Promise<{ simulator: Simulator; messages: Json[] }> {
    const steps = ['one', 'two', 'three'].map((about) => step(thought(about), { kind: 'text', text: `said ${about}` }));
    const simulator = await start({
      brain: scripted([...steps, 'ok', 'ok']),
      bindsThinking: (model) => model === 'bound',
    });
    const messages: Json[] = [];
    for (const question of ['a', 'b', 'c']) {
      messages.push(user([text(question)]));
      const reply = await ask(simulator, { model: 'bound', system: 's', messages });
      messages.push(assistant(reply.body.content));
    }
    messages.push(user('d'));
    return { simulator, messages };
  }

  const again = async ({ simulator, messages }: Awaited<ReturnType<typeof converse>>, extra: Json = {}) =>
    ask(simulator, { model: 'bound', system: 's', messages, ...extra });
  const withoutThinking = (messages: Json[], indexes: number[]): Json[] =>
    messages.map((message, index) =>
      indexes.includes(index) ? assistant((message['content'] as Json[]).slice(1)) : message,
    );

  it('accepts the same prompt in another form', async () => {
    const { simulator, messages } = await converse();
    const moved = [user([text('a', { cache_control: { type: 'ephemeral' } })]), ...messages.slice(1)];
    expect((await again({ simulator, messages: moved })).status).toBe(200);
    expect(
      (await again({ simulator, messages: [user('a'), ...messages.slice(1)] }, { system: [text('s')] })).status,
    ).toBe(200);
  });

  it.each([
    ['an edited turn', (messages: Json[]) => [user('A'), ...messages.slice(1)], {}],
    ['a deleted turn', (messages: Json[]) => messages.slice(2), {}],
    ['middle thinking removed', (messages: Json[]) => withoutThinking(messages, [3]), {}],
    ['another system prompt', (messages: Json[]) => messages, { system: 't' }],
    ['another tool', (messages: Json[]) => messages, { tools: [{ name: 'a', input_schema: { type: 'object' } }] }],
  ])('refuses %s', async (_name, edit, extra) => {
    const { simulator, messages } = await converse();
    const answer = await again({ simulator, messages: edit(messages) }, extra);
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toContain('The block is bound to a different conversation');
  });

  it.each([
    ['leading', [1]],
    ['trailing', [5]],
    ['all', [1, 3, 5]],
  ])('accepts %s thinking removed', async (_name, indexes) => {
    const { simulator, messages } = await converse();
    expect((await again({ simulator, messages: withoutThinking(messages, indexes) })).status).toBe(200);
  });

  it('lets a mismatch through where the client asks for it', async () => {
    const { simulator, messages } = await converse();
    const thinking = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } };
    expect((await again({ simulator, messages: messages.slice(2) }, { thinking })).status).toBe(200);
  });

  it('does not bind other models', async () => {
    const { simulator, messages } = await converse();
    expect((await ask(simulator, { model: 'free', messages: messages.slice(2) })).status).toBe(200);
  });
});
