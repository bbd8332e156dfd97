import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workFolder } from '../support/holdover.ts';
import { call, scriptedModel } from './model.ts';
import { picture } from './screen-svg.ts';
import { pause, type Terminal, terminal } from './terminal.ts';

const TOUCH = call('bash', { command: 'touch made.txt' });

async function asked(steps: Parameters<typeof scriptedModel>[0]): Promise<{ screen: Terminal; folder: string }> {
  const model = await scriptedModel(steps);
  const folder = workFolder();
  const screen = await terminal({ folder, env: model.env });
  await screen.send('Make it.');
  await screen.waitFor('y once');
  return { screen, folder };
}

describe('permission questions', () => {
  it('shows what would be run, why it is asked, and the choices', async () => {
    const { screen, folder } = await asked([[TOUCH], 'Made.']);
    picture(screen, 'question');
    const lines = screen.screen();
    const at = lines.findIndex((line) => line.startsWith('?'));
    expect(lines.slice(at, at + 4)).toEqual([
      '? bash touch made.txt',
      '  no rule allows it',
      '  y once  s this session  p this project  n no  r no, with a reason',
      '  s and p allow bash(touch made.txt)',
    ]);
    expect(existsSync(join(folder, 'made.txt'))).toBe(false);
    await screen.answer('y');
    await screen.waitFor('Made.');
    expect(existsSync(join(folder, 'made.txt'))).toBe(true);
  });

  it('shows what would be written', async () => {
    const content = Array.from({ length: 9 }, (_, index) => `line ${index}`).join('\n');
    const { screen, folder } = await asked([
      [
        call('write_file', { path: 'new.txt', content: `${content}\n` }),
        call('write_file', { path: 'new.txt', content: 'short\n' }),
      ],
      'Written.',
    ]);
    const lines = screen.screen();
    const at = lines.findIndex((line) => line.startsWith('?'));
    expect(lines.slice(at, at + 9)).toEqual([
      '? write_file new.txt',
      ...[0, 1, 2, 3, 4, 5].map((index) => `    + line ${index}`),
      '    + … 3 more lines',
      '  no rule allows it',
    ]);
    await screen.answer('n');
    await screen.waitFor('    + short');
    await screen.answer('y');
    await screen.waitFor('Written.');
    expect(readFileSync(join(folder, 'new.txt'), 'utf8')).toBe('short\n');
  });

  it('n refuses and the model goes on', async () => {
    const { screen, folder } = await asked([[TOUCH], 'Not made.']);
    await screen.answer('n');
    await screen.waitFor('Not made.');
    expect(screen.text()).toContain('● bash touch made.txt  failed\n  The user declined to run bash.');
    expect(existsSync(join(folder, 'made.txt'))).toBe(false);
  });

  it('s allows the same for the session, and asks about another', async () => {
    const { screen } = await asked([[TOUCH], [TOUCH], [call('bash', { command: 'touch other.txt' })], 'Made.']);
    await screen.answer('s');
    await screen.waitFor('? bash touch other.txt');
    expect(screen.all().filter((line) => line.startsWith('● bash touch made.txt'))).toHaveLength(2);
    await screen.answer('y');
    await screen.waitFor('Made.');
  });

  it('p allows the same too', async () => {
    const { screen } = await asked([[TOUCH], [TOUCH], 'Made.']);
    await screen.answer('p');
    await screen.waitFor('Made.');
    expect(screen.all().filter((line) => line.startsWith('● bash touch made.txt  no output'))).toHaveLength(2);
  });

  it('r asks why, Escape goes back to the choices, Enter refuses', async () => {
    const { screen, folder } = await asked([[TOUCH], 'Not made.']);
    await pause(500);
    screen.type('r');
    await screen.waitFor('why not? Enter sends, Esc goes back');
    screen.press('escape');
    await screen.waitFor((one) => one.screen().some((line) => line.includes('y once')));
    screen.type('r');
    await screen.waitFor('why not?');
    screen.type('it would yield nothing');
    await screen.waitFor('it would yield nothing');
    screen.press('enter');
    await screen.waitFor('Not made.');
    expect(existsSync(join(folder, 'made.txt'))).toBe(false);
  });

  it.each(['escape', 'ctrl+c'] as const)('%s refuses and interrupts the turn', async (key) => {
    const { screen, folder } = await asked([[TOUCH], 'never']);
    screen.press(key);
    await screen.waitFor('interrupted; everything');
    await screen.ready();
    expect(existsSync(join(folder, 'made.txt'))).toBe(false);
    expect(screen.text()).not.toContain('never');
  });

  it('keys typed before the question can have been read are no answers', async () => {
    const model = await scriptedModel([[call('bash', { command: 'sleep 1; true' }), TOUCH], 'Made.']);
    const folder = workFolder();
    const screen = await terminal({ folder, env: model.env }, ['--allow', 'bash(sleep *)', '--allow', 'bash(true)']);
    await screen.send('Make it.');
    await screen.waitFor('○ bash sleep');
    while (!screen.text().includes('y once')) {
      screen.type('y');
      await pause(50);
    }
    screen.type('y');
    await screen.waitFor('y once');
    expect(existsSync(join(folder, 'made.txt'))).toBe(false);
    await screen.answer('y');
    await screen.waitFor('Made.');
  });
});
