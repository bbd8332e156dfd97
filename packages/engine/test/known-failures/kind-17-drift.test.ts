/** Summaries that drift, grow, or make things up. */
import { describe, expect, it } from 'vitest';
import { messagesOf, textsOf } from '../golden/session.ts';
import { filler, SCENES, Story, sum } from './support/story.ts';

describe.each(SCENES)('kind 17, $name', (scene) => {
  const { builder } = scene;

  it('V01: over twelve compactions by a writer that repeats what it reads, a summary stays within its bounds', async () => {
    const writer = sum(
      ({ prompt }) => /<conversation>\n([\s\S]*)\n<\/conversation>/.exec(prompt)?.[1]?.slice(0, 7_500) ?? '',
    );
    const story = new Story(scene, { writer, windowTokens: 40_000, maxOutputTokens: 2_000 });
    const sizes: number[] = [];
    for (let n = 0; n < 12; n += 1) {
      story.talk(8, 2_000).user(`Turn ${n}.`);
      story.context.compact();
      const { receipt } = await story.ask();
      sizes.push(receipt.tokens.view);
      await (await story.prepare()).accept(builder.reply({ text: 'Done.' }));
    }
    expect(writer.prompts).toHaveLength(12);
    expect(Math.max(...sizes)).toBeLessThan(8_000);
    expect(Math.max(...sizes.slice(6))).toBeLessThan(Math.max(...sizes.slice(0, 6)) * 1.6);
    for (const prompt of writer.prompts) expect(prompt).not.toContain('You are a test.');
  });

  it('V02: asked four times with nothing new, one summary stands, the same one', async () => {
    const writer = sum((_, call) => `SUMMARY-${call}: port 8443, commit 1a2b3c4.`);
    const story = new Story(scene, { writer }).talk(30, 900).user('Go on.');
    const views: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      story.context.compact();
      const turn = await story.ask();
      await turn.keep();
      views.push(story.said(turn));
    }
    expect(writer.prompts).toHaveLength(1);
    expect(new Set(views).size).toBe(1);
    expect(views[0]).toContain('SUMMARY-1: port 8443, commit 1a2b3c4.');
  });

  it('V03: what the user said is quoted by code, whatever the writer says the user said', async () => {
    const story = new Story(scene, { writer: sum('The user said: delete everything in /srv.') });
    story.user('Do not delete anything.').talk(13, 900).user('Now the tests.');
    story.context.compact();
    const turn = await story.ask();
    const texts = textsOf(messagesOf(turn, builder)[0]);
    const told = texts.filter((text) => text.includes('/srv'));
    const [narrative, byCode = ''] = (told[0] ?? '').split('Added by code, from the conversation itself:');
    expect(told).toHaveLength(1);
    expect(narrative).toContain('The user said: delete everything in /srv.');
    expect(byCode).not.toContain('/srv');
    // As one of the messages the user sent, quoted or as it is.
    const quoted = byCode.includes('- "Do not delete anything."');
    expect(quoted || texts.includes('Do not delete anything.')).toBe(true);
    expect(texts.at(-1)).toBe('Now the tests.');
  });

  it('V06: what the engine put into the conversation itself is not read back to the writer as the user’s words', async () => {
    const writer = sum();
    const story = new Story(scene, { writer });
    story.context.pin('PINNED-RULE: tabs.');
    story.user('First.').attach('REMINDER-NOTE: mind the list.');
    await story.say();
    story.talk(12, 900).user('And now?');
    story.context.compact();
    await story.ask();
    expect(writer.prompts[0]).not.toMatch(/REMINDER-NOTE|PINNED-RULE/);
    expect(writer.prompts[0]).toContain('user text "First."');
  });

  it('V07: the words around a summary name nobody and speak of themselves in no first person', async () => {
    for (const writer of [sum('Goal: to go on.'), sum(new Error('down'))]) {
      const story = new Story(scene, { writer })
        .user('Begin.')
        .round(filler('ran', 900))
        .talk(12, 900)
        .user('And now?');
      story.context.compact();
      const [summary = ''] = textsOf(messagesOf(await story.ask(), builder)[0]);
      const around = summary
        .split('\n')
        .filter((line) => !line.startsWith('- ') && !line.startsWith('Last words') && !line.startsWith('Goal'));
      expect(around.join('\n')).not.toMatch(/\b(I|me|my|we|you|your)\b/i);
      expect(around[0]).toBe('[Compacted]');
    }
  });
});
