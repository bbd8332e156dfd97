/** Messages lost or stuck around a compaction. */
import { describe, expect, it } from 'vitest';
import { isEpoch } from '../../src/core/edit.ts';
import type { Writer } from '../../src/core/summary/writer.ts';
import { messagesOf, textsOf } from '../golden/session.ts';
import { filler, SCENES, Story, sum, TOOLS } from './support/story.ts';

function later<Value>(): { readonly promise: Promise<Value>; readonly resolve: (value: Value) => void } {
  let resolve: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** A writer that answers when it is told to. */
function slow(): Writer & {
  readonly asked: Promise<void>;
  readonly signals: AbortSignal[];
  answer(text: string): void;
} {
  const signals: AbortSignal[] = [];
  const hear = later<void>();
  const tell = later<string>();
  return {
    name: 'slow',
    signals,
    asked: hear.promise,
    answer: (text) => tell.resolve(text),
    async write(_, signal) {
      if (signal !== undefined) signals.push(signal);
      hear.resolve(undefined);
      return { text: await tell.promise, stop: 'end' };
    },
  };
}

describe.each(SCENES)('kind 10, $name', (scene) => {
  const { builder } = scene;
  const request = builder.request([], { toolNames: TOOLS });
  const lastTexts = (story: Story, count: number): readonly (string | undefined)[] =>
    story.context
      .history()
      .slice(-count)
      .map((message) => textsOf(message)[0]);

  it('J01: what is said while a summary is written comes after it, in order, once', async () => {
    const writer = slow();
    const story = new Story(scene, { writer }).talk(12, 900).user('And now?');
    story.context.compact();
    const given = story.context.prepare(request);
    await writer.asked;
    story.user('Seven.').user('Eight.');
    writer.answer('Goal: to go on.');
    const turn = await given;
    await story.check(turn);
    expect(story.shown(turn)).not.toContain('Seven.');
    await story.settle(turn, { text: 'Done.' });
    expect(lastTexts(story, 4)).toEqual(['And now?', 'Done.', 'Seven.', 'Eight.']);
    const next = await story.ask();
    expect(
      messagesOf(next, builder)
        .flatMap(textsOf)
        .filter((text) => /Seven|Eight/.test(text)),
    ).toEqual(['Seven.', 'Eight.']);
  });

  it('J03: a second request for a compaction joins the one under way', async () => {
    const writer = slow();
    const story = new Story(scene, { writer }).talk(12, 900).user('And now?');
    story.context.compact();
    const first = story.context.prepare(request);
    await writer.asked;
    story.context.compact();
    const second = story.context.prepare(request);
    writer.answer('Goal: to go on.');
    expect(JSON.stringify((await first).request)).toBe(JSON.stringify((await second).request));
    await story.settle(await second);
    expect(story.context.groups().filter(isEpoch)).toHaveLength(1);
  });

  it('J04: a compaction that is asked for stays one, whatever is said behind it', async () => {
    const writer = sum();
    const story = new Story(scene, { writer }).talk(12, 900).user('And now?');
    const open = await story.ask();
    story.context.compact({ focus: 'the tests' });
    story.user('What about the tests?');
    await story.settle(open);
    const turn = await story.ask();
    expect(turn.receipt.summary).toMatchObject({ trigger: 'manual' });
    expect(writer.prompts[0]).toContain('Above all keep what concerns: the tests');
    expect(story.shown(turn)).toContain('What about the tests?');
    await story.settle(turn);
  });

  it('J05: an abort reaches the writer and changes nothing; one that comes late stops nothing else', async () => {
    const writer = slow();
    const story = new Story(scene, { writer }).talk(12, 900).user('And now?');
    const before = JSON.stringify(story.context.snapshot());
    story.context.compact();
    const [first, second] = [new AbortController(), new AbortController()];
    const given = story.context.prepare(request, { signal: first.signal });
    await writer.asked;
    first.abort(new Error('stopped by the user'));
    await expect(given).rejects.toThrow('stopped by the user');
    expect(writer.signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(JSON.stringify(story.context.snapshot())).toBe(before);
    const again = story.context.prepare(request, { signal: second.signal });
    first.abort(new Error('stopped once more'));
    writer.answer('Goal: to go on.');
    const turn = await again;
    expect(turn.receipt.summary).toMatchObject({ writer: 'slow' });
    await story.settle(turn);
  });

  it('J07: a deadline of the host ends the call itself, not only the waiting', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const writer: Writer = {
      name: 'deaf',
      write: (_, signal) => {
        signals.push(signal);
        return new Promise(() => undefined);
      },
    };
    const story = new Story(scene, { writer }).talk(12, 900).user('And now?');
    story.context.compact();
    const given = story.context.prepare(request, { signal: AbortSignal.timeout(20) });
    await expect(given).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(signals[0]?.aborted).toBe(true);
    expect(story.context.groups()).toEqual([]);
  });

  it('J08: over a hundred orders of speaking and compacting nothing is lost', async () => {
    for (let order = 0; order < 100; order += 1) {
      let chance = order + 1;
      const draw = (most: number): number => {
        chance = (chance * 48_271) % 2_147_483_647;
        return chance % most;
      };
      const story = new Story(scene, { writer: sum() }).talk(9, 300);
      const told: string[] = [];
      const works: Promise<unknown>[] = [];
      for (let step = 0; step < 6; step += 1) {
        const what = draw(3);
        if (what === 0) story.context.compact();
        if (what === 1)
          works.push(
            story.context
              .prepare(request)
              .then((turn) => turn.accept(builder.reply({ text: `R${step}` })).catch(() => undefined)),
          );
        story.user(`M${order}-${step}`);
        told.push(`M${order}-${step}`);
      }
      await Promise.all(works);
      const turn = await story.prepare();
      const history = story.context.history().flatMap(textsOf);
      expect(
        history.filter((text) => text.startsWith(`M${order}-`)),
        `order ${order}`,
      ).toEqual(told);
      expect(turn.receipt.tokens.view).toBeGreaterThan(0);
    }
  });

  it('J09: two triggers make one summary in one place', async () => {
    const writer = sum('THE-SUMMARY.');
    const story = new Story(scene, { writer, windowTokens: 20_000, maxOutputTokens: 1_000 })
      .talk(41, 1_800)
      .user('Go on.');
    story.context.compact();
    const turn = await story.ask();
    expect(story.shown(turn).split('THE-SUMMARY.')).toHaveLength(2);
    await story.settle(turn);
    const epochs = story.context
      .groups()
      .filter(isEpoch)
      .filter(({ edits }) => edits.some(({ layer }) => layer === 'summary'));
    expect(epochs).toHaveLength(1);
    expect(story.shown(await story.user(filler('More', 200)).ask()).split('THE-SUMMARY.')).toHaveLength(2);
  });
});
