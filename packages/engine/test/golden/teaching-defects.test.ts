/** The defects of the teaching version that concern the engine, each by its number in the list of them, as a test it would fail. */
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../src/core/estimate.ts';
import { classic } from '../../src/core/policies/classic.ts';
import type { WriterRequest } from '../../src/core/summary/writer.ts';
import type { Turn } from '../../src/hub/turn.ts';
import { anthropicBuilder, openaiChatBuilder, wireBuilders } from '../../src/testing/wire-builder.ts';
import { memoryArchive } from '../properties/support/doubles.ts';
import { anthropicFaults, openaiChatFaults } from '../properties/support/protocol.ts';
import { messagesOf, TestSession, textsOf } from './session.ts';

const tooLong = Object.assign(new Error('400 prompt is too long: 210000 tokens > 200000 maximum'), { status: 400 });
const faultsOf = (turn: Turn<object, object>, name: string): readonly string[] => (name === 'anthropic' ? anthropicFaults : openaiChatFaults)(turn.request);
const stub = { name: 'stub', write: async () => ({ text: 'THE SUMMARY', stop: 'end' as const }) };

function recorder(): { requests: WriterRequest[]; name: string; write(request: WriterRequest): Promise<{ text: string; stop: 'end' }> } {
  const requests: WriterRequest[] = [];
  return {
    requests,
    name: 'recorder',
    write: async (request) => {
      requests.push(request);
      return { text: 'THE SUMMARY', stop: 'end' };
    },
  };
}

