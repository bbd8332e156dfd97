/** Resume, rewind, fork and what is kept on disk. Session files are tested with the agent. */
import { describe, expect, it } from 'vitest';
import { memoryArchive } from '../properties/support/doubles.ts';
import { filler, SCENES, Story, sum, still } from './support/story.ts';

const parsed = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

describe.each(SCENES)('kind 11, $name', (scene) => {
  const { builder } = scene;

  it('K01: a session taken up again is as small as it was', async () => {
    const archive = memoryArchive();
    const story = new Story(scene, { archive, writer: sum() }).talk(49, 12_000).user('Go on.');
    story.context.compact();
    const receipt = await story.say();
    expect(receipt.tokens.appendOnly).toBeGreaterThan(130_000);
    expect(receipt.tokens.view).toBeLessThan(30_000);
    const after = new Story(scene, { archive, writer: sum() });
    await after.context.restore(parsed(story.context.snapshot()), parsed(story.context.history()));
    const [here, there] = [await story.user('And now?').ask(), await after.user('And now?').ask()];
    expect(there.receipt.tokens.view).toBe(here.receipt.tokens.view);
    expect(after.said(there)).toBe(story.said(here));
  });

  it('K01: where the summary’s own text is lost the session is compacted anew, not sent whole', async () => {
    const lost = { ...memoryArchive(), get: async () => undefined };
    const windowTokens = 40_000;
    const story = new Story(scene, { writer: sum(filler('SUMMARY', 2_000)), windowTokens, maxOutputTokens: 2_000 });
    await story.talk(49, 6_000).user('Go on.').say();
    const after = new Story(scene, { archive: lost, writer: sum(), windowTokens, maxOutputTokens: 2_000 });
    await after.context.restore(parsed(story.context.snapshot()), parsed(story.context.history()));
    const turn = await after.user('And now?').ask();
    expect(turn.receipt.tokens.calibrated).toBeLessThan(turn.receipt.window.actTokens);
    await after.settle(turn);
  });

  it('K03: a store that fails at any write leaves the session as it was, and it goes on', async () => {
    const build = (failing: number): { story: Story; writes: () => number } => {
      const archive = memoryArchive();
      let writes = 0;
      const put = async (address: string, text: string): Promise<void> => {
        writes += 1;
        if (writes === failing) throw new Error('the disk is gone');
        await archive.put(address, text);
      };
      const story = new Story(still(scene), { archive: { ...archive, put }, writer: sum(filler('SUMMARY', 900)) }).user(
        'Go.',
      );
      for (let n = 0; n < 6; n += 1) story.round(filler(`result ${n}`, 2_400));
      story.talk(4, 900).user('And now?');
      story.context.compact({ span: { upTo: 9 } });
      return { story, writes: () => writes };
    };
    const whole = build(0);
    await whole.story.prepare();
    const total = whole.writes();
    expect(total).toBeGreaterThanOrEqual(1);
    for (let failing = 1; failing <= total; failing += 1) {
      const { story } = build(failing);
      const before = JSON.stringify([story.context.history(), story.context.snapshot(), story.context.view()]);
      await expect(story.prepare(), `write ${failing}`).rejects.toThrow('the disk is gone');
      expect(JSON.stringify([story.context.history(), story.context.snapshot(), story.context.view()])).toBe(before);
      await story.say();
    }
  });

  it('K07: one can step back over compactions: the first summary is as it was, and undone there is none', async () => {
    const writer = sum((_, call) => `SUMMARY-${call}.`);
    const story = new Story(scene, { writer }).talk(12, 900).user('One.');
    story.context.compact();
    await story.say({ text: 'One done.' });
    const length = story.context.history().length;
    story.talk(7, 900).user('Two.');
    const between = story.said(await story.ask());
    story.context.compact();
    await story.say({ text: 'Two done.' });
    expect(await story.context.undo()).toBe(true);
    story.rewind(length + 8);
    expect(story.said(await story.ask())).toBe(between);
    story.rewind(length).user('Another two.');
    const back = story.shown(await story.ask());
    expect(back).toContain('SUMMARY-1.');
    expect(back).not.toContain('SUMMARY-2.');
    expect(await story.context.undo()).toBe(true);
    expect(story.shown(await story.ask())).toContain(filler('11', 5).slice(0, 3));
    expect(story.shown(await story.ask())).not.toContain('SUMMARY');
  });

  it('K08: a fork of the beginning has nothing of what was compacted later', async () => {
    const archive = memoryArchive();
    const story = new Story(scene, { archive, writer: sum() }).talk(97, 900).user('Go on.');
    story.context.compact();
    await story.say();
    const fork = new Story(scene, { archive });
    await fork.context.restore(parsed(story.context.snapshot()), parsed(story.context.history().slice(0, 3)));
    const turn = await fork.ask();
    expect(turn.receipt.layers).toEqual([]);
    expect(turn.receipt.tokens.view + turn.receipt.tokens.head).toBe(turn.receipt.tokens.appendOnly);
    expect(JSON.parse(fork.said(turn))).toHaveLength(3);
  });

  it('K09: messages are known by what they say: parsed anew for each call they cost one summary, not five', async () => {
    const writer = sum();
    const story = new Story(still(scene), { writer, windowTokens: 20_000, maxOutputTokens: 1_000 })
      .talk(45, 1_800)
      .user('Go on.');
    const messages: object[] = [...story.context.history()];
    const fresh = new Story(still(scene), { writer, windowTokens: 20_000, maxOutputTokens: 1_000 });
    for (let turn = 1; turn <= 5; turn += 1) {
      const request = builder.request(parsed(messages), { toolNames: ['bash', 'recall'] });
      const given = await fresh.context.prepare(request);
      await given.accept(builder.reply({ text: `Done ${turn}.` }));
      messages.push(builder.assistant({ text: `Done ${turn}.` }), builder.user(`Turn ${turn}.`));
    }
    expect(writer.prompts).toHaveLength(1);
    expect(fresh.context.history()).toHaveLength(55);
  });

  it('K13: what is put away again is put away once', async () => {
    const archive = memoryArchive();
    const named: string[] = [];
    const transcript = async (_: readonly object[], address: string): Promise<void> => void named.push(address);
    const story = new Story(scene, { archive, transcript, writer: sum(new Error('down')) }).user('Go.');
    for (let n = 0; n < 5; n += 1) story.round(filler('the same result', 2_000));
    story.user('And now?');
    story.context.compact({ span: { upTo: 9 } });
    for (let attempt = 0; attempt < 3; attempt += 1) await story.prepare();
    const results = [...archive.texts.values()].filter((text) => text.startsWith('the same result'));
    expect(results).toHaveLength(1);
    expect(new Set(named).size).toBe(1);
  });

  it('K15: the history is what it was, to the byte, whatever is compacted', async () => {
    const story = new Story(scene, { writer: sum() }).user('Go.');
    for (let n = 0; n < 8; n += 1) story.round(filler(`result ${n}`, 2_000));
    story.talk(11, 900).user('And now?');
    const before = JSON.stringify(story.context.history());
    const objects = story.context.history();
    for (const step of ['compact', 'snip', 'compact'] as const) {
      story.context[step]();
      await (await story.prepare()).keep();
    }
    await story.context.undo();
    expect(JSON.stringify(story.context.history())).toBe(before);
    expect(story.context.history().every((message, index) => message === objects[index])).toBe(true);
  });
});
