/** Pins: texts of the user that stay in view, word for word, whatever happens to what they stand in. */
import { describe, expect, it } from 'vitest';
import { applyEdits, project, shownPins } from '../../src/core/view.ts';
import { codePointTokens } from '../../src/core/estimate.ts';
import type { ContextEvent } from '../../src/core/events.ts';
import { assertView } from '../../src/core/verify.ts';
import type { Turn } from '../../src/hub/turn.ts';
import { openaiChatBuilder, type WireBuilder, wireBuilders } from '../../src/testing/wire-builder.ts';
import { historyOf } from '../core/support.ts';
import { messagesOf, TestSession, textsOf } from '../golden/session.ts';

const writer = { name: 'stub', write: async () => ({ text: 'THE SUMMARY', stop: 'end' as const }) };
const RULE = 'Never touch the file “config/live.yaml”.';

const shownTimes = (turn: Turn<object, object>, text = RULE): number =>
  JSON.stringify(turn.request).split(JSON.stringify(text).slice(1, -1)).length - 1;

const wordsOf = (turn: Turn<object, object>, builder: WireBuilder): readonly (readonly string[])[] =>
  messagesOf(turn, builder).map(textsOf);

const long = (text: string): string => `${text} `.repeat(400);

describe.each(wireBuilders)('pins, $name', (builder) => {
  it('are the user’s: numbered from 1, listed, taken off', () => {
    const { context } = new TestSession({ builder });
    expect(context.pin(RULE)).toBe(1);
    expect(context.pin('Second.')).toBe(2);
    expect(context.pin(RULE)).toBe(1);
    expect(context.pins()).toEqual([
      { id: 1, text: RULE },
      { id: 2, text: 'Second.' },
    ]);
    expect(context.unpin(1)).toBe(true);
    expect(context.unpin(1)).toBe(false);
    expect(context.unpin(9)).toBe(false);
    expect(context.pins()).toEqual([{ id: 2, text: 'Second.' }]);
    expect(context.pin('Third.')).toBe(3);
    expect(context.groups()).toEqual([
      { seq: 1, at: 0, cause: 'pin', id: 1, text: RULE },
      { seq: 2, at: 0, cause: 'pin', id: 2, text: 'Second.' },
      { seq: 3, at: 0, cause: 'unpin', id: 1 },
      { seq: 4, at: 0, cause: 'pin', id: 3, text: 'Third.' },
    ]);
  });

  it('stand behind the newest message from the next turn on, once', async () => {
    const session = new TestSession({ builder }).user('go');
    session.context.pin(RULE);
    const turn = await session.prepare();
    expect(wordsOf(turn, builder)).toEqual([['go', RULE]]);
    await turn.accept(builder.reply({ text: 'Done.' }));
    session.user('next');
    expect(wordsOf(await session.prepare(), builder)).toEqual([['go', RULE], ['Done.'], ['next']]);
  });

  it('take a message that was sent where nothing new is there', async () => {
    const session = new TestSession({ builder }).user('go');
    await session.send();
    session.context.pin(RULE);
    expect(wordsOf(await session.prepare(), builder)).toEqual([['go', RULE], ['Done.']]);
  });

  it('wait, and say so, where there is no message to stand in', async () => {
    const session = new TestSession({ builder, writer }).user('go').assistant(long('Done.'));
    session.context.compact();
    await (await session.prepare()).keep();
    session.context.pin(RULE);
    const turn = await session.prepare();
    expect(shownTimes(turn)).toBe(0);
    expect(turn.receipt.held).toContain("pin 1: waits for a message of the user's side to stand in");
    session.user('next');
    expect(wordsOf(await session.prepare(), builder).at(-1)).toEqual(['next', RULE]);
  });

  it('are carried by a summary, and by the summary of that summary', async () => {
    const session = new TestSession({ builder, writer }).user('go');
    session.context.pin(RULE);
    await session.send({ text: long('Done.') });
    for (const text of ['second', 'third']) {
      session.user(text);
      session.context.compact();
      const turn = await session.prepare();
      expect(wordsOf(turn, builder)).toHaveLength(1);
      expect(wordsOf(turn, builder)[0]?.[1]).toBe(RULE);
      expect(shownTimes(turn)).toBe(1);
      await turn.accept(builder.reply({ text: long('Done.') }));
    }
    expect(session.context.view().entries[0]?.range?.pins).toEqual([[1, 1]]);
  });

  it('are carried by snip', async () => {
    const session = new TestSession({ builder }).talk(5);
    session.context.pin(RULE);
    await session.send();
    session.talk(60);
    const turn = await session.prepare();
    expect(turn.receipt.layers.map(({ layer }) => layer)).toEqual(['snip']);
    expect(wordsOf(turn, builder)[3]?.[0]).toMatch(/^\[snipped 16 messages from conversation middle\]/);
    expect(wordsOf(turn, builder)[3]?.[1]).toBe(RULE);
    expect(shownTimes(turn)).toBe(1);
  });

  it('are there after the last rung of an overflow', async () => {
    const session = new TestSession({ builder, windowTokens: 8_000, maxOutputTokens: 1_000 }).user('go');
    session.context.pin(RULE);
    await session.send();
    session.round(long('a '.repeat(4))).round('d '.repeat(9_000));
    const layers: string[][] = [];
    let turn: Turn<object, object> | undefined = await session.prepare();
    for (const limit of [7_000, 2_000]) {
      const text = `400 prompt is too long: 9000 tokens > ${limit} maximum`;
      turn = await turn?.fail(Object.assign(new Error(text), { status: 400 }));
      layers.push(turn?.receipt.layers.map(({ layer }) => layer) ?? []);
      expect(turn === undefined ? 0 : shownTimes(turn)).toBe(1);
    }
    expect(layers).toEqual([['budget'], ['budget', 'fit']]);
  });

  it('are in view after undo and undo again', async () => {
    const session = new TestSession({ builder, writer }).user('go');
    session.context.pin(RULE);
    await session.send({ text: long('Done.') });
    session.user('next');
    session.context.compact();
    await session.send();
    expect(await session.context.undo()).toBe(true);
    session.user('more');
    expect(shownTimes(await session.prepare())).toBe(1);
    expect(await session.context.undo()).toBe(false);
    expect(session.context.pins()).toEqual([{ id: 1, text: RULE }]);
  });

  it('outlive a rewind that drops what they stood in', async () => {
    const session = new TestSession({ builder }).user('go').assistant('Yes?').user('two');
    session.context.pin(RULE);
    await session.send();
    session.context.rewind(1);
    session.user('instead');
    expect(wordsOf(await session.prepare(), builder)).toEqual([['go'], ['instead', RULE]]);
  });

  it('outlive a restart, and so does that they were taken off', async () => {
    const session = new TestSession({ builder, writer }).user('go');
    session.context.pin(RULE);
    session.context.pin('Gone.');
    await session.send({ text: long('Done.') });
    session.context.unpin(2);
    session.context.compact();
    await (await session.prepare()).keep();
    const saved: unknown = JSON.parse(JSON.stringify(session.context.snapshot()));
    const next = new TestSession({ builder, archive: session.archive });
    await next.context.restore(saved, session.context.history());
    expect(next.context.view()).toEqual(session.context.view());
    expect(next.context.pins()).toEqual([{ id: 1, text: RULE }]);
    next.user('more');
    const turn = await next.prepare();
    expect([shownTimes(turn), shownTimes(turn, 'Gone.')]).toEqual([1, 0]);
    expect(next.context.pin('New.')).toBe(3);
  });

  it('are in the delta a log writes behind the group before', async () => {
    const session = new TestSession({ builder }).user('go');
    session.context.pin('First.');
    await session.send();
    session.context.pin(RULE);
    expect(session.context.snapshot(2).groups).toEqual([{ seq: 3, at: 2, cause: 'pin', id: 2, text: RULE }]);
  });

  it('unpinned stay where they stand until that is compacted', async () => {
    const session = new TestSession({ builder, writer }).user('go');
    session.context.pin(RULE);
    await session.send({ text: long('Done.') });
    session.context.unpin(1);
    session.user('next');
    expect(shownTimes(await session.prepare())).toBe(1);
    session.context.compact();
    expect(shownTimes(await session.prepare())).toBe(0);
  });

  it('pinned again while the text is still in view are not written twice', async () => {
    const session = new TestSession({ builder }).user('go');
    session.context.pin(RULE);
    await session.send();
    session.context.unpin(1);
    expect(session.context.pin(RULE)).toBe(1);
    session.user('next');
    const turn = await session.prepare();
    expect(shownTimes(turn)).toBe(1);
    expect(turn.receipt.layers).toEqual([]);
  });

  it('pinned while a turn is open are in the ledger at once and in view with the next', async () => {
    const events: ContextEvent[] = [];
    const session = new TestSession({ builder, onEvent: (event) => events.push(event) }).user('go');
    session.context.attach('A note.');
    const turn = await session.prepare();
    expect(session.context.pin(RULE)).toBe(1);
    expect(session.context.snapshot().groups).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'pins-change', groups: [{ seq: 1, cause: 'pin', id: 1 }] });
    const receipt = await turn.accept(builder.reply({ text: 'Done.' }));
    expect(session.context.groups().map(({ seq, cause }) => `${seq} ${cause}`)).toEqual(['1 pin', '2 arrival']);
    expect(receipt.epochId).toBe(2);
    expect(events.at(-1)).toMatchObject({ type: 'turn-accept', epochId: 2, groups: [{ seq: 2 }] });
    session.user('next');
    expect(wordsOf(await session.prepare(), builder).at(-1)).toEqual(['next', RULE]);
  });

  it('pinned over a course that is not kept number the ledger once', async () => {
    const session = new TestSession({ builder }).user('go');
    session.context.attach('A note.');
    await session.send();
    const other = [builder.user('another way')];
    const dropped = await session.context.prepare(builder.request(other, { toolNames: ['recall'] }));
    await dropped.fail(Object.assign(new Error('500'), { status: 500 }));
    session.context.pin(RULE);
    session.context.append([builder.user('kept')]);
    expect(session.context.groups().map(({ seq, cause }) => `${seq} ${cause}`)).toEqual([
      '1 arrival',
      '2 pin',
      '3 rewind',
    ]);
  });

  it('of more than a tenth of the window are refused, and so are too many', () => {
    const { context } = new TestSession({ builder, windowTokens: 4_000 });
    const pin = (text: string) => (): number => context.pin(text);
    expect(pin('x'.repeat(1_604))).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message:
          'a pin takes at most a tenth of the window, 400 of 4000 tokens, and this text has 401; pin a shorter one, or a path to it',
      }),
    );
    expect(pin(' ')).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
    for (const letter of 'abcde') expect(pin(letter.repeat(1_600))()).toBeGreaterThan(0);
    expect(pin('f'.repeat(1_600))).toThrow(
      expect.objectContaining({
        message:
          'all pins together take at most half of the window, 2000 of 4000 tokens, and with this text they would take 2400; unpin one first',
      }),
    );
  });

  it('too large for the window of another model stay out of it, and the receipt says so', async () => {
    const windowTokens = (model: string): number => (model === 'small' ? 4_000 : 200_000);
    const session = new TestSession({ builder, windowTokens }).user('go');
    session.context.pin('x'.repeat(4_000));
    const request = { ...builder.request([], { toolNames: ['recall'] }), model: 'small' };
    const turn = await session.context.prepare(request);
    expect(turn.receipt.held).toEqual(['pin 1: over a tenth of this window']);
    expect(shownTimes(turn, 'x'.repeat(4_000))).toBe(0);
    expect(shownTimes(await session.prepare(), 'x'.repeat(4_000))).toBe(1);
  });
});

