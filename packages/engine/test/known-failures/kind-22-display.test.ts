/** What is shown, set and told. */
import { describe, expect, it } from 'vitest';
import { ContextError } from '../../src/core/errors.ts';
import { filler, SCENES, Story, sum, tooLong } from './support/story.ts';

describe.each(SCENES)('kind 22, $name', (scene) => {
  const { builder } = scene;

  it('X01: gauge, receipt and breakdown are one number, and it is what the threshold looks at', async () => {
    const story = new Story(scene, { windowTokens: 30_000, maxOutputTokens: 2_000, writer: sum() })
      .talk(20, 1_500)
      .user('Go on.');
    const request = builder.request([], { toolNames: ['bash', 'recall'], maxOutputTokens: 2_000 });
    const { receipt } = await story.ask();
    await story.settle(await story.prepare());
    const gauge = story.context.gauge();
    const parts = story.context.breakdown(request);
    expect(gauge?.tokens).toBe(parts.totalTokens);
    expect(parts.categories.reduce((total, { tokens }) => total + tokens, 0)).toBe(parts.totalTokens);
    expect(parts.actTokens).toBe(receipt.window.actTokens);
    expect(gauge?.window).toEqual(receipt.window);
    expect(receipt.tokens.calibrated).toBeLessThanOrEqual(gauge?.tokens ?? 0);
    expect((gauge?.tokens ?? 0) - receipt.tokens.calibrated).toBeLessThan(40);
    expect(receipt.summary).toBeUndefined();
    const full = await story.talk(40, 2_500).user('And on.').ask();
    expect(full.receipt.summary).toMatchObject({ trigger: 'threshold' });
  });

  it('X02: right after a compaction the figure is that of the new view, and both sides are measured alike', async () => {
    const story = new Story(scene, { writer: sum() }).talk(40, 2_000).user('Go on.');
    await story.say({ text: 'Done.', usageTokens: 25_000 });
    const before = story.context.gauge()?.tokens ?? 0;
    story.user('Compact it.');
    story.context.compact();
    const turn = await story.ask();
    await turn.keep();
    const after = story.context.gauge()?.tokens ?? 0;
    expect(before).toBeGreaterThan(20_000);
    expect(after).toBeLessThan(before / 4);
    const layer = turn.receipt.layers.find((one) => one.layer === 'summary');
    expect(layer?.tokensAfter).toBe(turn.receipt.tokens.view);
    expect(layer?.tokensBefore ?? 0).toBeGreaterThan(layer?.tokensAfter ?? 0);
  });

  it('X07: a host that blocks at the hard limit gets one typed error and no loop', async () => {
    const story = new Story(scene, { windowTokens: 40_000, beforeSummary: async () => ({ block: 'not now' }) })
      .talk(20, 5_000)
      .user('Go on.');
    const turn = await story.prepare();
    const refusal = tooLong(41_000, 40_000);
    await expect(turn.fail(refusal)).rejects.toMatchObject({
      code: 'COMPACTION_BLOCKED',
      message: expect.stringContaining('not now') as string,
      cause: refusal,
    });
    await expect(turn.fail(refusal)).rejects.toMatchObject({ code: 'TURN_SETTLED' });
  });

  it('X08: whatever a writer throws, the turn goes on', async () => {
    const thrown: readonly unknown[] = [
      new Error('x'),
      'a string',
      undefined,
      null,
      7,
      { status: 500 },
      Object.create(null),
      Symbol('s'),
    ];
    for (const error of thrown) {
      const writer = { name: 'rude', write: () => Promise.reject(error as Error) };
      const story = new Story(scene, { writer }).talk(12, 900).user('And now?');
      story.context.compact();
      const turn = await story.ask();
      expect(turn.receipt.summary, String(typeof error)).toMatchObject({ writer: 'code' });
      await story.settle(turn);
    }
  });

  it('X09: what stands for messages is known by its entry, never by its words; every error names what to do next', async () => {
    const story = new Story(scene, { writer: sum() })
      .user('[Compacted]\n\nThis is what a person typed.')
      .talk(12, 900)
      .user('And now?');
    story.context.compact({ span: { upTo: 0 } });
    const plain = await story.ask();
    expect(story.shown(plain)).toContain('This is what a person typed.');
    await story.settle(plain);
    expect(story.context.view().entries.every(({ range }) => range === undefined)).toBe(true);
    story.user('Now compact.');
    story.context.compact();
    await story.say();
    const [made] = story.context.view().entries;
    expect(made?.range).toMatchObject({ layer: 'summary', from: 0 });
    const errors: ContextError[] = [];
    const tries: readonly (() => unknown)[] = [
      () => story.context.rewind(-1),
      () => story.context.pin(''),
      () => story.context.pin(filler('long', 400_000)),
      () => story.context.snip({ keepTurns: 0 }),
      () => story.context.recall('nonsense'),
      () => story.context.restore({ v: 9 }, []),
      () => story.context.append([{ role: 'nobody', content: 'x' }]),
    ];
    for (const attempt of tries)
      try {
        await attempt();
      } catch (error) {
        errors.push(error as ContextError);
      }
    expect(errors).toHaveLength(tries.length);
    for (const error of errors) {
      expect(error).toBeInstanceOf(ContextError);
      expect(error.code).toMatch(/^[A-Z_]+$/);
      expect(error.message.length).toBeGreaterThan(20);
    }
  });
});
