/** `snip`: finished turns become one marker when the host or the model asks for it, the user's words carried. */
import { describe, expect, it } from 'vitest';
import type { Turn } from '../../src/hub/turn.ts';
import { type WireBuilder, wireBuilders } from '../../src/testing/wire-builder.ts';
import { messagesOf, TestSession, textsOf } from '../golden/session.ts';

const PICTURE = 'iVBORw0KGgo=';

const wordsOf = (turn: Turn<object, object>, builder: WireBuilder): readonly (readonly string[])[] =>
  messagesOf(turn, builder).map(textsOf);

const filler = (text: string): string => `${text} `.repeat(100);

/** Three turns of the user, each with a round and an answer; the newest is not answered yet. */
function threeTurns(builder: WireBuilder): TestSession {
  const session = new TestSession({ builder });
  for (const text of ['First question.', 'Second question.'])
    session
      .user(text)
      .round(filler(`result for ${text}`))
      .assistant(filler(`answer to ${text}`));
  return session.user('Third question.').round('short');
}

describe.each(wireBuilders)('snip on request, $name', (builder) => {
  it('makes all but the newest turn one marker with the words of the user', async () => {
    const session = threeTurns(builder);
    session.context.snip();
    const turn = await session.prepare();
    const [marker = '', ...rest] = wordsOf(turn, builder)[0] ?? [];
    expect(marker).toMatch(/^\[snipped 6 messages from conversation middle\] recall: h_0-8_[0-9a-f]{16}$/);
    expect(rest).toEqual(['First question.', 'Second question.']);
    expect(wordsOf(turn, builder).slice(1)).toEqual([['Third question.'], [], ['short']]);
    expect(turn.receipt).toMatchObject({ cause: 'manual', layers: [{ layer: 'snip', edits: 1 }], held: [] });
    await turn.accept(builder.reply({ text: 'Done.' }));
    const address = /h_\S+/.exec(marker)?.[0] ?? '';
    const recalled = await session.context.recall(address);
    expect(recalled).toMatchObject({ kind: 'content', text: expect.stringContaining('answer to Second question.') });
    // Done once: the request is done with.
    session.user('Fourth question.');
    expect((await session.prepare()).receipt.layers).toEqual([]);
  });

  it('keeps as many turns as it is told', async () => {
    const session = threeTurns(builder);
    session.context.snip({ keepTurns: 2 });
    const view = wordsOf(await session.prepare(), builder);
    expect(view[0]?.slice(1)).toEqual(['First question.']);
    expect(view[1]).toEqual(['Second question.']);
    expect(view).toHaveLength(8);
  });

  it('counts for one turn what comes with results', async () => {
    const session = new TestSession({ builder }).user('go').round(filler('a')).assistant(filler('b'));
    const calls = [{ id: 'call_x', name: 'bash', input: {} }];
    session.context.append([
      builder.assistant({ calls }),
      ...builder.results([{ callId: 'call_x', text: 'x' }], 'And mind the tests.'),
    ]);
    session.context.snip();
    const view = wordsOf(await session.prepare(), builder);
    // The round its words came with is not parted, in whatever messages the format puts them.
    const kept = builder.name === 'anthropic' ? [[], ['x', 'And mind the tests.']] : [['And mind the tests.']];
    expect(view.slice(1)).toEqual(kept);
  });

  it('says why where there is nothing to do', async () => {
    const one = new TestSession({ builder }).user('go').round(filler('a'));
    one.context.snip();
    const turn = await one.prepare();
    expect(turn.receipt.layers).toEqual([]);
    expect(turn.receipt.held).toEqual(['snip: the newest 1 of 1 turns stay, and nothing is before them']);
    const small = new TestSession({ builder }).user('go').assistant('ok').user('on');
    small.context.snip();
    expect((await small.prepare()).receipt.held).toEqual(['snip: it would free nothing']);
    expect((await small.prepare()).receipt.cause).toBeUndefined();
  });

  it('is held where the request offers no recall', async () => {
    const session = threeTurns(builder);
    session.context.snip();
    const turn = await session.prepare(['bash']);
    expect(turn.receipt.layers).toEqual([]);
    expect(turn.receipt.held).toContain('snip: the request offers no recall tool to redeem its marker');
  });

  it('a second one covers the first and carries its words on', async () => {
    const session = threeTurns(builder);
    session.context.snip();
    await session.send({ text: filler('answer to the third') });
    session.user('Fourth question.');
    session.context.snip();
    const view = wordsOf(await session.prepare(), builder);
    expect(view[0]?.slice(1)).toEqual(['First question.', 'Second question.', 'Third question.']);
    expect(view[0]?.[0]).toMatch(/^\[snipped 9 messages from conversation middle\]/);
    expect(view.slice(1)).toEqual([['Fourth question.']]);
  });

  it('carries pictures, and a pin', async () => {
    const session = new TestSession({ builder });
    session.context.append([builder.user('Look.', PICTURE)]);
    session.context.pin('Be brief.');
    await session.send({ text: filler('I see') });
    session.user('next');
    session.context.snip();
    const turn = await session.prepare();
    expect(wordsOf(turn, builder)[0]?.slice(1)).toEqual(['Be brief.', 'Look.']);
    expect(JSON.stringify(messagesOf(turn, builder)[0])).toContain(PICTURE);
  });

  it('carries the newest words whole, cuts what does not fit, and counts the rest', async () => {
    const session = new TestSession({ builder, windowTokens: 8_000, maxOutputTokens: 1_000 });
    const big = (name: string): string => `${name} ${'x'.repeat(6_000)} ${name}`;
    for (const name of ['one', 'two', 'three', 'four']) session.user(big(name)).assistant('ok');
    session.user('last');
    session.context.snip();
    const turn = await session.prepare();
    const [marker, older, cut, ...whole] = wordsOf(turn, builder)[0] ?? [];
    expect(marker).toMatch(/^\[snipped 6 messages/);
    expect(older).toMatch(/^\[1 older message of the user left out too\] recall: h_0-8_[0-9a-f]{16}$/);
    expect(cut).toMatch(/^two x+\n\[\d+ characters left out here, recall: c_[0-9a-f]{16}\]\nx+ two$/);
    expect(whole).toEqual([big('three'), big('four')]);
    await turn.accept(builder.reply({ text: 'Done.' }));
    const address = /c_[0-9a-f]{16}/.exec(cut ?? '')?.[0] ?? '';
    expect(await session.context.recall(address)).toEqual({ kind: 'content', address, text: big('two') });
  });

  it('is taken back by undo, and can be asked for again', async () => {
    const session = threeTurns(builder);
    await session.prepare();
    const before = session.context.view();
    session.context.snip();
    await (await session.prepare()).keep();
    expect(session.context.view().entries).toHaveLength(4);
    expect(await session.context.undo()).toBe(true);
    expect(session.context.view()).toEqual(before);
    session.context.snip();
    expect((await session.prepare()).receipt.layers).toMatchObject([{ layer: 'snip' }]);
  });

  it('steps around a message of the host', async () => {
    const session = new TestSession({ builder }).user('go').assistant(filler('a')).user('rules?');
    session.context.append([builder.host('A rule.'), builder.assistant({ text: filler('b') })]);
    session.user('more').assistant(filler('c')).user('last');
    session.context.snip();
    const view = wordsOf(await session.prepare(), builder);
    // Any message of the user's may stand in front of the host's.
    expect(view[0]?.slice(1)).toEqual(['go', 'rules?']);
    expect(view.map(([first = '']) => first.slice(0, 20))).toEqual([
      '[snipped 1 messages ',
      'A rule.',
      'b b b b b b b b b b ',
      '[snipped 1 messages ',
      'last',
    ]);
  });

  it('takes whole numbers from 1', () => {
    const { context } = new TestSession({ builder });
    for (const keepTurns of [0, -1, 1.5])
      expect(() => context.snip({ keepTurns })).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
  });
});
