/** Redo brings back what undo took back, in order, for as long as nothing else came in between. */
import { describe, expect, it } from 'vitest';
import type { ContextEvent } from '../../src/core/events.ts';
import { classic } from '../../src/core/policies/classic.ts';
import { wireBuilders } from '../../src/testing/wire-builder.ts';
import { TestSession } from '../golden/session.ts';

const writer = { name: 'stub', write: async () => ({ text: 'THE SUMMARY', stop: 'end' as const }) };

async function compactTo(session: TestSession, length: number): Promise<void> {
  session.context.compact({ span: { upTo: length } });
  await (await session.prepare()).keep();
}

const ranges = (session: TestSession): readonly string[] =>
  session.context.view().entries.flatMap(({ from, to, range }) => (range === undefined ? [] : [`${from}-${to}`]));

const causes = (session: TestSession): readonly string[] => session.context.groups().map(({ cause }) => cause);

describe.each(wireBuilders)('redo, $name', (builder) => {
  const only = { builder, writer, policy: { ...classic, layers: [] } };

  it('brings several undone epochs back in order, and undo takes them again', async () => {
    const events: ContextEvent[] = [];
    const session = new TestSession({ ...only, onEvent: (event) => events.push(event) }).talk(9, 900);
    await compactTo(session, 2);
    await compactTo(session, 4);
    const whole = session.context.view();
    expect(ranges(session)).toEqual(['0-4']);
    expect([await session.context.undo(), await session.context.undo()]).toEqual([true, true]);
    expect(ranges(session)).toEqual([]);
    expect(await session.context.redo()).toBe(true);
    expect(ranges(session)).toEqual(['0-2']);
    expect(await session.context.redo()).toBe(true);
    expect(session.context.view()).toEqual(whole);
    expect(await session.context.redo()).toBe(false);
    expect(session.context.groups()).toMatchObject([
      { seq: 1, cause: 'manual' },
      { seq: 2, cause: 'manual' },
      { seq: 3, cause: 'undo', target: 2 },
      { seq: 4, cause: 'undo', target: 1 },
      { seq: 5, cause: 'undo', target: 4 },
      { seq: 6, cause: 'undo', target: 3 },
    ]);
    const redone = events.flatMap((event) => (event.type === 'epoch-redo' ? [event.epochId] : []));
    expect(redone).toEqual([1, 2]);
    expect(await session.context.undo()).toBe(true);
    expect(ranges(session)).toEqual(['0-2']);
    expect(await session.context.redo()).toBe(true);
    expect(session.context.view()).toEqual(whole);
  });

  it('gives the bytes the undone turn gave', async () => {
    const session = new TestSession(only).talk(9, 900);
    await compactTo(session, 4);
    const before = JSON.stringify((await session.prepare()).request);
    await session.context.undo();
    await session.context.redo();
    expect(JSON.stringify((await session.prepare()).request)).toBe(before);
  });

  it('is over once something else was compacted', async () => {
    const session = new TestSession(only).talk(9, 900);
    await compactTo(session, 2);
    await session.context.undo();
    await compactTo(session, 4);
    expect(await session.context.redo()).toBe(false);
    expect(causes(session)).toEqual(['manual', 'undo', 'manual']);
    expect(await session.context.undo()).toBe(true);
    expect(await session.context.redo()).toBe(true);
    expect(ranges(session)).toEqual(['0-4']);
    expect(await session.context.redo()).toBe(false);
  });

  it('is over where a note that was not sent yet would be hidden', async () => {
    const session = new TestSession(only).talk(5, 900);
    session.context.compact();
    await (await session.prepare()).keep();
    await session.context.undo();
    session.context.attach('Mind the tests.');
    await (await session.prepare()).keep();
    expect(causes(session)).toEqual(['manual', 'undo', 'arrival']);
    expect(await session.context.redo()).toBe(false);
  });

  it('goes on while nothing touched its messages: words, replies, a note behind them, a pin', async () => {
    const session = new TestSession(only).talk(8, 900);
    await compactTo(session, 4);
    await session.context.undo();
    session.user('go on').context.attach('Mind the tests.');
    session.context.pin('Never touch config/live.yaml.');
    await session.send();
    expect(await session.context.redo()).toBe(true);
    expect(ranges(session)).toEqual(['0-4']);
  });

  it('is over once the messages it was made for are gone', async () => {
    const session = new TestSession(only).talk(8, 900);
    await compactTo(session, 6);
    await session.context.undo();
    session.context.rewind(3);
    session.talk(8, 700);
    expect(await session.context.redo()).toBe(false);
    expect(ranges(session)).toEqual([]);
  });

  it('is carried by a snapshot', async () => {
    const session = new TestSession(only).talk(9, 900);
    await compactTo(session, 4);
    const whole = session.context.view();
    await session.context.undo();
    const saved: unknown = JSON.parse(JSON.stringify(session.context.snapshot()));
    const next = new TestSession({ ...only, archive: session.archive });
    await next.context.restore(saved, session.context.history());
    expect(await next.context.redo()).toBe(true);
    expect(next.context.view().entries.map(({ from, to, tokens }) => [from, to, tokens])).toEqual(
      whole.entries.map(({ from, to, tokens }) => [from, to, tokens]),
    );
  });

  it('lets the schedule go on as before the undo', async () => {
    const session = new TestSession(only).talk(9, 900);
    await compactTo(session, 4);
    await session.context.undo();
    expect(session.context.snapshot().holdLength).toBe(9);
    await session.context.redo();
    expect(session.context.snapshot().holdLength).toBe(-1);
  });

  it('without an undo is false and writes nothing', async () => {
    const session = new TestSession(only).talk(3);
    expect(await session.context.redo()).toBe(false);
    expect(session.context.groups()).toEqual([]);
  });

  it('and undo are refused where the model has reasoned since and its reasoning is bound to what stands before it', async () => {
    const bound = { ...only, reasoningBinding: () => 'reject' as const };
    const session = new TestSession(bound).talk(9, 900);
    await compactTo(session, 4);
    await session.send({ text: 'Done.', thought: 'Hm.' });
    const groups = session.context.groups().length;
    await expect(session.context.undo()).rejects.toMatchObject({ code: 'REASONING_BOUND' });
    expect(session.context.groups()).toHaveLength(groups);
    session.context.rewind(9);
    expect([await session.context.undo(), await session.context.redo()]).toEqual([true, true]);
    await session.context.undo();
    await session.send({ text: 'Done.', thought: 'Hm.' });
    await expect(session.context.redo()).rejects.toMatchObject({ code: 'REASONING_BOUND' });
    const free = new TestSession({ ...bound, reasoningBinding: () => 'none' }).talk(9, 900);
    await compactTo(free, 4);
    await free.send({ text: 'Done.', thought: 'Hm.' });
    expect(await free.context.undo()).toBe(true);
  });
});