describe.each(wireBuilders)('teaching defects, $name', (builder) => {
  it('1: the result of a compact tool never stands without its call after the summary', async () => {
    const session = new TestSession({ builder, writer: stub }).talk(6);
    const turn = await session.prepare();
    // The model calls compact; the tool asks for a summary before its own result is in.
    await turn.accept(builder.reply({ calls: [{ id: 'c1', name: 'compact', input: {} }] }));
    session.context.compact();
    session.context.append(builder.results([{ callId: 'c1', text: '[Compacted. History summarized.]' }]));
    expect(faultsOf(await session.prepare(), builder.name)).toEqual([]);
  });

  it('1: a summary asked for while a call waits leaves the round whole', async () => {
    const session = new TestSession({ builder, writer: stub }).talk(6, 2_000);
    const turn = await session.prepare();
    await turn.accept(builder.reply({ calls: [{ id: 'c1', name: 'bash', input: {} }] }));
    session.context.compact();
    const early = await session.prepare();
    expect(faultsOf(early, builder.name)).toEqual([]);
    await early.accept(builder.reply({ text: 'And now?' }));
    session.context.append(builder.results([{ callId: 'c1', text: 'late' }]));
    const late = await session.prepare();
    expect(faultsOf(late, builder.name)).toEqual([]);
    expect(JSON.stringify(late.request)).toContain('result left out');
  });

  it('3: what snip, micro, budget and summary take out comes back byte for byte', async () => {
    const archive = memoryArchive();
    const session = new TestSession({ builder, archive, windowTokens: 16_000, writer: stub }).user('go');
    const texts = Array.from({ length: 40 }, (_, index) => `result ${index} \u0000 $& \ud83d ${'x'.repeat(index === 20 ? 30_000 : 300)}`);
    for (const text of texts) {
      session.round(text);
      if (text === texts[30]) session.context.compact();
      await session.send({ text: `step ${text.length}` });
    }
    const addresses = session.context.groups().flatMap((group) => ('edits' in group ? group.edits.flatMap((edit) => edit.addresses) : []));
    const recalled = await Promise.all(addresses.map((address) => session.context.recall(address)));
    const all = recalled.map((one) => (one.kind === 'content' ? one.text : '')).join('\n');
    const edits = session.context.groups().flatMap((group) => ('edits' in group ? group.edits.map((edit) => edit.layer) : []));
    expect([...new Set(edits)].sort()).toEqual(['budget', 'micro', 'snip', 'summary']);
    const inView = JSON.stringify(messagesOf(await session.prepare(), builder));
    for (const text of texts) expect(all.includes(text) || inView.includes(JSON.stringify(text).slice(1, -1))).toBe(true);
  });

  it('4: the newest work is in what the writer is given, the middle gives way', async () => {
    const writer = recorder();
    const session = new TestSession({ builder, writer, policy: { ...classic, layers: [] } }).user('THE FIRST WORDS');
    for (let i = 0; i < 100; i += 1) session.round(`result number ${i} ${'x'.repeat(2_000)}`);
    session.assistant('THE NEWEST WORK');
    session.context.compact();
    await session.prepare();
    const prompt = writer.requests[0]?.prompt ?? '';
    expect(prompt.length).toBeLessThan(85_000);
    expect(prompt).toContain('THE FIRST WORDS');
    expect(prompt).toContain('THE NEWEST WORK');
    expect(prompt).toContain('result number 99');
    expect(prompt).not.toContain('result number 50');
  });

  it('6: system, tools, pictures and reasoning count', async () => {
    const size = async (change: (session: TestSession) => object): Promise<number> => {
      const session = new TestSession({ builder }).user('hello');
      const turn = await session.context.prepare(change(session));
      return turn.receipt.tokens.calibrated;
    };
    const plain = await size(() => builder.request([]));
    expect(await size(() => builder.request([], { system: 'rule '.repeat(400) }))).toBeGreaterThan(plain + 300);
    expect(await size(() => builder.request([], { toolNames: ['recall', 'a', 'b', 'c'] }))).toBeGreaterThan(plain + 20);
    const added = async (message: object): Promise<number> => {
      const session = new TestSession({ builder }).user('hello');
      session.context.append([message]);
      return (await session.prepare()).receipt.tokens.view;
    };
    const base = await added(builder.user('look'));
    expect(await added(builder.user('look', 'aGVsbG8='))).toBe(base + 1_600);
    expect(await added(builder.assistant({ text: 'look', thought: 'think '.repeat(400) }))).toBeGreaterThan(base + 500);
  });

  it('7: transcripts and addresses of different content never share a name', async () => {
    const named: string[] = [];
    const archive = memoryArchive();
    const session = new TestSession({ builder, archive, windowTokens: 4_000, writer: stub, transcript: async (_, address) => void named.push(address), maxOutputTokens: 1_000 }).user('go');
    for (let i = 0; i < 30; i += 1) {
      session.round(`${i} ${'x'.repeat(3_000)}`);
      await session.send({ text: `step ${i}` });
    }
    expect(named.length).toBeGreaterThan(1);
    expect(new Set(named).size).toBe(named.length);
    const texts = [...archive.texts.values()];
    expect(new Set(texts).size).toBe(texts.length);
  });

  it('8: the same session a day later sends the same bytes', async () => {
    const run = async (): Promise<string> => {
      const session = new TestSession({ builder, windowTokens: 8_000, writer: stub, maxOutputTokens: 1_000 }).talk(60, 900);
      return JSON.stringify((await session.prepare()).request);
    };
    const realNow = Date.now;
    const first = await run();
    try {
      Date.now = () => realNow() + 86_400_000;
      expect(await run()).toBe(first);
    } finally {
      Date.now = realNow;
    }
  });

  it('8: an accepted turn gives the next one its retries back', async () => {
    const session = new TestSession({ builder, writer: stub }).talk(40, 1_500);
    const first = (await (await session.prepare()).fail(tooLong)) as Turn<object, object>;
    await first.accept(builder.reply({ text: 'ok' }));
    for (let i = 0; i < 4; i += 1) await session.user('more '.repeat(300)).send({ text: 'more '.repeat(300) });
    const again = await (await session.talk(20, 1_500).prepare()).fail(tooLong);
    expect(again?.receipt.cause).toBe('overflow');
  });

  it('10: pictures and documents pass through untouched and are carried with the newest user message', async () => {
    const session = new TestSession({ builder, writer: stub }).talk(10, 1_000);
    const picture = builder.user('LOOK AT THIS', 'aGVsbG8=');
    session.context.append([picture]);
    session.context.compact();
    const messages = messagesOf(await session.prepare(), builder);
    const carried = (picture as { content: readonly object[] }).content;
    expect((messages.at(-1) as { content: readonly object[] }).content.slice(-2).map(withoutCache)).toEqual(carried);
  });

  it('10: a session goes on after a restart as if there had been none', async () => {
    const archive = memoryArchive();
    const options = { builder, archive, windowTokens: 8_000, writer: stub, maxOutputTokens: 1_000 };
    const session = new TestSession(options).user('go');
    for (let i = 0; i < 20; i += 1) {
      session.round(`${i} ${'x'.repeat(1_500)}`);
      await session.send({ text: `step ${i}` });
    }
    const after = new TestSession(options);
    await after.context.restore(JSON.parse(JSON.stringify(session.context.snapshot())), JSON.parse(JSON.stringify(session.context.history())) as object[]);
    const [one, other] = [await session.user('next').prepare(), await after.user('next').prepare()];
    // A new process does not know what the provider's cache holds: only the breakpoints may differ.
    const [before, now] = [one, other].map((turn) => JSON.stringify(messagesOf(turn, builder).map(builder.codec.canonical)));
    expect(now === before).toBe(true);
  });
});

