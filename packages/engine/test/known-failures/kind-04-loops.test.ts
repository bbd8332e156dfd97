/** Compactions in a loop, and compactions that gain nothing. */
import { describe, expect, it } from 'vitest';
import { isEpoch } from '../../src/core/edit.ts';
import { filler, SCENES, Story, sum, tooLong, still } from './support/story.ts';

describe.each(SCENES)('kind 4, $name', (scene) => {
  const { builder } = scene;

  it('C02: system and tools over the threshold by themselves do not compact on every call; the refusal names them', async () => {
    const writer = sum();
    const story = new Story(still(scene), { writer, windowTokens: 20_000, maxOutputTokens: 1_000 });
    const system = filler('SYSTEM', 4 * 17_000);
    const request = builder.request([], { system, toolNames: ['bash', 'recall'], maxOutputTokens: 1_000 });
    for (let n = 0; n < 8; n += 1) {
      story.user(`Turn ${n}.`).assistant(filler('words', 300)).user('Go on.');
      await (await story.context.prepare(request)).accept(builder.reply({ text: 'Done.' }));
    }
    const summaries = story.context
      .groups()
      .filter((group) => isEpoch(group) && group.edits.some(({ layer }) => layer === 'summary'));
    expect(summaries.length).toBeLessThanOrEqual(2);
    story.user('And now?');
    let turn = await story.context.prepare(request);
    const refused = async (): Promise<void> => {
      for (let n = 0; n < 5; n += 1) {
        const next = await turn.fail(tooLong());
        if (next === undefined) return;
        turn = next;
      }
    };
    await expect(refused()).rejects.toMatchObject({
      code: 'WINDOW_EXHAUSTED',
      message: expect.stringMatching(
        /system and tools take about 17\d{3} of 20000 tokens; use fewer tools, a shorter system prompt/,
      ) as string,
    });
  });

  it('C03: a summary that frees less than the least is refused, and is not asked for again at once', async () => {
    const windowTokens = 20_000;
    // A tenth of it counts on a window a tenth of the size.
    const policy = { ...still(scene).policy, summary: { ...scene.policy.summary, minFreedTokens: 20_000 } };
    const writer = sum(() => filler('NEARLY-ALL', 4 * 18_200));
    const story = new Story(still(scene), { policy, writer, windowTokens, maxOutputTokens: 1_000 });
    const first = await story.talk(45, 1_740).user('Go on.').say();
    expect(first.held).toContain('summary: the model wrote more than it would replace');
    expect(first.tokens.view).toBeLessThan(first.window.actTokens / 2);
    for (let n = 0; n < 4; n += 1) await story.user(filler('And on.', 400)).say();
    expect(writer.requests).toHaveLength(1);
  });

  it('C05: what was reported before a compaction starts none after it', async () => {
    const writer = sum();
    const story = new Story(scene, { writer }).talk(60, 1_500).user('Go on.');
    await story.say({ text: 'Done.', usageTokens: 165_000 });
    story.user('Compact it.');
    story.context.compact();
    await story.say();
    const turn = await story.user('And now?').ask();
    expect(turn.receipt.summary).toBeUndefined();
    expect(story.context.gauge()?.tokens).toBeLessThan(40_000);
    expect(writer.prompts).toHaveLength(1);
  });

  it('C06: a refusal is answered once, and for its own model', async () => {
    const writer = sum();
    const story = new Story(scene, { writer, windowTokens: 200_000 }).talk(40, 6_000).user('Go on.');
    const turn = await story.prepare();
    await story.settle(await story.afterRefusal(turn, tooLong(50_000, 30_000)));
    expect((await story.user('More.').ask()).receipt.window.windowTokens).toBe(30_000);
    const request = builder.request([], { toolNames: ['bash', 'recall'] });
    const other = await story.context.prepare({ ...request, model: 'another' });
    expect(other.receipt.window.windowTokens).toBe(200_000);
    expect(other.receipt.summary).toBeUndefined();
    expect(writer.prompts).toHaveLength(1);
  });

  it('C07: two reasons at once are one summary', async () => {
    const writer = sum();
    const story = new Story(scene, { writer, windowTokens: 20_000, maxOutputTokens: 1_000 })
      .talk(41, 1_800)
      .user('Go on.');
    story.context.compact();
    story.context.compact();
    const [one, other] = await Promise.all([story.prepare(), story.prepare()]);
    expect(JSON.stringify(one.request)).toBe(JSON.stringify(other.request));
    await story.settle(other);
    expect(writer.prompts).toHaveLength(1);
    expect((await story.user('More.').ask()).receipt.summary).toBeUndefined();
  });

  it('C09: what stays is measured as what is too much, in any script', async () => {
    const windowTokens = 20_000;
    const story = new Story(scene, { windowTokens, maxOutputTokens: 1_000 });
    for (let n = 0; n < 20; n += 1)
      story.user(`${n} ${'漢字仮名交じり文を読む。'.repeat(300)}`).assistant(`${n} ${'日本語の返事。'.repeat(300)}`);
    story.user('次は？');
    const turn = await story.ask();
    expect(turn.receipt.tokens.view + turn.receipt.tokens.head).toBeLessThan(turn.receipt.window.actTokens);
    await story.settle(turn);
    const next = await story.user('そして？').ask();
    expect(next.receipt.summary).toBeUndefined();
  });

  it('C11: where there is nothing to compact, nobody is asked and the receipt says so', async () => {
    const writer = sum();
    const story = new Story(scene, { writer }).user('Hello.');
    story.context.compact();
    const turn = await story.ask();
    expect(turn.receipt.held).toContain('summary: manual, but too little is new since the last one');
    expect(turn.receipt.layers).toEqual([]);
    expect(writer.prompts).toEqual([]);
    await story.settle(turn);
    expect(story.context.groups()).toEqual([]);
  });

  it('C12: a failure is not for ever: with more to summarise the model is asked again', async () => {
    let isBroken = true;
    const writer = sum(() => {
      if (isBroken) throw new Error('the model is down');
      return 'Goal: to go on.';
    });
    const story = new Story(scene, { writer }).talk(30, 900).user('Go on.');
    story.context.compact();
    expect((await story.say()).summary).toMatchObject({ writer: 'code' });
    isBroken = false;
    story.talk(8, 900).user('And on.');
    story.context.compact();
    expect((await story.say()).summary).toMatchObject({ writer: 'stub' });
  });

  it('C13: a result that is not smaller is not used, and what fills the window is shortened instead', async () => {
    const windowTokens = 20_000;
    const writer = sum('All of it again. '.repeat(4_000));
    const story = new Story(scene, { writer, windowTokens, maxOutputTokens: 1_000 }).talk(4, 800).user('Read it.');
    story.call('big').results(['big', filler('BIG', 74_000)]);
    const turn = await story.ask();
    expect(story.shown(turn)).not.toContain('All of it again.');
    expect(turn.receipt.tokens.calibrated).toBeLessThan(turn.receipt.window.blockTokens);
    expect(story.shown(turn)).toContain('Full output: 74000 characters');
    await story.settle(turn);
  });
});
