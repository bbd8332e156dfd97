import { describe, expect, it } from 'vitest';
import { workFolder } from '../support/holdover.ts';
import { picture } from './screen-svg.ts';
import { type Terminal, terminal } from './terminal.ts';

const LINES = Array.from({ length: 120 }, (_, index) => `line ${index} of a file that fills the window`);
const FILES = Object.fromEntries(
  [1, 2, 3].map((number) => [`big${number}.txt`, `${LINES.join('\n')}\nend of ${number}\n`]),
);

/** Files read until the window is full, then compacted as the user asked. */
async function compacted(): Promise<Terminal> {
  const screen = await terminal({ folder: workFolder(FILES), rows: 40 }, ['--window', '16000', '--max-output', '2000']);
  for (const number of [1, 2, 3]) {
    await screen.send(`Read the file big${number}.txt.`);
    await screen.waitFor(`● read_file big${number}.txt`);
    await screen.waitFor((one) => one.all().filter((line) => /done: 1 of 1/.test(line)).length >= number);
    await screen.ready();
  }
  await screen.send('Compact the conversation.');
  await screen.waitFor('◆ compacted');
  await screen.ready();
  return screen;
}

describe('compaction', () => {
  it('is one line, and by layer when unfolded; the meter says how far the next is; /undo takes it back', async () => {
    const screen = await compacted();
    picture(screen, 'compaction');
    const line = screen.all().find((one) => one.startsWith('◆ compacted'));
    expect(line).toMatch(
      /^◆ compacted: [\d.]+k → [\d.]+k tokens · summary(?:, \d+ results? to the archive · \/undo| · \/undo takes it back)$/,
    );
    expect(screen.screen().at(-1) ?? '').toMatch(/^$|compaction in/);
    expect(screen.text()).toMatch(/━+┄+ \d+% {2}compaction in [\d.]+k/);
    screen.press('ctrl+o');
    await screen.waitFor(/summary +1 edit +[\d.]+k → [\d.]+k?/);
    picture(screen, 'compaction-unfolded');
    expect(screen.text()).toMatch(/summary by .*: [\d,]+ tokens read, [\d,]+ written, 1 attempt/);
    await screen.send('/recall end of 1');
    await screen.waitFor(/h_\d+\.\d+_[0-9a-f]{16} {2}result of read_file/);
    const address = /h_\d+\.\d+_[0-9a-f]{16}/.exec(screen.text())?.[0] ?? '';
    await screen.send(`/recall ${address}`);
    await screen.waitFor('exactly as it was');
    expect(screen.text()).toContain('more lines, Ctrl-O shows them');
    await screen.send('/undo');
    await screen.waitFor('◆ the newest compaction was taken back');
  });
});
