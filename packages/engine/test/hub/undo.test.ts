/** Undo beside rewinds, pins and later compactions: it takes back what is in force, and only that. */
import { describe, expect, it } from 'vitest';
import type { Epoch } from '../../src/core/edit.ts';
import type { ContextEvent } from '../../src/core/events.ts';
import { classic } from '../../src/core/policies/classic.ts';
import { rangeEdit } from '../../src/core/layers/range-edits.ts';
import { wireBuilders } from '../../src/testing/wire-builder.ts';
import { historyOf } from '../core/support.ts';
import { TestSession } from '../golden/session.ts';

const writer = { name: 'stub', write: async () => ({ text: 'THE SUMMARY', stop: 'end' as const }) };
/** Only summaries, on a small window. */
const small = { writer, windowTokens: 20_000, maxOutputTokens: 1_000, policy: { ...classic, layers: [] } };

const RULE = 'Never touch config/live.yaml.';

async function compacted(session: TestSession): Promise<void> {
  session.context.compact();
  await (await session.prepare()).keep();
}

/** The line the request was over when the next summary was made for it, in small steps. */
async function fullestBefore(session: TestSession): Promise<'act' | 'block' | undefined> {
  for (let i = 0; i < 200; i += 1) {
    const { cause, layers, tokens, window } = await session.user('word '.repeat(120)).send();
    const before = tokens.head + (layers.find(({ layer }) => layer === 'summary')?.tokensBefore ?? 0);
    if (cause === 'threshold') return before > window.blockTokens ? 'block' : 'act';
  }
  return undefined;
}

const shown = (session: TestSession): readonly string[] =>
  session.context.view().entries.flatMap(({ from, notes = [] }) => notes.map(({ text }) => `${from} ${text}`));

describe.each(wireBuilders)('undo, $name', (builder) => {
  it('after a rewind that dropped the newest epoch takes back the one before', async () => {
    const session = new TestSession({ builder, writer }).talk(5, 900);
    session.context.compact({ span: { upTo: 3 } });
    await (await session.prepare()).keep();
    session.talk(4, 900);
    await compacted(session);
    session.context.rewind(7);
    const before = session.context.groups().length;
    expect(session.context.view().entries[0]).toMatchObject({ from: 0, to: 3 });
    expect(await session.context.undo()).toBe(true);
    expect(session.context.groups().slice(before)).toMatchObject([{ cause: 'undo', target: 1 }]);
    expect(session.context.view().entries).toHaveLength(7);
  });

  it('after a rewind that dropped every epoch is refused and writes nothing', async () => {
    const session = new TestSession({ builder, writer }).talk(5, 900);
    await compacted(session);
    session.context.rewind(3);
    const before = session.context.groups().length;
    expect(await session.context.undo()).toBe(false);
    expect(session.context.groups()).toHaveLength(before);
  });

  it('of a compaction that had let go of a pin does not show the pin twice when it was pinned again', async () => {
    const events: ContextEvent[] = [];
    const session = new TestSession({ builder, writer, onEvent: (event) => events.push(event) }).talk(1, 900);
    session.context.pin(RULE);
    await session.send({ text: 'Done. '.repeat(200) });
    session.context.unpin(1);
    await compacted(session);
    expect(session.context.pin(RULE)).toBe(1);
    await session.user('next').send();
    expect(shown(session)).toEqual([`2 ${RULE}`]);
    expect(await session.context.undo()).toBe(true);
    expect(shown(session)).toEqual([`0 ${RULE}`]);
    expect(events.at(-1)).toMatchObject({ type: 'epoch-undo', groups: [{ cause: 'undo' }, { cause: 'rewind' }] });
    const turn = await session.user('more').prepare();
    expect(JSON.stringify(turn.request).split(RULE)).toHaveLength(2);
    const next = new TestSession({ builder, archive: session.archive });
    await next.context.restore(JSON.parse(JSON.stringify(session.context.snapshot())), session.context.history());
    expect(next.context.view()).toEqual(session.context.view());
  });

  it('by a move that drops such a compaction does not show the pin twice either', async () => {
    const messages = [builder.user('go'), builder.assistant({ text: 'yes' }), builder.user('two')];
    const history = historyOf([...messages, builder.user('three')], builder);
    const noteAt = (at: number): Epoch['edits'][number] => ({
      ...({ kind: 'note', layer: 'attach', at, until: at + 1, proof: history.digest(at, at + 1) } as const),
      ...{ text: RULE, pin: 1, addresses: [], reason: 'test' },
    });
    const range = rangeEdit(
      { from: 0, to: 2, layer: 'summary', reason: 'test', pieces: ['short'], addresses: [history.address(0, 2)] },
      history,
    );
    const session = new TestSession({ builder });
    const groups = [
      { seq: 1, at: 1, cause: 'pin', id: 1, text: RULE },
      { seq: 2, at: 1, cause: 'arrival', edits: [noteAt(0)] },
      { seq: 3, at: 4, cause: 'manual', edits: [range] },
      { seq: 4, at: 4, cause: 'arrival', edits: [noteAt(2)] },
    ];
    await session.context.restore({ ...session.context.snapshot(), groups }, messages);
    expect(shown(session)).toEqual([`0 ${RULE}`]);
    expect(session.context.groups().at(-1)).toMatchObject({
      seq: 5,
      cause: 'rewind',
      drops: [
        [3, 0],
        [4, 0],
      ],
    });
  });

  it('holds a summary back until it was made again, not for ever', async () => {
    const session = new TestSession({ ...small, builder }).talk(8, 4_000);
    await session.send();
    await compacted(session);
    expect(await session.context.undo()).toBe(true);
    await session.user('go on').send();
    await compacted(session);
    expect(await fullestBefore(session)).toBe('act');
  });

  it('holds nothing back on another course', async () => {
    const session = new TestSession({ ...small, builder }).talk(8, 4_000);
    await compacted(session);
    expect(await session.context.undo()).toBe(true);
    session.context.rewind(0);
    expect(await fullestBefore(session)).toBe('act');
  });

  it('holds nothing back that was brought back', async () => {
    const session = new TestSession({ ...small, builder }).talk(8, 4_000);
    await compacted(session);
    expect([await session.context.undo(), await session.context.redo()]).toEqual([true, true]);
    expect(await fullestBefore(session)).toBe('act');
  });

  it('holds a summary back while nothing else made it', async () => {
    const session = new TestSession({ ...small, builder }).talk(8, 4_000);
    await compacted(session);
    expect(await session.context.undo()).toBe(true);
    expect(await fullestBefore(session)).toBe('block');
  });
});
