/** Prompt caches damaged, and what compactions cost. */
import { describe, expect, it } from 'vitest';
import { costOf, modelFacts } from '../../src/index.ts';
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
