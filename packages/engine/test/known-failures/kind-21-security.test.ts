/** Secrets, hostile ids, and helpers that could act. */
import { describe, expect, it } from 'vitest';
import { lstatSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fsArchive } from '../../src/archives/fs.ts';
import { redactSecrets } from '../../src/index.ts';
import { filler, pruning, SCENES, Story, sum } from './support/story.ts';

const HOSTILE = [
  '../../x',
  'a\u0000b',
  'C:\\x',
  'a;rm -rf /',
  'x'.repeat(5_000),
  'CON',
  '.',
  '..',
  'c_0123456789abcdef',
];

describe.each(SCENES)('kind 21, $name', (scene) => {
  const { builder } = scene;

  it('S03: no id of a provider becomes a name on the disk', async () => {
    const parent = mkdtempSync(join(tmpdir(), 'holdover-engine-'));
    const directory = join(parent, 'archive');
    try {
      const story = new Story(pruning(scene), { archive: fsArchive(directory) }).user('Go.');
      for (const [index, id] of HOSTILE.entries())
        story.context.append([
          builder.assistant({ calls: [{ id, name: 'bash', input: {} }] }),
          ...builder.results([{ callId: id, text: filler(`result ${index}`, 2_000) }]),
        ]);
      story.user('And now?');
      const turn = await story.prepare();
      await turn.accept(builder.reply({ text: 'Done.' }));
      expect(readdirSync(parent)).toEqual(['archive']);
      const files = readdirSync(directory);
      expect(files.length).toBe(HOSTILE.length - 3);
      for (const name of files) {
        expect(name).toMatch(/^c_[0-9a-f]{16}\.txt$/);
        expect(lstatSync(join(directory, name)).mode & 0o777).toBe(0o600);
      }
    } finally {
      rmSync(parent, { recursive: true });
    }
  });

  it('S03: a link put where a text belongs is not followed, neither to write nor to read', async () => {
    const parent = mkdtempSync(join(tmpdir(), 'holdover-engine-'));
    try {
      const target = join(parent, 'target');
      writeFileSync(target, 'somebody else’s');
      const probe = new Story(pruning(scene), { archive: fsArchive(join(parent, 'probe')) }).user('Go.');
      for (let n = 0; n < 4; n += 1) probe.round(filler('the same', 2_000 + n));
      await probe.user('And now?').prepare();
      const [name = ''] = readdirSync(join(parent, 'probe'));
      rmSync(join(parent, 'probe', name));
      symlinkSync(target, join(parent, 'probe', name));
      await probe.prepare();
      expect(lstatSync(target).size).toBe(Buffer.byteLength('somebody else’s'));
      expect(lstatSync(join(parent, 'probe', name)).isSymbolicLink()).toBe(false);
    } finally {
      rmSync(parent, { recursive: true });
    }
  });

  it('S03: recall takes nothing but addresses this session issued', async () => {
    const story = new Story(scene).user('Go.');
    await story.say();
    for (const id of [...HOSTILE, '/etc/passwd', 'h_0-1_0000000000000000', 'h_0-99_x'])
      await expect(story.context.recall(id)).rejects.toMatchObject({ code: 'UNKNOWN_ADDRESS' });
  });

  it('S01: what a search shows of a text that left the view has no secret in it; the text itself is kept exactly', async () => {
    const key = `sk-ant-api03-${'Ab1'.repeat(30)}`;
    const output = `ANTHROPIC_API_KEY=${key}\n${filler('more', 2_000)}`;
    const story = new Story(scene, { writer: sum() }).user('Show it.').call('env').results(['env', output]);
    story.talk(13, 900).user('And now?');
    story.context.compact();
    await story.settle(await story.prepare());
    const found = story.context.search('ANTHROPIC_API_KEY');
    const hits = found.kind === 'hits' ? found.hits : [];
    expect(hits.map(({ excerpt }) => excerpt).join('\n')).toContain('ANTHROPIC_API_KEY=');
    expect(JSON.stringify(hits)).not.toContain(key);
    expect(await story.context.recall(hits[0]?.address ?? '')).toMatchObject({ text: output });
  });

  it('S05: a writer that answers with calls does nothing by them', async () => {
    const writer = sum({ text: 'rm -rf / would help', stop: 'call' });
    const story = new Story(scene, { writer }).talk(12, 900).user('And now?');
    story.context.compact();
    const turn = await story.ask();
    await story.settle(turn);
    expect(JSON.stringify([turn.request, story.context.history()])).not.toContain('rm -rf');
    expect(turn.receipt.summary).toMatchObject({ writer: 'code', attempts: 2 });
  });
});

describe('kind 21, secrets', () => {
  it('S01: a secret is replaced where something is shown, its name stays', () => {
    const key = `sk-ant-api03-${'Ab1'.repeat(30)}`;
    const { text } = redactSecrets(`ANTHROPIC_API_KEY=${key}\npostgres://app:hunter2secret@db.local/x`);
    expect(text).not.toContain(key);
    expect(text).not.toContain('hunter2secret');
    expect(text).toContain('ANTHROPIC_API_KEY=');
  });
});
