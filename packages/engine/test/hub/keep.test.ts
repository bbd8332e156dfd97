/** `turn.keep()`: the edits of a prepared turn in force without a request, as `/compact` between two turns wants them. */
import { describe, expect, it } from 'vitest';
import type { ContextEvent } from '../../src/core/events.ts';
import { wireBuilders } from '../../src/testing/wire-builder.ts';
import { messagesOf, TestSession, textsOf } from '../golden/session.ts';

const writer = { name: 'stub', write: async () => ({ text: 'THE SUMMARY', stop: 'end' as const }) };

describe.each(wireBuilders)('a kept turn, $name', (builder) => {
  it('puts the summary in force and sends nothing', async () => {
    const events: ContextEvent[] = [];
    const session = new TestSession({ builder, writer, onEvent: (event) => events.push(event) }).talk(9, 900);
    await session.send({ text: 'Here.', usageTokens: 2_000 });
    const before = session.context.snapshot();
    session.context.compact();
    const turn = await session.prepare();
    const receipt = await turn.keep();
    expect(receipt).toBe(turn.receipt);
    expect(receipt.cause).toBe('manual');
    expect(receipt.usage).toBeUndefined();
    expect(session.context.history()).toHaveLength(10);
    expect(session.context.snapshot().meter).toEqual(before.meter);
    expect(session.context.groups().map(({ cause }) => cause)).toEqual(['manual']);
    expect(events.at(-1)).toMatchObject({ type: 'turn-keep', receipt, groups: session.context.groups() });
    session.user('next');
    const next = await session.prepare();
    // The request of `compact` is done with, and the next turn sees the new view.
    expect(next.receipt.layers).toEqual([]);
    expect(messagesOf(next, builder)).toHaveLength(2);
    expect(textsOf(messagesOf(next, builder)[0])[0]).toMatch(/^\[Compacted\]\n\nTHE SUMMARY/);
  });

  it('makes the report of the request before it one that is not used', async () => {
    const session = new TestSession({ builder, writer }).talk(9, 900);
    await session.send({ text: 'Here.', usageTokens: 9_000 });
    const { ratio } = session.context.snapshot().meter;
    session.context.compact();
    await (await session.prepare()).keep();
    const { tokens } = (await session.prepare()).receipt;
    expect(tokens.calibrated).toBe(Math.ceil((tokens.head + tokens.view) * ratio));
  });

  it('counts the cache by what the provider was really sent', async () => {
    const session = new TestSession({ builder, writer }).talk(3, 900);
    await session.send();
    session.context.compact({ span: { upTo: 3 } });
    await (await session.prepare()).keep();
    session.user('next');
    expect((await session.prepare()).receipt.cache).toEqual({ sharedEntries: 0, sharedTokens: 0 });
  });

  it('settles the turn, and lets what waited land', async () => {
    const session = new TestSession({ builder, writer }).user('one');
    const turn = await session.prepare();
    session.user('two');
    expect(session.context.history()).toHaveLength(1);
    await turn.keep();
    expect(session.context.history()).toHaveLength(2);
    await expect(turn.keep()).rejects.toMatchObject({ code: 'TURN_SETTLED' });
    await expect(turn.accept(builder.reply({ text: 'late' }))).rejects.toMatchObject({ code: 'TURN_SETTLED' });
  });

  it('is not held up by a message that waits and cannot be read: that one is refused at once', async () => {
    const session = new TestSession({ builder, writer }).user('one');
    const turn = await session.prepare();
    expect(() => session.context.append([{ role: 'nobody' }])).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST' }),
    );
    session.user('two');
    await turn.keep();
    expect(session.context.history()).toHaveLength(2);
  });

  it('leaves a compaction asked for meanwhile to the next turn', async () => {
    const session = new TestSession({ builder, writer }).talk(9, 900);
    const turn = await session.prepare();
    session.context.compact();
    await turn.keep();
    expect((await session.prepare()).receipt.cause).toBe('manual');
  });

  it('can be taken back and comes through a restart', async () => {
    const session = new TestSession({ builder, writer }).talk(9, 900);
    await session.send();
    const before = session.context.view();
    session.context.compact();
    await (await session.prepare()).keep();
    const next = new TestSession({ builder, archive: session.archive });
    await next.context.restore(JSON.parse(JSON.stringify(session.context.snapshot())), session.context.history());
    expect(next.context.view()).toEqual(session.context.view());
    expect(await session.context.undo()).toBe(true);
    expect(session.context.view()).toEqual(before);
  });

  it('compacted over a note nobody has read leaves it to be carried by the next compaction too', async () => {
    const session = new TestSession({ builder, writer }).user('go '.repeat(400));
    session.context.attach('Mind the tests.');
    const notes = async (): Promise<number> => {
      const turn = await session.prepare();
      await turn.keep();
      return JSON.stringify(turn.request).split('Mind the tests.').length - 1;
    };
    session.user('go on '.repeat(400));
    session.context.compact();
    expect(await notes()).toBe(1);
    expect(session.context.view().entries[0]?.range).toMatchObject({ to: 2, notes: [1] });
    session.user('and on '.repeat(400));
    session.context.compact();
    expect(await notes()).toBe(1);
    const request = builder.request([], { toolNames: ['recall'] });
    const notesOf = session.context.breakdown(request).categories.find(({ name }) => name === 'notes');
    expect(notesOf?.items).toMatchObject([{ name: 'attached' }]);
    // Read now, so the next one lets it go.
    await session.send();
    session.user('and on '.repeat(400));
    session.context.compact();
    expect(await notes()).toBe(0);
  });

  it('with a note in it loses none to a model message the host wrote behind it', async () => {
    const session = new TestSession({ builder, writer }).user('go '.repeat(400));
    session.context.attach('Mind the tests.');
    await (await session.prepare()).keep();
    session.assistant('made elsewhere '.repeat(100));
    session.context.compact();
    expect(JSON.stringify((await session.prepare()).request)).toContain('Mind the tests.');
  });

  it('makes a course of its own the session’s', async () => {
    const session = new TestSession({ builder, writer }).talk(9, 900);
    await session.send();
    const other = [...session.context.history().slice(0, 4), builder.user('another way')];
    const turn = await session.context.prepare(builder.request(other, { toolNames: ['recall'] }));
    await turn.keep();
    expect(session.context.history()).toHaveLength(5);
  });
});
