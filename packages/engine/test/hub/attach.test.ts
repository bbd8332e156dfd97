/** `attach`: a text at the end of the newest message of the user's side that was never sent, frozen there. */
import { describe, expect, it } from 'vitest';
import type { Turn } from '../../src/hub/turn.ts';
import { anthropicBuilder, openaiChatBuilder, type WireBuilder, wireBuilders } from '../../src/testing/wire-builder.ts';
import { messagesOf, TestSession, textsOf } from '../golden/session.ts';

const writer = { name: 'stub', write: async () => ({ text: 'THE SUMMARY', stop: 'end' as const }) };
const REMINDER = 'Reminder: the todo list has two open items.';

const shownTimes = (turn: Turn<object, object>, text: string): number =>
  JSON.stringify(turn.request).split(JSON.stringify(text).slice(1, -1)).length - 1;

const wordsOf = (turn: Turn<object, object>, builder: WireBuilder): readonly (readonly string[])[] =>
  messagesOf(turn, builder).map(textsOf);

describe('attached texts on the wire', () => {
  it('Anthropic: a block behind the words of the user', async () => {
    const session = new TestSession({ builder: anthropicBuilder }).user('go');
    session.context.attach(REMINDER);
    expect(messagesOf(await session.prepare()).map(bare)).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'go' },
          { type: 'text', text: REMINDER },
        ],
      },
    ]);
  });

  it('Anthropic: a block behind the results', async () => {
    const session = new TestSession({ builder: anthropicBuilder }).user('go').round('one', 'two');
    session.context.attach(REMINDER);
    expect(bare(messagesOf(await session.prepare())[2] ?? {})).toEqual({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call_1', content: 'one' },
        { type: 'tool_result', tool_use_id: 'call_2', content: 'two' },
        { type: 'text', text: REMINDER },
      ],
    });
  });

  it('OpenAI Chat: a part of a user message', async () => {
    const session = new TestSession({ builder: openaiChatBuilder }).user('go');
    session.context.attach(REMINDER);
    expect(messagesOf(await session.prepare(), openaiChatBuilder)).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'go' },
          { type: 'text', text: REMINDER },
        ],
      },
    ]);
  });

  it('OpenAI Chat: behind the newest result, after a blank line', async () => {
    const session = new TestSession({ builder: openaiChatBuilder }).user('go').round('one', 'two');
    session.context.attach('First.');
    session.context.attach('Second.');
    expect(messagesOf(await session.prepare(), openaiChatBuilder).slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'call_1', content: 'one' },
      { role: 'tool', tool_call_id: 'call_2', content: 'two\n\nFirst.\n\nSecond.' },
    ]);
  });

  it('OpenAI Chat: an empty result is the text alone, a list of parts gets one more', () => {
    const { codec } = openaiChatBuilder;
    expect(codec.attach({ role: 'tool', tool_call_id: 'a', content: '' }, ['x'])).toEqual({
      role: 'tool',
      tool_call_id: 'a',
      content: 'x',
    });
    const parts = [{ type: 'text', text: 'one' }];
    expect(codec.attach({ role: 'tool', tool_call_id: 'a', content: parts }, ['x'])).toEqual({
      role: 'tool',
      tool_call_id: 'a',
      content: [
        { type: 'text', text: 'one' },
        { type: 'text', text: 'x' },
      ],
    });
  });
});

