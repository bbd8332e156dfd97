/** What reviewers and an adversary broke once, each by the name of what broke. */
import { describe, expect, it, vi } from 'vitest';
import type { Archive } from '../../src/core/archive.ts';
import type { Writer, WriterReply } from '../../src/core/summary/writer.ts';
import { anthropic } from '../../src/codecs/anthropic.ts';
import { createContext } from '../../src/context.ts';
import { anthropicBuilder, openaiChatBuilder, wireBuilders } from '../../src/testing/wire-builder.ts';
import { messagesOf, TestSession } from '../golden/session.ts';
import { memoryArchive } from '../properties/support/doubles.ts';

function writerOf(
  write: (prompt: string) => Promise<WriterReply> | WriterReply,
): Writer & { readonly prompts: string[] } {
  const prompts: string[] = [];
  return {
    name: 'stub',
    prompts,
    write: async ({ prompt }) => {
      prompts.push(prompt);
      return write(prompt);
    },
  };
}

const good = (): WriterReply => ({ text: 'THE SUMMARY', stop: 'end' });
const error = (status: number, message: string): Error => Object.assign(new Error(`${status} ${message}`), { status });

describe.each(wireBuilders)('found in review, $name', (builder) => {
  it('a summary that was undone was made again by the next prepare', async () => {
    const session = new TestSession({
      builder,
      windowTokens: 20_000,
      maxOutputTokens: 1_000,
      writer: writerOf(good),
    }).talk(41, 1_720);
    expect((await session.send()).cause).toBe('threshold');
    expect(await session.context.undo()).toBe(true);
    expect((await session.prepare()).receipt.layers).toEqual([]);
  });

  it('messages appended while a snapshot was restored were lost', async () => {
    const session = new TestSession({ builder }).user('one');
    await session.send();
    const next = new TestSession({ builder });
    const restored = next.context.restore(session.context.snapshot(), session.context.history());
    next.user('two');
    await restored;
    expect(next.context.history()).toHaveLength(3);
  });

  it('every unsettled prepare paid for another summary and sent other bytes', async () => {
    let n = 0;
    const writer = writerOf(() => ({ text: `summary ${(n += 1)}`, stop: n === 1 ? 'cap' : 'end' }));
    const session = new TestSession({ builder, windowTokens: 20_000, writer }).talk(41, 1_720);
    const first = await session.prepare();
    const second = await session.prepare();
    expect(JSON.stringify(second.request)).toBe(JSON.stringify(first.request));
    expect(writer.prompts).toHaveLength(2);
  });

  it('a summary request that was too long was sent again with a longer prompt', async () => {
    const writer = writerOf(() => {
      throw error(400, 'prompt is too long: 21346 tokens > 20000 maximum');
    });
    await new TestSession({ builder, windowTokens: 20_000, writer }).talk(41, 1_720).prepare();
    expect(writer.prompts).toHaveLength(2);
    expect(writer.prompts[1]?.length).toBeLessThan((writer.prompts[0]?.length ?? 0) * 0.7);
  });

  it('a provider without room now counted as a failed summary', async () => {
    const writer = writerOf(() => {
      throw error(529, 'overloaded');
    });
    const session = new TestSession({ builder, windowTokens: 20_000, writer }).talk(41, 1_720);
    await session.prepare();
    expect(writer.prompts).toHaveLength(1);
    expect(session.context.snapshot().breaker.failures).toBe(0);
  });

  it('a writer that never answers held the context after an abort', async () => {
    const writer: Writer = { name: 'hangs', write: () => new Promise(() => undefined) };
    const session = new TestSession({ builder, windowTokens: 20_000, writer }).talk(41, 1_720);
    const abort = new AbortController();
    const prepared = session.context.prepare(builder.request([]), { signal: abort.signal });
    abort.abort();
    await expect(prepared).rejects.toMatchObject({ name: 'AbortError' });
    expect(await session.context.undo()).toBe(false);
  });

  it('an archive that never answers held the context after an abort', async () => {
    const archive: Archive = { ...memoryArchive(), put: () => new Promise(() => undefined) };
    const session = new TestSession({ builder, archive })
      .user('go')
      .round('a'.repeat(300))
      .round('b')
      .round('c')
      .round('d');
    const abort = new AbortController();
    const prepared = session.context.prepare(builder.request([], { toolNames: ['recall'] }), { signal: abort.signal });
    setTimeout(() => abort.abort(), 10);
    await expect(prepared).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('too many pictures were answered with a summary', async () => {
    const session = new TestSession({ builder, writer: writerOf(good) }).talk(9, 900);
    const turn = await session.prepare();
    expect(await turn.fail(error(400, 'messages.0.content.1: too many images: 101 > 100 maximum'))).toBeUndefined();
    expect((await session.prepare()).receipt.layers).toEqual([]);
  });

  it('prompt and output cap together too long: the history was compacted, not the cap lowered', async () => {
    const session = new TestSession({ builder, maxOutputTokens: 64_000 }).talk(9, 900);
    const turn = await session.prepare();
    const text =
      'input length and `max_tokens` exceed context limit: 150000 + 64000 > 200000, decrease input length or `max_tokens` and try again';
    const next = await turn.fail(error(400, text));
    expect(next?.receipt.layers).toEqual([]);
    const { max_tokens: old, max_completion_tokens: cap } = (next?.request ?? {}) as {
      max_tokens?: number;
      max_completion_tokens?: number;
    };
    expect(old ?? cap).toBe(46_000);
  });

  it('small pictures looked like a cut prompt', async () => {
    const session = new TestSession({ builder, writer: writerOf(good) });
    session.context.append([builder.user('icon', 'AA=='), builder.user('icon', 'AA=='), builder.user('icon', 'AA==')]);
    await session.send({ text: 'three icons', usageTokens: 600 });
    session.user('and now?');
    expect((await session.prepare()).receipt.layers).toEqual([]);
  });

  it('a report that lies forced a paid summary on almost every turn', async () => {
    const writer = writerOf(good);
    const session = new TestSession({ builder, writer }).talk(41, 2_000);
    for (let i = 0; i < 8; i += 1) {
      await session.send({ text: 'ok', usageTokens: 900 });
      session.user(`and ${i}? ${'more words '.repeat(400)}`);
    }
    expect(writer.prompts.length).toBeLessThanOrEqual(1);
  });

  it('system and tools over the threshold bought a summary on every turn', async () => {
    const writer = writerOf(good);
    const context = createContext<object, object>({
      codec: builder.codec,
      archive: memoryArchive(),
      writer,
      windowTokens: 8_000,
    });
    for (let i = 0; i < 12; i += 1) {
      context.append([builder.user(`${i} ${'word '.repeat(60)}`)]);
      const turn = await context.prepare(builder.request([], { system: 'rule '.repeat(5_300), toolNames: ['recall'] }));
      await turn.accept(builder.reply({ text: 'ok' }));
    }
    expect(writer.prompts).toEqual([]);
  });

  it('a side request that was prepared and dropped took the summary with it', async () => {
    const writer = writerOf(good);
    const context = createContext<object, object>({
      codec: builder.codec,
      archive: memoryArchive(),
      writer,
      windowTokens: 20_000,
    });
    const messages = Array.from({ length: 41 }, (_, i) =>
      i % 2 === 0 ? builder.user('w'.repeat(1_720)) : builder.assistant({ text: 'w'.repeat(1_720) }),
    );
    const turn = await context.prepare(builder.request(messages));
    await turn.accept(builder.reply({ text: 'ok' }));
    const groups = context.groups().length;
    await context.prepare(builder.request([builder.user('Give this chat a title.')]));
    const again = await context.prepare(
      builder.request([...messages, builder.assistant({ text: 'ok' }), builder.user('go on')]),
    );
    expect(context.groups()).toHaveLength(groups);
    expect(again.receipt.tokens.view).toBeLessThan(2_000);
    expect(writer.prompts).toHaveLength(1);
  });

  it('a listener that throws rejected an accept that had happened', async () => {
    const session = new TestSession({
      builder,
      onEvent: ({ type }) => {
        if (type === 'turn-accept') throw new Error('listener');
      },
    }).user('go');
    const surfaced = new Promise((resolve) => process.once('uncaughtException', resolve));
    const before = process.listeners('uncaughtException').slice(0, -1);
    for (const listener of before) process.off('uncaughtException', listener as () => void);
    await expect(session.send()).resolves.toMatchObject({ v: 1 });
    await expect(surfaced).resolves.toMatchObject({ message: 'listener' });
    for (const listener of before) process.on('uncaughtException', listener as () => void);
  });

  it('a search cut a character in half', async () => {
    const session = new TestSession({ builder })
      .user('go')
      .round(`${'😀'.repeat(300)}NEEDLE`)
      .round('b')
      .round('c')
      .round('d');
    await session.send();
    const found = session.context.search('NEEDLE');
    expect(found.kind === 'hits' && found.hits.every(({ excerpt }) => excerpt.isWellFormed())).toBe(true);
  });

  it('a damaged item of the archive could not be recalled although the history has it', async () => {
    const inner = memoryArchive();
    const archive: Archive = { ...inner, get: vi.fn().mockResolvedValue('LIE') };
    const session = new TestSession({ builder, archive })
      .user('go')
      .round('a'.repeat(300))
      .round('b')
      .round('c')
      .round('d');
    await session.send();
    const address = /c_[0-9a-f]{16}/.exec(JSON.stringify(session.context.groups()))?.[0] ?? '';
    expect(await session.context.recall(address)).toMatchObject({ text: 'a'.repeat(300) });
  });
});

it('a reply that cannot be read was half committed', async () => {
  const session = new TestSession().user('go').round('a'.repeat(300)).round('b').round('c').round('d');
  const turn = await session.prepare();
  await expect(turn.accept({ content: [{ no: 'type' }] } as object)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  expect(session.context.groups()).toEqual([]);
  await expect(turn.accept(anthropicBuilder.reply({ text: 'ok' }))).resolves.toMatchObject({ epochId: 1 });
});

it('breakpoints a caller moves along piled up over the four a request may have', async () => {
  const context = createContext({ codec: anthropic(), archive: memoryArchive() });
  const messages: { role: string; content: object[] }[] = [];
  for (let i = 0; i < 8; i += 1) {
    messages.push({ role: 'user', content: [{ type: 'text', text: `question ${i}` }] });
    const marked = messages.map((message, j) =>
      j < messages.length - 1
        ? message
        : { ...message, content: [{ ...message.content[0], cache_control: { type: 'ephemeral' } }] },
    );
    const turn = await context.prepare({ model: 'm', max_tokens: 100, system: 'S', messages: marked });
    expect(JSON.stringify(turn.request).split('cache_control').length - 1).toBeLessThanOrEqual(4);
    const reply = { content: [{ type: 'text', text: `answer ${i}` }] };
    await turn.accept(reply);
    messages.push({ role: 'assistant', content: reply.content });
  }
});

it('a breakpoint of five minutes was put in front of a caller’s of one hour', async () => {
  const context = createContext({ codec: anthropic(), archive: memoryArchive() });
  const content = [{ type: 'text', text: 'hello', cache_control: { type: 'ephemeral', ttl: '1h' } }];
  const turn = await context.prepare({
    model: 'm',
    max_tokens: 100,
    system: 'S',
    messages: [{ role: 'user', content }],
  });
  const marks = JSON.stringify(turn.request).match(/"cache_control":\{[^}]*\}/g) ?? [];
  expect(marks.length).toBeGreaterThan(0);
  for (const mark of marks) expect(mark).toContain('"ttl":"1h"');
});

it('results in front of which the caller put text were sent in that order', async () => {
  const context = createContext({ codec: anthropic(), archive: memoryArchive() });
  const messages = [
    { role: 'user', content: 'go' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'bash', input: {} }] },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'by the way' },
        { type: 'tool_result', tool_use_id: 'a', content: 'ok' },
      ],
    },
  ];
  const turn = await context.prepare({ model: 'm', max_tokens: 100, messages });
  const { content } = turn.request.messages[2] as unknown as { content: { type: string }[] };
  expect(content.map(({ type }) => type)).toEqual(['tool_result', 'text']);
});