describe('the proof of a view', () => {
  it('fails where a pin is not shown', () => {
    const history = historyOf([openaiChatBuilder.user('go')], openaiChatBuilder);
    const view = project(history, [], codePointTokens);
    expect(() => assertView(view, history, { pins: [{ id: 3, text: RULE }] })).toThrow(
      expect.objectContaining({
        code: 'INVARIANT_BROKEN',
        message: 'the new view failed its proof and was not used: pin 3 is not in view',
      }),
    );
  });

  it('fails where a note stands in a message of the model, or says nothing', () => {
    const history = historyOf(
      [openaiChatBuilder.user('go'), openaiChatBuilder.assistant({ text: 'yes' })],
      openaiChatBuilder,
    );
    const note = (at: number, text: string) => ({
      ...({ kind: 'note', layer: 'attach', at, until: at + 1, proof: history.digest(at, at + 1), text } as const),
      ...{ addresses: [], reason: 'test' },
    });
    const context = { history, count: codePointTokens };
    const view = applyEdits(project(history, [], codePointTokens), [note(0, ' '), note(1, 'x')], context);
    expect(shownPins(view)).toEqual([]);
    expect(() => assertView(view, history)).toThrow(/at 0: its text is empty.*at 1: it adds to a message of the model/);
  });
});
