/** What the property tests broke once, each by the name of what broke. */
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../src/core/estimate.ts';
import { classic } from '../../src/core/policies/classic.ts';
import { snip } from '../../src/core/layers/snip.ts';
import type { WriterReply } from '../../src/core/summary/writer.ts';
import { verifyView } from '../../src/core/verify.ts';
import type { Turn } from '../../src/hub/turn.ts';
import { anthropicBuilder, wireBuilders } from '../../src/testing/wire-builder.ts';
import { messagesOf, TestSession, textsOf } from '../golden/session.ts';
import { anthropicFaults, openaiChatFaults } from '../properties/support/protocol.ts';
import { historyOf } from '../core/support.ts';

const tooLong = (requested = 13_000, limit = 12_000): Error =>
  Object.assign(new Error(`400 prompt is too long: ${requested} tokens > ${limit} maximum`), { status: 400 });
const stub = { name: 'stub', write: async () => ({ text: 'S', stop: 'end' as const }) };

describe.each(wireBuilders)('broken once, $name', (builder) => {
  const faultsOf = (turn: Turn<object, object>): readonly string[] =>
    (builder.name === 'anthropic' ? anthropicFaults : openaiChatFaults)(turn.request);
  const call = (...ids: string[]): object =>
    builder.assistant({ text: 'I will.', calls: ids.map((id) => ({ id, name: 'bash', input: {} })) });
  const results = (...ids: string[]): readonly object[] =>
    builder.results(ids.map((callId) => ({ callId, text: `result of ${callId}` })));

  it('undo while calls wait for their results', async () => {
    const session = new TestSession({ builder }).user('go').round('x'.repeat(400)).round('y').round('y').round('y');
    await session.send({ calls: [{ id: 'open', name: 'bash', input: {} }] });
    expect(await session.context.undo()).toBe(true);
    session.context.append(results('open'));
    expect(faultsOf(await session.prepare())).toEqual([]);
  });

  it('a result of a call id that a repair turned into text elsewhere in the message', async () => {
    const session = new TestSession({ builder }).user('go');
    session.context.append([call('a', 'a'), ...results('a')]);
    await session.send();
    const turn = await session.user('next').prepare();
    expect(faultsOf(turn)).toEqual([]);
    expect(JSON.stringify(turn.request)).toContain('result of a');
  });

  it('a result that comes after its round was summarised', async () => {
    const session = new TestSession({ builder, writer: stub }).talk(8, 900);
    session.context.append([call('late')]);
    session.context.compact();
    await session.send();
    session.context.append(results('late'));
    const turn = await session.prepare();
    expect(faultsOf(turn)).toEqual([]);
    expect(JSON.stringify(turn.request)).toContain('result left out');
  });

  it('a blank newest user message inside a summary', async () => {
    const session = new TestSession({ builder, writer: stub }).talk(8, 900).user(' \n');
    session.context.compact();
    expect(faultsOf(await session.prepare())).toEqual([]);
  });

  it('a summary up to the middle of an earlier range: nothing happens by halves', async () => {
    const session = new TestSession({ builder, writer: stub }).talk(20, 900);
    session.context.compact({ span: { upTo: 12 } });
    await session.send();
    session.context.compact({ span: { upTo: 7 } });
    const turn = await session.talk(2).prepare();
    await turn.accept(builder.reply({ text: 'ok' }));
    const edits = session.context.groups().flatMap((group) => ('edits' in group ? group.edits : []));
    expect(edits.map((edit) => edit.kind === 'range' && [edit.from, edit.to])).toEqual([[0, 12]]);
  });

  it('the answer behind a message of the host, taken by a snip that began there', async () => {
    const policy = { ...classic, layers: [snip({ maxMessages: 6, headMessages: 3 })] };
    const session = new TestSession({ builder, policy });
    session.context.append([
      builder.user('begin'),
      builder.user('rule, please'),
      builder.host('Be brief.'),
      builder.assistant({ text: 'a'.repeat(400) }),
    ]);
    const turn = await session.talk(10).prepare();
    expect(turn.receipt.layers.map(({ layer }) => layer)).toContain('snip');
    expect(faultsOf(turn)).toEqual([]);
    expect(JSON.stringify(turn.request)).toContain('a'.repeat(400));
  });

  it('messages that wait for an open turn, after a rewind', async () => {
    const session = new TestSession({ builder }).talk(4);
    await session.prepare();
    session.user('while it was open');
    session.context.rewind(2);
    await session.prepare();
    expect(session.context.history()).toHaveLength(2);
  });

  it('messages that wait for an open turn, before one appended after an undo', async () => {
    const session = new TestSession({ builder }).user('go').round('x'.repeat(400)).round('y').round('y').round('y');
    await session.send();
    await session.user('next').prepare();
    session.user('first');
    await session.context.undo();
    session.user('second');
    expect(
      session.context
        .history()
        .slice(-2)
        .map((message) => textsOf(message)[0]),
    ).toEqual(['first', 'second']);
  });

  it('our own last view handed back after a rewind', async () => {
    const session = new TestSession({ builder }).talk(10);
    const turn = await session.prepare();
    await turn.accept(builder.reply({ text: 'ok' }));
    session.context.rewind(0);
    const back = await session.context.prepare(builder.request(messagesOf(turn, builder)));
    expect(messagesOf(back, builder)).toHaveLength(10);
  });

  it('an older message of the user shortened for room, which a rewind makes the newest', async () => {
    const session = new TestSession({ builder, windowTokens: 12_000, maxOutputTokens: 1_000 })
      .user('begin')
      .assistant('ok')
      .user(`OLDER ${'word '.repeat(2_000)}`)
      .assistant('ok')
      .user('newest');
    const next = await (await session.prepare()).fail(tooLong());
    await next?.accept(builder.reply({ text: 'ok' }));
    session.context.rewind(3);
    expect(JSON.stringify(messagesOf(await session.prepare(), builder))).toContain(`OLDER ${'word '.repeat(2_000)}`);
  });

  it('a summary over a round that only the next message had ended, after a rewind to before it', async () => {
    const session = new TestSession({ builder, writer: stub }).talk(8, 900);
    session.context.append([call('a', 'b'), ...results('a').slice(0, 1), builder.assistant({ text: 'never mind' })]);
    session.context.append([builder.user('go on'), builder.assistant({ text: 'ok' })]);
    session.context.compact({ span: { upTo: 10 } });
    await session.send();
    session.context.rewind(10);
    session.context.append(results('b'));
    const turn = await session.prepare();
    await turn.accept(builder.reply({ text: 'ok' }));
    const history = historyOf(session.context.history().slice(0, -1), builder);
    const { entries, ...view } = session.context.view();
    expect(verifyView({ ...view, entries: entries.slice(0, -1) }, history)).toEqual([]);
  });

  it('a part shortened for room a second time, to the same text', async () => {
    const session = new TestSession({ builder, windowTokens: 12_000, maxOutputTokens: 1_000 })
      .user('go')
      .assistant('x'.repeat(90_000))
      .user('next');
    const next = await (await session.prepare()).fail(tooLong());
    await next?.accept(builder.reply({ text: 'ok' }));
    const edits = (): number =>
      session.context.groups().flatMap((group) => ('edits' in group ? group.edits : [])).length;
    const before = edits();
    await session.user('and').send();
    expect(edits()).toBe(before);
  });

  it('a reply cut for want of room in a small conversation does not end the session', async () => {
    const session = new TestSession({ builder }).user('hello');
    const reply =
      builder.name === 'anthropic'
        ? { content: [{ type: 'text', text: 'hi' }], stop_reason: 'model_context_window_exceeded' }
        : {
            choices: [
              { message: { role: 'assistant', content: 'hi' }, finish_reason: 'model_context_window_exceeded' },
            ],
          };
    await (await session.prepare()).accept(reply);
    await expect(session.user('next').send()).resolves.toMatchObject({ v: 1 });
  });

  it('an overflow of a text that JSON makes much longer', async () => {
    const session = new TestSession({ builder, windowTokens: 8_000, maxOutputTokens: 1_000 })
      .user('before')
      .user('before\u0000after\u0001\u001f'.repeat(800));
    let turn: Turn<object, object> | undefined = await session.prepare();
    for (let size = Infinity; turn !== undefined && size > 8_000; ) {
      size = Math.ceil(JSON.stringify(turn.request).length / 3);
      if (size > 8_000) turn = await turn.fail(tooLong(size, 8_000));
    }
    expect(turn).toBeDefined();
  });

  it('compact asked for while a turn is open is carried out by the next one', async () => {
    const session = new TestSession({ builder, writer: stub }).talk(8, 900);
    const turn = await session.prepare();
    session.context.compact();
    await turn.accept(builder.reply({ text: 'ok' }));
    expect((await session.user('next').prepare()).receipt.cause).toBe('manual');
  });

  it('a rewind while a model writes a summary', async () => {
    let answer: ((reply: WriterReply) => void) | undefined;
    const slow = (): Promise<WriterReply> => new Promise((resolve) => void (answer = resolve));
    const writer = { name: 'slow', write: () => (answer === undefined ? slow() : stub.write()) };
    const session = new TestSession({ builder, writer }).talk(8, 900);
    session.context.compact();
    const preparing = session.prepare();
    await new Promise((resolve) => setTimeout(resolve, 1));
    session.context.rewind(2);
    answer?.({ text: 'S', stop: 'end' });
    await expect(preparing).rejects.toMatchObject({ code: 'TURN_SETTLED' });
    expect(session.context.history()).toHaveLength(2);
    expect(messagesOf(await session.prepare(), builder)).toHaveLength(1);
  });

  it('an abort before the model is asked: it is not asked, and no rejection is left over', async () => {
    let calls = 0;
    const write = (_: unknown, signal?: AbortSignal): Promise<WriterReply> => {
      calls += 1;
      return Promise.reject(signal?.reason as Error);
    };
    const session = new TestSession({ builder, writer: { name: 'counting', write } }).talk(8, 900);
    session.context.compact();
    const leftOver: unknown[] = [];
    const note = (reason: unknown): void => void leftOver.push(reason);
    process.on('unhandledRejection', note);
    const request = builder.request([], { toolNames: ['recall'] });
    await expect(session.context.prepare(request, { signal: AbortSignal.abort() })).rejects.toThrow('aborted');
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.off('unhandledRejection', note);
    expect({ calls, leftOver }).toEqual({ calls: 0, leftOver: [] });
  });

  it('a report about another branch', async () => {
    const session = new TestSession({ builder, policy: { ...classic, count: estimateTokens } }).talk(6);
    await (await session.prepare()).accept(builder.reply({ text: 'ok', usageTokens: 3_000 }));
    session.context.rewind(2);
    expect(session.context.snapshot().meter.anchor).toBeUndefined();
  });

  it('a newest message of text over its share and a picture: the picture stays a picture', async () => {
    const session = new TestSession({ builder, windowTokens: 12_000, writer: stub, maxOutputTokens: 1_000 }).talk(4);
    session.context.append([builder.user('word '.repeat(6_000), 'aGVsbG8=')]);
    session.context.compact();
    const carried = JSON.stringify(messagesOf(await session.prepare(), builder).at(-1));
    expect(carried).toContain(
      builder.name === 'anthropic'
        ? '"media_type":"image/png","data":"aGVsbG8="'
        : '"url":"data:image/png;base64,aGVsbG8="',
    );
  });
});

