/** A wrong window or threshold for the model. */
import { describe, expect, it } from 'vitest';
import { classifyError, guardedCounter, modelFacts, snip, windowOf, CLASSIC_WINDOW } from '../../src/index.ts';
import { memoryArchive } from '../../src/archives/memory.ts';
import { createContext } from '../../src/context.ts';
import { filler, SCENES, Story, sum, still } from './support/story.ts';

describe.each(SCENES)('kind 6, $name', (scene) => {
  const { builder } = scene;

  it('F03: a window the user sets is the one that counts, for a model nobody knows too', async () => {
    const facts = modelFacts('nobody/knows-this-7b', { windowTokens: 16_000 });
    const windowTokens = (model: string): number => modelFacts(model, { windowTokens: 16_000 }).windowTokens;
    expect(facts.windowTokens).toBe(16_000);
    const story = new Story(still(scene), { writer: sum(), windowTokens, maxOutputTokens: 1_000 })
      .talk(41, 1_500)
      .user('Go on.');
    const { receipt } = await story.ask();
    expect(receipt.window.windowTokens).toBe(16_000);
    expect(receipt.summary).toMatchObject({ trigger: 'threshold' });
    const unset = modelFacts('nobody/knows-this-7b');
    expect(unset.windowTokens).toBe(128_000);
  });

  it('F07: gauge, threshold and block line are one arithmetic', async () => {
    const story = new Story(scene, { windowTokens: 32_000, maxOutputTokens: 2_000 }).talk(10, 900).user('Go on.');
    const { receipt } = await story.ask();
    expect(story.context.gauge()?.window).toEqual(receipt.window);
    expect(story.context.gauge()?.window).toEqual(
      windowOf({ windowTokens: 32_000, maxOutputTokens: 2_000 }, scene.policy.window),
    );
    expect(receipt.window.blockTokens).toBeGreaterThanOrEqual(receipt.window.actTokens);
    expect(receipt.window.blockTokens).toBeLessThanOrEqual(32_000);
  });

  it('F09: another model’s window is planned for with the next turn', async () => {
    const windowTokens = (model: string): number => (model === 'small' ? 20_000 : 1_000_000);
    const story = new Story(still(scene), { writer: sum(), windowTokens }).talk(40, 14_000).user('Go on.');
    const request = builder.request([], { toolNames: ['bash', 'recall'] });
    const large = await story.context.prepare({ ...request, model: 'large' });
    expect(large.receipt.tokens.view).toBeGreaterThan(130_000);
    expect(large.receipt.summary).toBeUndefined();
    const small = await story.context.prepare({ ...request, model: 'small' });
    expect(small.receipt.window.windowTokens).toBe(20_000);
    expect(small.receipt.tokens.calibrated).toBeLessThan(small.receipt.window.actTokens);
    await story.check(small);
    await story.settle(small);
  });

  it('F09: a refusal that only its words tell of is one', () => {
    const plain = Object.assign(new Error('Bad Request'), {
      status: 400,
      error: { message: 'Your input exceeds the context window of this model.' },
    });
    expect(classifyError(plain)).toEqual({ kind: 'overflow', what: 'input' });
  });

  it('F08: an option out of its range is refused by name, one in it does what it says', async () => {
    const codec = builder.codec;
    const archive = memoryArchive();
    const make = (windowTokens: number): Promise<unknown> =>
      createContext<object, object>({ codec, archive, windowTokens }).prepare(builder.request([builder.user('Go.')]));
    for (const wrong of [0, -1, 1.5, 3_999, 2_000_001, Number.NaN])
      await expect(make(wrong), String(wrong)).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        message: expect.stringContaining('windowTokens') as string,
      });
    const story = new Story(scene).talk(3, 300);
    for (const wrong of [0, -1, 1.5])
      expect(() => story.context.snip({ keepTurns: wrong })).toThrow(/keepTurns must be a whole number from 1/);
    for (const wrong of ['', ' \n']) expect(() => story.context.pin(wrong)).toThrow(/pin/);
    expect(() => story.context.rewind(4)).toThrow('rewind takes 0 to 3 messages, not 4');
    const policy = { ...scene.policy, layers: [snip({ maxMessages: 5, headMessages: 1 })] };
    const turn = await new Story(scene, { policy }).talk(12, 400).user('Go on.').ask();
    expect(turn.receipt.layers.map(({ layer }) => layer)).toEqual(['snip']);
  });
});

describe('kind 6, facts', () => {
  it('F03: what is known gives way to what is found out and to what is set', () => {
    expect(modelFacts('claude-sonnet-4-5').windowTokens).toBe(200_000);
    expect(modelFacts('claude-sonnet-4-5', { windowTokens: 50_000 }).windowTokens).toBe(50_000);
    expect(modelFacts('claude-sonnet-4-5', { maxOutputTokens: 1_000 })).toMatchObject({
      windowTokens: 200_000,
      maxOutputTokens: 1_000,
    });
  });

  it('F08: thresholds of a rule out of range are refused by name', () => {
    for (const rule of [
      { ...CLASSIC_WINDOW, actBufferTokens: 0 },
      { ...CLASSIC_WINDOW, warnBufferTokens: -1 },
      { ...CLASSIC_WINDOW, blockBufferTokens: 13_000 },
    ])
      expect(() => windowOf({ windowTokens: 200_000, maxOutputTokens: 8_000 }, rule)).toThrow(/BufferTokens/);
    expect(guardedCounter(() => Number.NaN)(filler('x', 400))).toBeGreaterThan(50);
  });
});