describe('teaching defects, one wire format', () => {
  it('2: every call of a batch with a compact call in it keeps its result', async () => {
    const session = new TestSession({ writer: stub }).talk(4);
    const calls = ['c1', 'c2', 'c3'].map((id) => ({ id, name: id === 'c2' ? 'compact' : 'bash', input: {} }));
    await (await session.prepare()).accept(anthropicBuilder.reply({ calls }));
    session.context.append(anthropicBuilder.results(calls.map(({ id }) => ({ callId: id, text: `result of ${id}` }))));
    session.context.compact({ span: { upTo: session.context.history().length } });
    const turn = await session.prepare();
    expect(anthropicFaults(turn.request)).toEqual([]);
    const text = JSON.stringify(await session.context.recall((session.context.groups().length === 0 ? addressIn(turn) : '') || addressIn(turn)).catch(() => '')) + JSON.stringify(turn.request);
    for (const { id } of calls) expect(text).toContain(`result of ${id}`);
  });

  it('6: by an estimate that knows text, not characters / 4', () => {
    expect(estimateTokens('日本語のテキスト')).toBeGreaterThan('日本語のテキスト'.length / 4);
  });

  it('10: thinking blocks stay whole and in place, or go with their message', async () => {
    const session = new TestSession({ windowTokens: 8_000, maxOutputTokens: 1_000, reasoningBinding: () => 'none' }).user('go');
    for (let i = 0; i < 20; i += 1) {
      session.context.append([anthropicBuilder.assistant({ thought: `thought ${i}`, calls: [{ id: `c${i}`, name: 'bash', input: {} }] }), ...anthropicBuilder.results([{ callId: `c${i}`, text: 'x'.repeat(900) }])]);
      const turn = await session.prepare();
      for (const message of messagesOf(turn)) {
        const blocks = (message as { role: string; content: readonly { type: string; thinking?: string }[] | string }).content;
        if (typeof blocks === 'string' || (message as { role: string }).role !== 'assistant') continue;
        expect(blocks[0]?.type).toBe('thinking');
        expect(blocks[0]?.thinking).toMatch(/^thought \d+$/);
      }
      await turn.accept(anthropicBuilder.reply({ thought: `after ${i}`.replace('after', 'thought'), text: `done ${i}` }));
    }
    expect(session.context.groups().length).toBeGreaterThan(0);
  });

  it('10: reasoning of the OpenAI family is kept beside its calls', async () => {
    const session = new TestSession({ builder: openaiChatBuilder }).user('go');
    session.context.append([openaiChatBuilder.assistant({ thought: 'because', calls: [{ id: 'c1', name: 'bash', input: {} }] }), ...openaiChatBuilder.results([{ callId: 'c1', text: 'x'.repeat(900) }])]);
    expect(JSON.stringify((await session.prepare()).request)).toContain('"reasoning_content":"because"');
  });
});

function withoutCache(block: object): object {
  const { cache_control: _, ...rest } = block as Record<string, unknown>;
  return rest;
}

function addressIn(turn: Turn<object, object>): string {
  return /[ch]_[0-9a-f_-]*_?[0-9a-f]{16}/.exec(messagesOf(turn).flatMap(textsOf).join('\n'))?.[0] ?? '';
}
