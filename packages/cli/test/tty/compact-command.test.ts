import { describe, expect, it } from 'vitest';
import { workFolder } from '../support/holdover.ts';
import { call, saidIn, scriptedModel } from './model.ts';
import { picture } from './screen-svg.ts';
import { type Terminal, terminal } from './terminal.ts';

const LINES = Array.from({ length: 150 }, (_, index) => `line ${index} of a file that fills the window`);
const FILES = { 'big.txt': `${LINES.join('\n')}\n` };
const SUMMARY = 'The user had big.txt read: 150 lines about windows.';

/** Tokens the newest `/context` shows in use. */
async function inAll(screen: Terminal): Promise<number> {
  const before = screen.all().filter((line) => line.includes('in all')).length;
  await screen.send('/context');
  await screen.waitFor((one) => one.all().filter((line) => / in all +[\d,]+ +[\d.]+%/.test(line)).length > before);
  const line = screen.all().findLast((one) => one.includes('in all'));
  return Number(/in all +([\d,]+)/.exec(line ?? '')?.[1]?.replaceAll(',', ''));
}

async function say(screen: Terminal, text: string, answer: string): Promise<void> {
  await screen.send(text);
  await screen.waitFor(answer);
  await screen.ready();
}

describe('/compact, /undo and /pin', () => {
  it('/compact makes the view smaller with the focus in mind, keeps pins, and /undo gives the original back', async () => {
    const model = await scriptedModel([
      [call('read_file', { path: 'big.txt' })],
      'I read it.',
      SUMMARY,
      'After the compaction.',
      'After the undo.',
      'After the redo.',
    ]);
    const screen = await terminal({ folder: workFolder(FILES), env: model.env, rows: 50 });
    await say(screen, '/compact', 'There is nothing to compact yet.');
    await say(screen, '/pin', 'Nothing is pinned.');
    await say(screen, '/pin the port is 4711', 'Pinned as 1:');
    await say(screen, '/pin a passing thought', 'Pinned as 2:');
    await say(screen, '/pin remove 2', 'Pin 2 is gone.');
    await say(screen, '/pin remove 2', 'There is no pin 2');
    await say(screen, '/pin', '/pin remove N takes one away');
    expect(screen.all().filter((line) => /^\d {2}/.test(line))).toEqual(['1  the port is 4711']);
    await say(screen, 'Read big.txt.', 'I read it.');
    const before = await inAll(screen);

    await say(screen, '/compact --preview the number of lines', 'each call saves');
    picture(screen, 'compact-preview');
    expect(screen.all().filter((line) => line.startsWith('◇ would compact'))).toEqual([
      expect.stringMatching(/^◇ would compact: [\d.]+k → [\d.]+k? tokens · nothing has changed$/),
    ]);
    expect(screen.all().filter((line) => / h_0-\d+_[0-9a-f]{16}$/.test(line))).toEqual([
      expect.stringMatching(/^summary {2}messages 0 to \d +[\d.]+k → \d+ {2}h_/),
    ]);
    expect(await inAll(screen)).toBe(before);

    await say(screen, '/compact the number of lines', '◆ compacted');
    picture(screen, 'compact-command');
    expect(saidIn(model, 2)).toContain('the number of lines');
    expect(screen.all().filter((line) => line.startsWith('◆ compacted'))).toEqual([
      expect.stringMatching(/^◆ compacted: [\d.]+k → [\d.]+k? tokens · summary · \/undo takes it back$/),
    ]);
    screen.press('ctrl+o');
    await screen.waitFor('summary by sim-1');
    expect(await inAll(screen)).toBeLessThan(before - 1_000);

    await say(screen, 'And now?', 'After the compaction.');
    expect(saidIn(model, 3)).toContain(SUMMARY);
    expect(saidIn(model, 3)).toContain('the port is 4711');
    expect(saidIn(model, 3)).not.toContain('a passing thought');
    expect(saidIn(model, 3)).not.toContain('line 149 of a file');

    await say(screen, '/diff', '◆ epoch 5, manual:');
    expect(screen.all()).toContainEqual(expect.stringMatching(/^ {4}- Read big\.txt\.$/));
    expect(screen.all()).toContainEqual(expect.stringContaining(SUMMARY));
    picture(screen, 'diff-command');
    await say(screen, '/diff 99', 'There is no compaction with the number 99.');

    await say(screen, '/undo', '◆ the newest compaction was taken back');
    expect(await inAll(screen)).toBeGreaterThan(before - 1_000);
    await say(screen, 'And then?', 'After the undo.');
    expect(saidIn(model, 4)).toContain('line 149 of a file');
    expect(saidIn(model, 4)).not.toContain(SUMMARY);
    expect(saidIn(model, 4)).toContain('the port is 4711');

    await say(screen, '/redo', '◆ the compaction is in force again');
    await say(screen, 'And at last?', 'After the redo.');
    expect(saidIn(model, 5)).toContain(SUMMARY);
    expect(saidIn(model, 5)).not.toContain('line 149 of a file');
    await say(screen, '/redo', 'There is nothing to bring back');
    model.brain.assertDone();
  });

  it('pins and compactions are there again when the session is resumed', async () => {
    const model = await scriptedModel([[call('read_file', { path: 'big.txt' })], 'I read it.', SUMMARY, 'Resumed.']);
    const folder = workFolder(FILES);
    const first = await terminal({ folder, env: model.env });
    await say(first, '/pin the port is 4711', 'Pinned as 1:');
    await say(first, 'Read big.txt.', 'I read it.');
    await say(first, '/compact', '◆ compacted');
    first.press('ctrl+d');
    await first.ended();
    const second = await terminal({ folder, env: model.env }, ['--continue']);
    await say(second, 'Go on.', 'Resumed.');
    expect(saidIn(model, 3)).toContain('the port is 4711');
    expect(saidIn(model, 3)).toContain(SUMMARY);
    expect(saidIn(model, 3)).not.toContain('line 149 of a file');
  });

  it('/rewind goes back over a compaction; the text is in the editor, and the next request has only what was kept', async () => {
    const model = await scriptedModel([
      'The first answer.',
      [call('read_file', { path: 'big.txt' })],
      'I read it.',
      SUMMARY,
      'The answer instead.',
    ]);
    const screen = await terminal({ folder: workFolder(FILES), env: model.env, rows: 40 });
    await say(screen, 'My first question.', 'The first answer.');
    await say(screen, 'Read big.txt.', 'I read it.');
    await say(screen, '/compact', '◆ compacted');
    await screen.send('/rewind');
    await screen.waitFor('Go back to before…');
    expect(screen.screen().find((line) => line.startsWith('→'))).toMatch(/^→ Read big\.txt\. +4 messages taken back$/);
    screen.press('enter');
    await screen.waitFor('The conversation goes on from before that message');
    await screen.ready();
    await screen.waitFor((one) => one.screen().some((line) => line.trimEnd() === '❯ Read big.txt.'));
    picture(screen, 'rewound');
    screen.press('ctrl+u');
    await say(screen, 'Another question.', 'The answer instead.');
    const said = saidIn(model, 4);
    expect(said).toContain('My first question.');
    expect(said).toContain('The first answer.');
    expect(said).toContain('Another question.');
    expect(said).not.toContain('Read big.txt.');
    expect(said).not.toContain('line 149 of a file');
    expect(said).not.toContain(SUMMARY);
  });
});
