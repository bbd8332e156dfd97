/** `showsResult`: whether the model still sees what a call gave. */
import { describe, expect, it } from 'vitest';
import { anthropicBuilder, openaiChatBuilder, wireBuilders } from '../../src/testing/wire-builder.ts';
import { TestSession } from '../golden/session.ts';

const writer = { name: 'stub', write: async () => ({ text: 'THE SUMMARY', stop: 'end' as const }) };
const seen = (session: TestSession, count: number): readonly boolean[] =>
  Array.from({ length: count }, (_, index) => session.context.showsResult(`call_${index + 1}`));

describe.each(wireBuilders)('showsResult, $name', (builder) => {
  it('is true for what stands word for word', async () => {
    const session = new TestSession({ builder, writer }).user('go').round('one', 'two').round('three');
    expect(seen(session, 4)).toEqual([true, true, true, false]);
    session.context.attach('A note.');
    await session.send();
    expect(seen(session, 4)).toEqual([true, true, true, false]);
  });

  it('is false once a layer replaced the result, and true again after undo', async () => {
    const session = new TestSession({ builder, writer })
      .user('go')
      .round('x'.repeat(400))
      .round('b')
      .round('c')
      .round('d');
    expect(seen(session, 4)).toEqual([true, true, true, true]);
    await session.send();
    expect(seen(session, 4)).toEqual([false, true, true, true]);
    expect(await session.context.undo()).toBe(true);
    expect(seen(session, 4)).toEqual([true, true, true, true]);
  });

  it('is false under a summary, and for what a rewind took away', async () => {
    const session = new TestSession({ builder, writer }).user('go').round('x'.repeat(4_000)).assistant('ok');
    session.context.compact();
    await (await session.prepare()).keep();
    session.round('late');
    expect(seen(session, 2)).toEqual([false, true]);
    session.context.rewind(1);
    expect(seen(session, 2)).toEqual([false, false]);
  });

  it('a stray result beside one that answers hides neither its own call nor an earlier one', async () => {
    const session = new TestSession({ builder }).user('go').round('the answer');
    const calls = [{ id: 'call_2', name: 'bash', input: {} }];
    const results = [
      { callId: 'call_2', text: 'two' },
      { callId: 'call_1', text: 'stray' },
      { callId: 'call_9', text: 'for nobody' },
    ];
    session.context.append([builder.assistant({ calls }), ...builder.results(results)]);
    expect([seen(session, 2), session.context.showsResult('call_9')]).toEqual([[true, true], false]);
    await session.send();
    expect([seen(session, 2), session.context.showsResult('call_9')]).toEqual([[true, true], false]);
  });

  it('is false for a result that answers nothing, and for the second of two', async () => {
    const session = new TestSession({ builder }).user('go');
    const calls = [{ id: 'call_1', name: 'bash', input: {} }];
    const results = [
      { callId: 'call_1', text: 'the answer' },
      { callId: 'call_1', text: 'again' },
      { callId: 'call_9', text: 'for nobody' },
    ];
    session.context.append([builder.assistant({ calls }), ...builder.results(results)]);
    await session.send();
    expect(session.context.showsResult('call_1')).toBe(true);
    expect(session.context.showsResult('call_9')).toBe(false);
  });
});

it('ids numbered anew in each reply mean the newest round', async () => {
  const session = new TestSession({ builder: openaiChatBuilder }).user('go');
  const calls = [{ id: 'call_1', name: 'bash', input: {} }];
  for (const text of ['x'.repeat(400), 'b', 'c', 'y'.repeat(400)])
    session.context.append([
      openaiChatBuilder.assistant({ calls }),
      ...openaiChatBuilder.results([{ callId: 'call_1', text }]),
    ]);
  const { layers } = (await session.prepare()).receipt;
  expect(layers.map(({ layer }) => layer)).toEqual(['micro']);
  await session.send();
  expect(session.context.showsResult('call_1')).toBe(true);
});

it('an empty session shows nothing', () => {
  expect(new TestSession({ builder: anthropicBuilder }).context.showsResult('call_1')).toBe(false);
});