describe.each(wireBuilders)('attached texts, $name', (builder) => {
  it('are no history and never the words of the user', async () => {
    const session = new TestSession({ builder }).user('go').round('one');
    session.context.attach(REMINDER);
    const turn = await session.prepare();
    await turn.accept(builder.reply({ text: 'Done.' }));
    expect(shownTimes(turn, REMINDER)).toBe(1);
    expect(JSON.stringify(session.context.history())).not.toContain('Reminder');
    expect(session.context.groups()).toMatchObject([
      { cause: 'arrival', edits: [{ kind: 'note', layer: 'attach', at: 2, until: 3, text: REMINDER, addresses: [] }] },
    ]);
    expect(turn.receipt).toMatchObject({ cause: 'arrival', layers: [{ layer: 'attach', edits: 1 }] });
  });

  it('stay byte for byte and are sent once', async () => {
    const session = new TestSession({ builder }).user('go');
    session.context.attach(REMINDER);
    const first = await session.prepare();
    await first.accept(builder.reply({ text: 'Done.' }));
    session.user('and then?');
    const next = await session.prepare();
    expect(wordsOf(next, builder)[0]).toEqual(wordsOf(first, builder)[0]);
    expect(shownTimes(next, REMINDER)).toBe(1);
    expect(next.receipt.layers).toEqual([]);
  });

  it('wait where everything was sent', async () => {
    const session = new TestSession({ builder }).user('go');
    await session.send();
    session.context.attach(REMINDER);
    expect(shownTimes(await session.prepare(), REMINDER)).toBe(0);
    await session.send({ text: 'Still nothing.' });
    session.user('now');
    expect(wordsOf(await session.prepare(), builder)).toEqual([
      ['go'],
      ['Done.'],
      ['Still nothing.'],
      ['now', REMINDER],
    ]);
  });

  it('wait where the model was sent the message and said nothing', async () => {
    const session = new TestSession({ builder }).user('go');
    const turn = await session.prepare();
    const nothing =
      builder.name === 'anthropic'
        ? { content: [], stop_reason: 'end_turn' }
        : { choices: [{ message: { role: 'assistant', content: '' }, finish_reason: 'stop' }] };
    await turn.accept(nothing);
    session.context.attach(REMINDER);
    expect(shownTimes(await session.prepare(), REMINDER)).toBe(0);
  });

  it('change nothing with a turn that is not settled, and give the same bytes twice', async () => {
    const session = new TestSession({ builder }).user('go');
    session.context.attach(REMINDER);
    const first = JSON.stringify((await session.prepare()).request);
    expect(JSON.stringify((await session.prepare()).request)).toBe(first);
    expect(session.context.groups()).toEqual([]);
    session.user('more');
    expect(wordsOf(await session.prepare(), builder)).toEqual([['go'], ['more', REMINDER]]);
  });

  it('attached while a turn is open are for the next one', async () => {
    const session = new TestSession({ builder }).user('go');
    const turn = await session.prepare();
    session.context.attach(REMINDER);
    await turn.accept(builder.reply({ text: 'Done.' }));
    session.user('next');
    expect(wordsOf(await session.prepare(), builder)).toEqual([['go'], ['Done.'], ['next', REMINDER]]);
  });

  it('survive that the result above them is blanked', async () => {
    const session = new TestSession({ builder }).user('go').round('x'.repeat(400));
    session.context.attach(REMINDER);
    await session.send({ text: 'Seen.' });
    session.round('b').round('c').round('d');
    const turn = await session.prepare();
    expect(turn.receipt.layers.map(({ layer }) => layer)).toEqual(['micro']);
    const text = wordsOf(turn, builder)[2]?.join('\n\n') ?? '';
    expect(text).toMatch(/^\[Earlier tool result compacted. Re-run if needed.\] recall: c_[0-9a-f]{16}\n\nReminder: /);
    await turn.accept(builder.reply({ text: 'Done.' }));
    const entry = session.context.view().entries[2];
    expect(entry?.notes).toHaveLength(1);
    expect(entry?.patches?.size).toBe(1);
  });

  it('leave with the message a compaction covers', async () => {
    const session = new TestSession({ builder, writer }).user('go').round('one '.repeat(400));
    session.context.attach(REMINDER);
    await session.send();
    session.context.compact();
    await (await session.prepare()).keep();
    session.user('next');
    expect(shownTimes(await session.prepare(), REMINDER)).toBe(0);
  });

  it('are carried by a compaction of the very turn they came with: nobody has read them yet', async () => {
    const session = new TestSession({ builder, writer }).user('go').round('one '.repeat(400));
    session.context.attach(REMINDER);
    session.context.compact();
    const turn = await session.prepare();
    expect(wordsOf(turn, builder)).toHaveLength(1);
    expect(wordsOf(turn, builder)[0]?.slice(1)).toEqual([REMINDER, 'go']);
    await turn.accept(builder.reply({ text: 'Done.' }));
    expect(await session.context.undo()).toBe(true);
    expect(shownTimes(await session.prepare(), REMINDER)).toBe(1);
  });

  it('are not what undo takes back', async () => {
    const session = new TestSession({ builder, writer }).user('go').round('one '.repeat(400));
    await session.send();
    session.context.compact();
    await (await session.prepare()).keep();
    session.user('next');
    session.context.attach(REMINDER);
    await session.send();
    expect(session.context.groups().map(({ cause }) => cause)).toEqual(['manual', 'arrival']);
    expect(await session.context.undo()).toBe(true);
    expect(session.context.groups().at(-1)).toMatchObject({ cause: 'undo', target: 1 });
    expect(shownTimes(await session.prepare(), REMINDER)).toBe(1);
    expect(await session.context.undo()).toBe(false);
  });

  it('fall with a rewind to before their message', async () => {
    const session = new TestSession({ builder }).user('go');
    session.context.attach(REMINDER);
    await session.send();
    session.context.rewind(1);
    expect(shownTimes(await session.prepare(), REMINDER)).toBe(1);
    session.context.rewind(0);
    session.user('go');
    // Equal bytes again do not bring it back: they are another message.
    expect(shownTimes(await session.prepare(), REMINDER)).toBe(0);
  });

  it('do not change a message that a rewind leaves last, since it was sent', async () => {
    const session = new TestSession({ builder }).user('go');
    await session.send();
    session.user('two');
    await session.send();
    session.context.rewind(3);
    session.context.attach(REMINDER);
    expect(shownTimes(await session.prepare(), REMINDER)).toBe(0);
  });

  it('come through a restart, short and long ones, byte for byte', async () => {
    const long = `${REMINDER} `.repeat(20);
    const session = new TestSession({ builder }).user('go');
    session.context.attach(REMINDER);
    session.context.attach(long);
    const turn = await session.prepare();
    await turn.accept(builder.reply({ text: 'Done.' }));
    const saved: unknown = JSON.parse(JSON.stringify(session.context.snapshot()));
    const next = new TestSession({ builder, archive: session.archive });
    await next.context.restore(saved, session.context.history());
    expect(next.context.view()).toEqual(session.context.view());
    next.user('more');
    expect(wordsOf(await next.prepare(), builder)[0]).toEqual(['go', REMINDER, long]);
  });

  it('over a tenth of the window are cut to head, tail and address', async () => {
    const session = new TestSession({ builder, windowTokens: 8_000, maxOutputTokens: 1_000 }).user('go');
    const long = `start ${'word '.repeat(1_000)}end`;
    session.context.attach(long);
    const turn = await session.prepare();
    await turn.accept(builder.reply({ text: 'Done.' }));
    const text = wordsOf(turn, builder)[0]?.at(-1) ?? '';
    expect(text).toMatch(/^start [^[]+\n\[\d+ characters left out here, recall: c_[0-9a-f]{16}\]\n[^[]+ end$/);
    expect(text.length).toBeLessThan(3_400);
    const address = /c_[0-9a-f]{16}/.exec(text)?.[0] ?? '';
    expect(await session.context.recall(address)).toEqual({ kind: 'content', address, text: long });
  });

  it('are counted, and proved', async () => {
    const session = new TestSession({ builder }).user('go');
    const before = session.context.view();
    session.context.attach('abcdefgh');
    const turn = await session.prepare();
    expect(turn.receipt.tokens.view).toBe(before.tokens + 2);
    await turn.keep();
    const [entry] = session.context.view().entries;
    expect(session.context.view().bytes).toBe(before.bytes + 12);
    expect(entry?.notes).toHaveLength(1);
  });

  it('have to say something', () => {
    const { context } = new TestSession({ builder });
    expect(() => context.attach(' \n')).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
  });

  it('a snapshot with a damaged note is refused', async () => {
    const session = new TestSession({ builder }).user('go');
    session.context.attach(REMINDER);
    await session.send();
    const saved = JSON.parse(JSON.stringify(session.context.snapshot())) as { groups: { edits: { at: unknown }[] }[] };
    for (const edit of saved.groups[0]?.edits ?? []) edit.at = 'x';
    const next = new TestSession({ builder }).context.restore(saved, session.context.history());
    await expect(next).rejects.toMatchObject({ code: 'SNAPSHOT_UNREADABLE' });
  });
});

/** A message without cache breakpoints. */
function bare(message: object): unknown {
  return JSON.parse(JSON.stringify(message, (key, value: unknown) => (key === 'cache_control' ? undefined : value)));
}
