import { describe, expect, it } from 'vitest';
import { workFolder } from '../support/holdover.ts';
import { call, scriptedModel } from './model.ts';
import { picture } from './screen-svg.ts';
import { type Terminal, terminal } from './terminal.ts';

/** One turn done, so that there is something to speak of. */
async function used(columns = 80): Promise<Terminal> {
  const model = await scriptedModel([[call('read_file', { path: 'a.txt' })], 'It says one.', 'Again.']);
  const screen = await terminal({ folder: workFolder({ 'a.txt': 'one\ntwo\n' }), env: model.env, columns, rows: 40 });
  await screen.send('What does it say?');
  await screen.waitFor('It says one.');
  await screen.ready();
  return screen;
}

function numbers(lines: readonly string[], name: string): number {
  const line = lines.find((one) => new RegExp(` ${name} +[\\d,]+ `).test(one));
  return Number(/([\d,]+) +[\d.]+%/.exec(line ?? '')?.[1]?.replaceAll(',', '') ?? Number.NaN);
}

const CELLS = /[◆●■▲★✚◉▣▼✦◇○□△·▒]/gu;

describe('commands', () => {
  it.each([80, 40])('/context at %i columns: cells fill the grid, numbers add up to the total', async (columns) => {
    const screen = await used(columns);
    await screen.send('/context');
    // The last line whole: a screen may be read in the middle of a drawing.
    await screen.waitFor(/reserved for the reply +[\d,]+ +[\d.]+%/);
    picture(screen, `context-${columns}`);
    const lines = screen.all().slice(screen.all().findIndex((line) => line.startsWith('Context ')));
    const grid = lines.filter((line) => /^(?:[◆●■▲★✚◉▣▼✦◇○□△·▒] ){9}/u.test(line));
    const across = columns === 80 ? 10 : 20;
    const cells = grid.map((line) => [...(line.slice(0, across * 2 - 1).match(CELLS) ?? [])]);
    expect(cells.flat()).toHaveLength(100);
    const categories = [
      'system prompt',
      'tools',
      'user messages',
      'assistant text',
      'tool calls',
      'tool results',
      'message overhead',
    ];
    const sum = categories.reduce((total, name) => total + numbers(lines, name), 0);
    expect(sum).toBe(numbers(lines, 'in all'));
    expect(sum + numbers(lines, 'free') + numbers(lines, 'reserved for the reply')).toBe(200_000);
    // Every category has a cell of its own shape, readable without colours.
    expect(new Set(cells.flat())).toEqual(new Set(['◆', '●', '■', '▲', '★', '✚', '◉', '·', '▒']));
  });

  it('/cost says what was billed', async () => {
    const screen = await used();
    await screen.send('/cost');
    await screen.waitFor('input without compaction');
    picture(screen, 'cost');
    expect(screen.text()).toMatch(/^model calls +2$/m);
    expect(screen.text()).toMatch(/^input tokens +[\d,]+$/m);
  });

  it('/help lists every command and key', async () => {
    const screen = await terminal({ folder: workFolder(), rows: 60 });
    await screen.send('/help');
    await screen.waitFor('suspend; fg comes back');
    picture(screen, 'help');
    const names = screen.all().flatMap((line) => /^\/([a-z]+)/.exec(line)?.[1] ?? []);
    expect(names).toEqual(
      'context compact undo redo diff recall pin rewind clear resume cost model permissions export help quit'.split(
        ' ',
      ),
    );
  });

  it('/recall finds nothing where nothing left the context, and refuses an address of another session', async () => {
    const screen = await used();
    await screen.send('/recall two');
    await screen.waitFor('Nothing outside the context contains "two".');
    await screen.send('/recall c_0123456789abcdef');
    await screen.waitFor('✗ "c_0123456789abcdef" is not an address this session issued');
    await screen.send('/recall');
    await screen.waitFor('Give an address from a marker, or a text to look for');
  });

  it('/undo says where there is nothing to take back', async () => {
    const screen = await used();
    await screen.send('/undo');
    await screen.waitFor('There is no compaction to take back.');
  });

  it('/clear begins anew, /resume lists what was with title, time and size, and goes back', async () => {
    const screen = await used();
    const first = screen
      .screen()
      .findLast((line) => line.includes('sim-1 ·'))
      ?.slice(-8);
    await screen.send('/clear');
    await screen.waitFor('A new session. /resume ');
    expect(screen.screen().join('\n')).not.toContain('It says one.');
    await screen.send('/resume');
    await screen.waitFor('Sessions of this folder');
    picture(screen, 'resume');
    const line = screen.screen().find((one) => one.startsWith('→'));
    expect(line).toMatch(/^→ What does it say\? +just now · 4 messages · [\d.]+ KB$/);
    screen.press('enter');
    await screen.waitFor((one) => one.screen().some((shown) => shown === 'It says one.'));
    await screen.waitFor((one) => one.screen().some((shown) => shown.endsWith(`sim-1 · ${first}`)));
    await screen.send('Once more.');
    await screen.waitFor('Again.');
  });

  it('/resume without another session, and with an id there is not', async () => {
    const screen = await used();
    await screen.send('/resume');
    await screen.waitFor('There is no other session in this folder.');
    await screen.send('/resume 20200101-000000-00000000');
    await screen.waitFor('there is no session 20200101-000000-00000000');
    await screen.send('Still there?');
    await screen.waitFor('Again.');
  });

  it('/rewind lists own messages and Escape leaves it', async () => {
    const screen = await used();
    await screen.send('/rewind');
    await screen.waitFor('Go back to before…');
    expect(screen.screen().find((line) => line.startsWith('→'))).toMatch(
      /^→ What does it say\? +4 messages taken back$/,
    );
    screen.press('escape');
    await screen.waitFor((one) => !one.screen().some((line) => line.includes('Go back to before')));
  });

  it('/permissions shows the rules with their sources', async () => {
    const screen = await terminal({ folder: workFolder() }, [
      '--allow',
      'bash(npm test*)',
      '--deny',
      'read_file(.env)',
    ]);
    await screen.send('/permissions');
    await screen.waitFor('takes one back');
    expect(screen.text()).toMatch(/^deny +read_file\(\.env\) +setting$/m);
    expect(screen.text()).toMatch(/^allow +bash\(npm test\*\) +setting$/m);
  });

  it('/model says which one answers', async () => {
    const screen = await terminal({ folder: workFolder() });
    await screen.send('/model');
    await screen.waitFor('rules-1 · built-in model, no key needed');
  });

  it('reading commands answer while a turn runs', async () => {
    const model = await scriptedModel([[call('bash', { command: 'sleep 3' })], 'Slept.']);
    const screen = await terminal({ folder: workFolder(), env: model.env }, ['--allow', 'bash']);
    await screen.send('Sleep.');
    await screen.waitFor('○ bash sleep 3');
    screen.type('/cost');
    screen.press('enter');
    await screen.waitFor('Cost of this session');
    expect(screen.text()).not.toContain('Slept.');
    await screen.waitFor('Slept.');
  });
});
