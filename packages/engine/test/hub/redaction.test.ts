/** Secrets leave at exits; with `redact: 'arrival'` they never arrive. */
import { describe, expect, it } from 'vitest';
import type { Wire } from '../../src/core/entry.ts';
import { redactMessage } from '../../src/providers/redact-message.ts';
import { RECEIPT_SCHEMA } from '../../src/core/receipt.ts';
import { wireBuilders } from '../../src/testing/wire-builder.ts';
import { messagesOf, TestSession } from '../golden/session.ts';

/** Put together here, so that no scanner takes this file for a leak. */
const KEY = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
const GONE = '[redacted: github token]';

describe.each(wireBuilders)('redaction, $name', (builder) => {
  const arrival = { builder, redact: 'arrival' as const };

  it('a foreign writer is shown no secret, one of the same provider all', async () => {
    for (const isForeign of [true, false]) {
      const shown: string[] = [];
      const writer = {
        name: 'other',
        isForeign,
        async write({ prompt }: { prompt: string }) {
          shown.push(prompt);
          return { text: 'THE SUMMARY', stop: 'end' as const };
        },
      };
      const session = new TestSession({ builder, writer }).user(`use ${KEY}`).talk(9, 900);
      session.context.compact();
      const receipt = await (await session.prepare()).keep();
      expect(receipt.summary?.writer).toBe('other');
      expect(shown.join().includes(KEY)).toBe(!isForeign);
      expect(shown.join().includes(GONE)).toBe(isForeign);
      expect(JSON.stringify(session.context.history())).toContain(KEY);
    }
  });

  it('on arrival replaces words and results before they are kept, and leaves other messages the objects they are', async () => {
    const session = new TestSession(arrival);
    const plain = builder.user('nothing to hide');
    session.context.append([plain, builder.user(`use ${KEY}`)]);
    session.round(`TOKEN=${KEY}`);
    const turn = await session.prepare();
    expect(JSON.stringify(turn.request)).not.toContain(KEY);
    expect(JSON.stringify(turn.request).split(GONE)).toHaveLength(3);
    expect(turn.receipt.redacted).toBe(2);
    expect(session.context.history()[0]).toBe(plain);
    expect(JSON.stringify(session.context.history())).not.toContain(KEY);
    expect(messagesOf(turn, builder)[0]).toBe(plain);
    await turn.accept(builder.reply({ text: 'Done.' }));
    expect((await session.user('more').prepare()).receipt.redacted).toBe(0);
    const address = session.context.search('use');
    expect(JSON.stringify(address)).not.toContain(KEY);
  });

  it('on arrival leaves what the model said alone', async () => {
    const session = new TestSession(arrival).user('go').assistant(`it is ${KEY}`).user('and?');
    expect(JSON.stringify((await session.prepare()).request)).toContain(KEY);
  });

  it('on arrival knows an array that is handed in again, parsed anew or as sent', async () => {
    const session = new TestSession(arrival);
    const messages: Wire[] = [builder.user(`use ${KEY}`)];
    const request = (): object => builder.request(messages, { toolNames: ['bash', 'recall'], maxOutputTokens: 8_000 });
    for (let i = 0; i < 6; i += 1) {
      const turn = await session.context.prepare(request());
      expect(turn.receipt.cache.sharedEntries).toBe(i === 0 ? 0 : i * 2 - 1);
      const reply = builder.reply({ text: `Done ${i}.` });
      await turn.accept(reply);
      messages.push(builder.codec.reply(reply).message as Wire, builder.user(`again ${i} ${KEY}`));
      if (i % 2 === 1) messages.splice(0, messages.length, ...(JSON.parse(JSON.stringify(messages)) as Wire[]));
    }
    const turn = await session.context.prepare(request());
    const own = [...messagesOf(turn, builder)];
    expect(own).toHaveLength(13);
    const back = builder.request([...own, builder.assistant({ text: 'ok' }), builder.user('next')], {
      toolNames: ['bash', 'recall'],
      maxOutputTokens: 8_000,
    });
    await turn.accept(builder.reply({ text: 'ok' }));
    const next = await session.context.prepare(back);
    expect(next.receipt.cache.sharedEntries).toBe(13);
    expect(session.context.groups()).toEqual([]);
  });

  it('on arrival finds a message that was changed in place', async () => {
    const session = new TestSession(arrival);
    const message = { ...builder.user('first') } as { content: unknown };
    const request = builder.request([message], { toolNames: ['bash', 'recall'], maxOutputTokens: 8_000 });
    await session.context.prepare(request);
    message.content = `changed, ${KEY}`;
    const turn = await session.context.prepare(request);
    expect(JSON.stringify(turn.request)).toContain(`changed, ${GONE}`);
    expect(JSON.stringify(turn.request)).not.toContain(KEY);
  });

  it('on arrival takes them out of notes, pins, state and summaries', async () => {
    const writer = { name: 'w', write: async () => ({ text: `said ${KEY}`, stop: 'end' as const }) };
    const state = async (): Promise<{ name: string; text: string; maxTokens: number; rank: number }[]> => [
      { name: 'plan', text: `with ${KEY}`, maxTokens: 100, rank: 1 },
    ];
    const session = new TestSession({ ...arrival, writer, state }).talk(9, 4_000);
    session.context.attach(`note ${KEY}`);
    session.context.pin(`pin ${KEY}`);
    expect(session.context.pins()).toEqual([{ id: 1, text: `pin ${GONE}` }]);
    expect(session.context.pin(`pin ${KEY}`)).toBe(1);
    session.context.compact();
    const sent = JSON.stringify((await session.prepare()).request);
    expect(sent).not.toContain(KEY);
    for (const text of ['note', 'pin', 'with', 'said']) expect(sent).toContain(`${text} ${GONE}`);
  });

  it('on arrival a session goes on from what was handed in or what was kept', async () => {
    const writer = { name: 'w', write: async () => ({ text: 'THE SUMMARY', stop: 'end' as const }) };
    const session = new TestSession({ ...arrival, writer });
    const raw = [builder.user(`use ${KEY}`), builder.assistant({ text: 'word '.repeat(900) }), builder.user('and?')];
    session.context.append(raw);
    session.context.compact({ span: { upTo: 2 } });
    await (await session.prepare()).keep();
    const saved: unknown = JSON.parse(JSON.stringify(session.context.snapshot()));
    for (const messages of [raw, JSON.parse(JSON.stringify(session.context.history())) as Wire[]]) {
      const next = new TestSession({ ...arrival, archive: session.archive });
      await next.context.restore(saved, messages);
      expect(next.context.view().entries.map(({ from, to }) => [from, to])).toEqual([
        [0, 2],
        [2, 3],
      ]);
    }
  });

  it('without it history is exact, receipts do not count, and the schema has the count', async () => {
    const session = new TestSession({ builder }).user(`use ${KEY}`);
    const { receipt, request } = await session.prepare();
    expect(receipt).not.toHaveProperty('redacted');
    expect(JSON.stringify(request)).toContain(KEY);
    expect(RECEIPT_SCHEMA['properties']).toHaveProperty('redacted');
  });

  it('of a message twice is the same object, with the same count', () => {
    const message = builder.user(`use ${KEY} and password=hunter2x`);
    const once = redactMessage(message, builder.codec);
    expect(once.count).toBe(2);
    expect(redactMessage(message, builder.codec)).toBe(once);
    expect(redactMessage(once.message, builder.codec)).toEqual(once);
    const copy = JSON.parse(JSON.stringify(once.message)) as Wire;
    expect(redactMessage(copy, builder.codec)).toEqual({ message: copy, count: 0 });
    expect(redactMessage(copy, builder.codec).message).toBe(copy);
  });
});
