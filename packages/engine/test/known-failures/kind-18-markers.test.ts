/** Re-reads and markers that cannot be redeemed. What the agent knows of files it read is tested with the agent. */
import { describe, expect, it } from 'vitest';
import { fsArchive } from '../../src/archives/fs.ts';
import { recallTool } from '../../src/index.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filler, partsIn, pruning, SCENES, Story, sum } from './support/story.ts';

describe.each(SCENES)('kind 18, $name', (scene) => {
  const { builder } = scene;
  const told = (options: object = {}): Story => {
    const story = new Story(pruning(scene), { writer: sum(), ...options }).user('Go.');
    for (let n = 0; n < 6; n += 1) story.round(filler(`RESULT-${n}`, 2_000));
    return story.user('And now?');
  };

  it('N03: what was read and run is listed with its outcome after a compaction, within bounds', async () => {
    const story = new Story(scene, { windowTokens: 40_000 }).user('Fix it.');
    for (let n = 0; n < 60; n += 1) {
      const call = {
        id: `r${n}`,
        name: n % 2 === 0 ? 'read_file' : 'edit_file',
        input: { path: `src/file-${n}.ts`, old_text: 'a', new_text: 'b' },
      };
      story.context.append([
        builder.assistant({ calls: [call] }),
        ...builder.results([{ callId: call.id, text: filler(`text ${n}`, 300) }]),
      ]);
    }
    story.user('And now?');
    story.context.compact();
    const turn = await story.ask();
    const shown = story.shown(turn);
    expect(shown).toContain('Files, with the last operation:');
    expect(shown).toMatch(/- "src\/file-58\.ts" read/);
    expect(shown).toMatch(/- "src\/file-59\.ts" edited/);
    expect(turn.receipt.tokens.view).toBeLessThan(2_000);
  });

  it('N04: a prune goes on past what is pruned already', async () => {
    const story = told();
    const blanked = (turn: Awaited<ReturnType<Story['ask']>>): number =>
      partsIn(builder, turn).filter(
        (part) => part.kind === 'result' && part.text.includes('Earlier tool result compacted'),
      ).length;
    const first = await story.ask();
    expect(blanked(first)).toBe(3);
    await story.settle(first);
    story.user('More.').round(filler('RESULT-6', 2_000), filler('RESULT-7', 2_000));
    const second = await story.ask();
    expect(blanked(second)).toBe(5);
    expect(story.shown(second)).toContain('RESULT-7 lor');
  });

  it('N05: without a way to get it back nothing is taken out but by a summary', async () => {
    const story = told();
    const turn = await story.ask(['bash']);
    expect(story.shown(turn)).not.toMatch(/recall: [ch]_/);
    for (let n = 0; n < 6; n += 1) expect(story.shown(turn)).toContain(`RESULT-${n} lor`);
    expect(turn.receipt.held).toContain('free layers: the request offers no recall tool to redeem their markers');
    story.context.compact();
    expect(story.shown(await story.ask(['bash']))).not.toContain('recall: ');
  });

  it('N05: what is got back is the very bytes, in another process too, and stays while it is new', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'holdover-engine-'));
    try {
      const story = told({ archive: fsArchive(directory) });
      const turn = await story.ask();
      const [, address = ''] = /recall: (c_[0-9a-f]{16})/.exec(story.shown(turn)) ?? [];
      await story.settle(turn, { calls: [{ id: 'back', name: 'recall', input: { address } }] });
      const other = new Story(pruning(scene), { archive: fsArchive(directory) });
      await other.context.restore(JSON.parse(JSON.stringify(story.context.snapshot())), story.context.history());
      expect(await other.context.recall(address)).toMatchObject({ text: filler('RESULT-0', 2_000) });
      const tool = recallTool(other.context);
      const { text } = await tool.run({ address });
      expect(text).toContain(filler('RESULT-0', 2_000));
      other.results(['back', text]);
      const next = await other.ask();
      expect(other.shown(next)).toContain(filler('RESULT-0', 2_000));
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('N05: an address of another session, or one made up, gives nothing', async () => {
    const story = told();
    const turn = await story.ask();
    const [, address = ''] = /recall: (c_[0-9a-f]{16})/.exec(story.shown(turn)) ?? [];
    await story.settle(turn);
    const stranger = new Story(scene, { archive: story.archive }).user('Hello.');
    await expect(stranger.context.recall(address)).rejects.toMatchObject({ code: 'UNKNOWN_ADDRESS' });
    await expect(story.context.recall('c_0123456789abcdef')).rejects.toMatchObject({ code: 'UNKNOWN_ADDRESS' });
  });
});