describe('broken once, Anthropic', () => {
  it('search results, documents and pictures in a result come back from a range', async () => {
    const session = new TestSession({ writer: stub }).talk(6, 900);
    const { builder } = session;
    const content = [{ type: 'search_result', source: 's', title: 'T', content: [{ type: 'text', text: 'FOUND IT' }] }];
    session.context.append([
      builder.assistant({
        calls: [
          { id: 'c', name: 'x', input: {} },
          { id: 'd', name: 'x', input: {} },
        ],
      }),
      ...builder.results([
        { callId: 'c', text: '', content },
        { callId: 'd', text: '', content: builder.kinds.result['image-only']?.('') },
      ]),
    ]);
    session.context.compact();
    const address = /h_[0-9a-f_-]+/.exec(JSON.stringify((await session.prepare()).request))?.[0] ?? '';
    const recalled = await session.context.recall(address);
    expect(recalled).toMatchObject({ kind: 'content', text: expect.stringContaining('FOUND IT') });
    expect(JSON.stringify(recalled)).toContain('iVBORw0KGgo');
  });
});

it('results of one batch in two messages, the first with words of the user: the words stood between the results', async () => {
  const session = new TestSession().user('Run both.');
  session.context.append([
    anthropicBuilder.assistant({ calls: ['a', 'b'].map((id) => ({ id, name: 'bash', input: {} })) }),
    ...anthropicBuilder.results([{ callId: 'a', text: 'one' }], 'Please stop.'),
    ...anthropicBuilder.results([{ callId: 'b', text: 'two' }]),
  ]);
  const turn = await session.prepare();
  expect(anthropicFaults(turn.request)).toEqual([]);
  const blocks = messagesOf(turn)
    .slice(2)
    .flatMap((message) => (message as { content: readonly { type: string }[] }).content);
  expect(blocks.map(({ type }) => type)).toEqual(['tool_result', 'tool_result', 'text']);
});
