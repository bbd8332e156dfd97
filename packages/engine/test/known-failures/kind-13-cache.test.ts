/** Prompt caches damaged, and what compactions cost. */
import { describe, expect, it } from 'vitest';
import { isEpoch } from '../../src/core/edit.ts';
import { cachePricesOf, costOf, modelFacts, type Policy } from '../../src/index.ts';
import { messagesOf } from '../golden/session.ts';
import { anthropicBuilder } from '../../src/testing/wire-builder.ts';
import { filler, POLICIES, SCENES, Story, sum } from './support/story.ts';

describe.each(SCENES)('kind 13, $name', (scene) => {
  const { builder } = scene;

  it('L04: the same history gives the same bytes a hundred times, and after a restart', async () => {
    const build = (): Story => {
      const story = new Story(scene, { writer: sum(), windowTokens: 20_000, maxOutputTokens: 1_000 }).user('Go.');
      for (let n = 0; n < 12; n += 1) story.round(filler(`result ${n}`, 2_000), '🦊 漢字 "quoted" \\ \u2028');
      return story.user('And now?');
    };
    const story = build();
    const first = JSON.stringify((await story.ask()).request);
    for (let n = 0; n < 100; n += 1) expect(JSON.stringify((await story.prepare()).request) === first).toBe(true);
    expect(JSON.stringify((await build().ask()).request)).toBe(first);
    const before = JSON.stringify((await story.ask()).request);
    const after = build();
    await after.context.restore(
      JSON.parse(JSON.stringify(story.context.snapshot())),
      JSON.parse(JSON.stringify(story.context.history())) as object[],
    );
    expect(JSON.stringify((await after.ask()).request)).toBe(before);
  });

  it('L04: a message more leaves what was sent before it as it was, where nothing was due', async () => {
    const story = new Story(scene).talk(6, 900).user('Go on.');
    const turn = await story.ask();
    const before = JSON.parse(story.said(turn)) as readonly unknown[];
    await story.settle(turn, { text: 'Done.' });
    const next = JSON.parse(story.said(await story.user('More.').ask())) as readonly unknown[];
    expect(next.slice(0, before.length)).toEqual(before);
  });

  it('L06: what a compaction took and gave is told, and an unchanged session pays for it once', async () => {
    const writer = sum({ text: 'Goal: to go on.', stop: 'end', inputTokens: 5_000, outputTokens: 40 });
    const story = new Story(scene, { writer }).talk(30, 1_500).user('Go on.');
    story.context.compact();
    for (let n = 0; n < 3; n += 1) await story.prepare();
    const { receipt } = await story.ask();
    expect(writer.prompts).toHaveLength(1);
    expect(receipt.summary).toEqual({
      writer: 'stub',
      trigger: 'manual',
      attempts: 1,
      inputTokens: 5_000,
      outputTokens: 40,
    });
    const layer = receipt.layers.find((one) => one.layer === 'summary');
    expect(layer?.tokensBefore).toBeGreaterThan(11_000);
    expect(layer?.tokensAfter).toBe(receipt.tokens.view);
    expect(receipt.tokens.appendOnly - receipt.tokens.view).toBeGreaterThan(9_000);
    expect(builder.name).toBeTruthy();
  });
});

const SCHEDULED = SCENES.filter(({ policy }) => policy.rhythm !== undefined);

describe.each(SCHEDULED)('kind 13, a schedule, $name', (scene) => {
  const { builder } = scene;
  const TURNS = 80;

  /** Eighty reads and edits; what is sent again from the start of the request on is read from the cache, the rest is written to it. */
  async function bill(policy: Policy): Promise<{ cost: number; changes: number; epochs: number }> {
    const prices = cachePricesOf(modelFacts('claude-sonnet-4-5'));
    const story = new Story(scene, { policy, prices: () => prices, now: () => 0 }).user('Fix them all.');
    let [cost, changes] = [0, 0];
    let before: readonly string[] = [];
    for (let n = 0; n < TURNS; n += 1) {
      const turn = await story.prepare();
      const messages = messagesOf(turn, builder).map((message) => JSON.stringify(builder.codec.canonical(message)));
      const same = before.findIndex((message, index) => message !== messages[index]);
      const kept = same < 0 ? before.length : same;
      if (kept < before.length) changes += 1;
      const chars = (from: number, to?: number): number =>
        messages.slice(from, to).reduce((sum, { length }) => sum + length, 0);
      cost += chars(0, kept) * prices.readTimes + chars(kept) * prices.writeTimes;
      before = messages;
      const input = { path: `src/file-${n % 7}.ts`, ...(n % 2 === 0 ? {} : { old_text: `a${n}`, new_text: `b${n}` }) };
      const call = { id: `c${n}`, name: n % 2 === 0 ? 'read_file' : 'edit_file', input };
      await turn.accept(builder.reply({ text: `Step ${n}.`, calls: [call] }));
      story.results([call.id, n % 2 === 0 ? filler(`file ${n}`, 9_000) : 'edited']);
    }
    return {
      cost,
      changes,
      epochs: story.context
        .groups()
        .filter(isEpoch)
        .filter(({ cause }) => cause !== 'arrival').length,
    };
  }

  it('L01: what was sent changes at an epoch only, and the bill is lower than that of leaving all as it is', async () => {
    const { rhythm: _, ...rest } = scene.policy;
    const [scheduled, nothing] = [await bill(scene.policy), await bill({ ...rest, layers: [] })];
    expect(nothing).toMatchObject({ changes: 0, epochs: 0 });
    expect(scheduled.epochs).toBeGreaterThan(0);
    expect(scheduled.changes).toBeLessThanOrEqual(scheduled.epochs);
    expect(scheduled.cost).toBeLessThan(nothing.cost);
  });
});

describe('kind 13, bills', () => {
  it('L02: what was written to a cache is no hit, and each has its own price', () => {
    // Three dollars a million of input: a write is a quarter more, a read a tenth.
    const facts = modelFacts('claude-sonnet-4-5');
    const usage = { inputTokens: 110_000, cacheReadTokens: 0, cacheWriteTokens: 100_000, outputTokens: 0 };
    expect(costOf(usage, facts)).toMatchObject({ cacheReadUsd: 0, cacheWriteUsd: 0.375, inputUsd: 0.03 });
    const read = { ...usage, cacheReadTokens: 100_000, cacheWriteTokens: 0 };
    expect(costOf(read, facts)).toMatchObject({ cacheReadUsd: 0.03, cacheWriteUsd: 0, inputUsd: 0.03 });
  });

  it.each(POLICIES)('L03: four breakpoints at most, the caller’s own among them, $name', async (policy) => {
    const mark = { type: 'ephemeral' };
    const story = new Story({ name: '', builder: anthropicBuilder, policy }, { writer: sum() }).talk(12, 900);
    const request = {
      ...anthropicBuilder.request([], { toolNames: ['bash', 'recall'] }),
      system: [1, 2].map((n) => ({ type: 'text', text: `Part ${n}.`, cache_control: mark })),
      tools: ['bash', 'recall'].map((name) => ({ name, input_schema: { type: 'object' }, cache_control: mark })),
    };
    story.user('And now?');
    story.context.compact();
    const turn = await story.context.prepare(request);
    await story.check(turn);
    expect(JSON.stringify(turn.request).split('"cache_control"')).toHaveLength(5);
  });
});