it('calls a server numbers anew in each reply were left out', async () => {
  const session = new TestSession({ builder: openaiChatBuilder }).user('go');
  for (let i = 0; i < 2; i += 1) {
    const calls = [{ id: 'call_0', name: 'bash', input: { step: i } }];
    session.context.append([
      openaiChatBuilder.assistant({ calls }),
      ...openaiChatBuilder.results([{ callId: 'call_0', text: `result ${i}` }]),
    ]);
  }
  const sent = JSON.stringify(messagesOf(await session.prepare(), openaiChatBuilder));
  expect(sent).toContain('result 0');
  expect(sent).toContain('result 1');
  expect(sent).not.toContain('left out');
});

it('a reply at its limit without a cap of its own looked like a full window', async () => {
  const context = createContext<object, object>({ codec: openaiChatBuilder.codec, archive: memoryArchive() });
  const request = { model: 'm', messages: [openaiChatBuilder.user('word '.repeat(400))] };
  const turn = await context.prepare(request);
  const choices = [{ message: { role: 'assistant', content: 'long' }, finish_reason: 'length' }];
  await turn.accept({ choices, usage: { prompt_tokens: 410, completion_tokens: 1_024 } });
  const next = await context.prepare({ ...request, messages: [] });
  expect(next.receipt.cause).toBeUndefined();
});

it('room asked for by one model was made for another', async () => {
  const context = createContext<object, object>({
    codec: anthropicBuilder.codec,
    archive: memoryArchive(),
    windowTokens: (model) => (model === 'small' ? 8_000 : 1_000_000),
  });
  const messages = [anthropicBuilder.user('word '.repeat(3_000))];
  const turn = await context.prepare({ model: 'small', max_tokens: 500, messages });
  await turn.accept({ content: [{ type: 'text', text: 'half' }], stop_reason: 'model_context_window_exceeded' });
  const next = await context.prepare({ model: 'big', max_tokens: 500, messages: [] });
  expect(next.receipt.layers).toEqual([]);
});
