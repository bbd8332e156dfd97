/** Notes, pins, snips, kept turns, state and the host's word on summaries in one session: each as if the others were not there. */
import { describe, expect, it } from 'vitest';
import type { StateItem } from '../../src/core/summary/state.ts';
import type { SummaryOpinion } from '../../src/hub/ask-host.ts';
import { wireBuilders } from '../../src/testing/wire-builder.ts';
import { messagesOf, type Options, TestSession, textsOf } from '../golden/session.ts';

const RULE = 'Never touch config/live.yaml.';
const NOTE = 'Mind the tests.';
const long = (text: string): string => `${text} `.repeat(400);

/** A host whose plan is another at every question, and a model that counts its summaries. */
function host(opinion?: () => SummaryOpinion): Options & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    writer: { name: 'stub', write: async () => ({ text: `SUMMARY ${asked.push('model')}`, stop: 'end' as const }) },
    state: async (): Promise<readonly StateItem[]> => [
      { name: 'plan', text: `step ${asked.push('state')}`, maxTokens: 200, rank: 1 },
    ],
    beforeSummary: async () => {
      asked.push('gate');
      return opinion?.();
    },
  };
}

describe.each(wireBuilders)('together, $name', (builder) => {
  const textOf = (turn: { request: object }): string => JSON.stringify(turn.request);
  const times = (turn: { request: object }, text: string): number => textOf(turn).split(text).length - 1;
  const refused = (): Error =>
    Object.assign(new Error('400 prompt is too long: 13000 tokens > 12000 maximum'), { status: 400 });

  it('a summary holds its text, the pin, the note and the state in this order, and the next one carries what it has to', async () => {
    const { asked: _, ...ports } = host();
    const session = new TestSession({ builder, ...ports }).user('go').assistant(long('Done, all of it.')).user('more');
    session.context.pin(RULE);
    session.context.attach(NOTE);
    session.context.compact();
    const turn = await session.prepare();
    expect(textsOf(messagesOf(turn, builder)[0]).map((text) => text.slice(0, 11))).toEqual(
      ['[Compacted]', RULE, NOTE, 'State given', 'more'].map((text) => text.slice(0, 11)),
    );
    await turn.keep();
    expect(session.context.view().entries[0]?.range).toMatchObject({ pins: [[1, 1]], notes: [2] });
    session.assistant(long('Done, all of it.')).user('now');
    session.context.compact();
    const next = await session.prepare();
    const counts = [RULE, NOTE, 'State given', 'step 2', 'step 5'].map((text) => times(next, text));
    expect(counts).toEqual([1, 1, 1, 0, 1]);
  });

  it('a kept turn whose summary the host blocked attaches its notes and drops the request', async () => {
    const { asked, ...ports } = host(() => ({ block: 'not now' }));
    const session = new TestSession({ builder, ...ports }).talk(5, 900);
    session.context.attach(NOTE);
    session.context.compact();
    const first = await session.prepare();
    const turn = await session.prepare();
    expect(textOf(turn)).toBe(textOf(first));
    await turn.keep();
    expect(asked).toEqual(['gate']);
    const next = await session.prepare();
    expect([times(next, NOTE), next.receipt.layers, next.receipt.held]).toEqual([1, [], []]);
  });

  it('a snip and a compaction in one turn are one edit, and both are done with', async () => {
    const { asked: _, ...ports } = host();
    const session = new TestSession({ builder, ...ports }).talk(9, 900);
    session.context.pin(RULE);
    session.context.snip();
    session.context.compact();
    const turn = await session.prepare();
    expect(messagesOf(turn, builder)).toHaveLength(1);
    await turn.keep();
    const edits = session.context
      .groups()
      .map((group) => ('edits' in group ? group.edits.map(({ layer }) => layer) : []));
    expect(edits).toEqual([[], ['attach'], ['summary']]);
    const next = await session.prepare();
    expect([next.receipt.layers, times(next, RULE)]).toEqual([[], 1]);
    expect(await session.context.undo()).toBe(true);
    expect(session.context.view().entries).toHaveLength(9);
  });

  it('a note waits on while the host blocks what an overflow needs', async () => {
    const { asked: _, ...ports } = host(() => ({ block: 'not now' }));
    const session = new TestSession({ builder, ...ports }).talk(9, 900);
    session.context.attach(NOTE);
    const turn = await session.prepare();
    await expect(turn.fail(refused())).rejects.toMatchObject({ code: 'COMPACTION_BLOCKED' });
    expect(session.context.groups()).toEqual([]);
    expect(times(await session.prepare(), NOTE)).toBe(1);
  });

  it('the breakdown after a keep is the gauge, and what the next receipt says', async () => {
    const { asked: _, ...ports } = host();
    const session = new TestSession({ builder, ...ports }).user(long('go'));
    session.context.pin(RULE);
    session.context.attach(NOTE);
    await session.send({ text: long('Done.'), usageTokens: 2_500 });
    session.user(long('next'));
    session.context.attach(`${NOTE} Again.`);
    session.context.compact();
    await (await session.prepare()).keep();
    const request = builder.request([], { toolNames: ['bash', 'recall'], maxOutputTokens: 8_000 });
    const { totalTokens, categories } = session.context.breakdown(request);
    expect(categories.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(totalTokens);
    expect(
      categories
        .find(({ name }) => name === 'notes')
        ?.items?.map(({ name }) => name)
        .sort(),
    ).toEqual(['attached', 'pinned']);
    expect(session.context.gauge()?.tokens).toBe(totalTokens);
    expect((await session.prepare()).receipt.tokens.calibrated).toBe(totalTokens);
  });

  it('what was answered holds until a turn is settled, and for this history only', async () => {
    const { asked, ...ports } = host();
    const session = new TestSession({ builder, ...ports }).talk(9, 900);
    session.context.compact();
    const first = textOf(await session.prepare());
    session.context.pin(RULE);
    const again = await session.prepare();
    expect(asked).toEqual(['gate', 'state', 'model']);
    expect([times(again, 'step 2'), times(again, 'SUMMARY 3'), times(again, RULE)]).toEqual([1, 1, 1]);
    session.context.unpin(1);
    expect(textOf(await session.prepare())).toBe(first);
    session.context.rewind(7);
    await (await session.prepare()).keep();
    expect(asked).toEqual(['gate', 'state', 'model', 'gate', 'state', 'model']);
    expect(await session.context.undo()).toBe(true);
    session.context.compact();
    expect(times(await session.prepare(), 'step 8')).toBe(1);
  });

  it('an abort while the state is asked for changes nothing, and it is asked for again', async () => {
    const { asked, ...ports } = host();
    const abort = new AbortController();
    let isFirst = true;
    const state = async (signal: AbortSignal | undefined): Promise<readonly StateItem[]> => {
      if (!isFirst) return ports.state?.(signal) ?? [];
      isFirst = false;
      abort.abort();
      return new Promise<never>(() => undefined);
    };
    const session = new TestSession({ builder, ...ports, state }).talk(9, 900);
    session.context.attach(NOTE);
    session.context.compact();
    const before = JSON.stringify(session.context.snapshot());
    const request = builder.request([], { toolNames: ['recall'] });
    await expect(session.context.prepare(request, { signal: abort.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(JSON.stringify(session.context.snapshot())).toBe(before);
    const turn = await session.prepare();
    expect(asked).toEqual(['gate', 'state', 'model']);
    expect([times(turn, NOTE), times(turn, 'step 2')]).toEqual([1, 1]);
  });

  it('a turn kept on another course makes the pin and the state of that course the session’s', async () => {
    const { asked: _, ...ports } = host();
    const session = new TestSession({ builder, ...ports }).talk(5, 900);
    session.context.attach(NOTE);
    await session.send();
    const other = [...session.context.history().slice(0, 3), builder.user(long('another way'))];
    session.context.compact();
    const turn = await session.context.prepare(builder.request(other, { toolNames: ['recall'] }));
    session.context.pin(RULE);
    await turn.keep();
    expect(session.context.groups().map(({ seq, cause }) => `${seq} ${cause}`)).toEqual([
      '1 arrival',
      '2 pin',
      '3 rewind',
      '4 manual',
    ]);
    expect(session.context.history()).toHaveLength(4);
    const next = await session.user('next').prepare();
    expect([times(next, RULE), times(next, 'State given'), times(next, NOTE)]).toEqual([1, 1, 0]);
  });

  it('showsResult says what is in view after each of them', async () => {
    const { asked: _, ...ports } = host();
    const session = new TestSession({ builder, ...ports }).user('go').round(long('one')).user('two').round(long('two'));
    const seen = (): readonly boolean[] => ['call_1', 'call_2'].map((id) => session.context.showsResult(id));
    const keep = async (): Promise<void> => void (await (await session.prepare()).keep());
    session.context.attach(NOTE);
    await keep();
    expect(seen()).toEqual([true, true]);
    session.context.snip();
    await session.prepare();
    expect(seen()).toEqual([true, true]);
    await keep();
    expect(seen()).toEqual([false, true]);
    session.context.compact();
    await keep();
    expect(seen()).toEqual([false, false]);
    await session.context.undo();
    expect(seen()).toEqual([false, true]);
    await session.context.undo();
    expect(seen()).toEqual([true, true]);
    session.context.rewind(4);
    expect(seen()).toEqual([true, false]);
  });
});
