import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workFolder } from '../support/holdover.ts';
import { call, scriptedModel, slow } from './model.ts';
import { picture } from './screen-svg.ts';
import { pause, Terminal, terminal } from './terminal.ts';

const REPLY = `A reply with \`code\`, **weight** and a long line that has to be wrapped on a screen this narrow.

| a table | with columns | and 漢字 |
|---------|--------------|---------|
| one     | two          | three   |
`;

const STEPS = [
  [
    call('read_file', { path: 'a/rather/long/path/to/some/file-with-a-long-name.txt' }),
    call('bash', { command: `echo ${'漢字'.repeat(30)}` }),
    call('edit_file', { path: 'b.txt', old_text: 'old '.repeat(30), new_text: 'new '.repeat(30) }),
  ],
  REPLY,
] as const;

const FILES = { 'a/rather/long/path/to/some/file-with-a-long-name.txt': 'x\n', 'b.txt': 'old '.repeat(30) };
const RULES = ['--allow', 'bash', '--allow', 'edit_file(**)'];

describe('on any terminal', () => {
  it.each([40, 80, 120])('fits %i columns', async (columns) => {
    const model = await scriptedModel(STEPS);
    const screen = await terminal({ folder: workFolder(FILES), env: model.env, columns, rows: 40 }, RULES);
    await screen.send('Go on.');
    await screen.waitFor('three');
    await screen.ready();
    picture(screen, `wide-${columns}`);
    for (const [command, answer] of [
      ['/help', 'fg comes back'],
      ['/context', 'in all'],
      ['/cost', 'output tokens'],
    ] as const) {
      await screen.send(command);
      await screen.waitFor(answer);
    }
    await screen.ready();
    expect(screen.wrapped()).toEqual([]);
    expect(screen.screen().findLast((line) => line.includes('━'))).toContain('compaction in');
  });

  it('NO_COLOR: no colours, and everything can be told apart', async () => {
    const model = await scriptedModel(STEPS);
    const screen = await terminal({ folder: workFolder(FILES), env: { ...model.env, NO_COLOR: '1' }, rows: 40 }, RULES);
    await screen.send('Go on.');
    await screen.waitFor('three');
    await screen.ready();
    picture(screen, 'no-colour');
    const cells = screen.screen().flatMap((_, row) => screen.cells(row));
    expect(cells.filter(({ colour, background }) => colour !== -1 || background !== -1)).toEqual([]);
    expect(screen.text()).toContain('    - old old');
    expect(screen.text()).toContain('    + new new');
  });

  it('is drawn anew when the size changes while a reply streams, and the scrollback stays', async () => {
    const words = Array.from({ length: 150 }, (_, index) => `word${index}`).join(' ');
    const model = await scriptedModel([words], [slow(25)]);
    const shell = 'echo what was there before; exec "$0" "$@"';
    const { BINARY } = await import('../support/binary.ts');
    const command = ['sh', '-c', shell, process.execPath, BINARY] as const;
    const screen = await terminal({ folder: workFolder(), env: model.env, rows: 12, command: [...command] });
    await screen.send('Count.');
    for (const [columns, rows] of [
      [60, 12],
      [100, 30],
      [50, 10],
    ] as const) {
      await pause(150);
      screen.resize(columns, rows);
    }
    await screen.waitFor('word149');
    await screen.ready();
    expect(screen.raw).not.toContain('\u001b[3J');
    const shown = screen.screen().join(' ');
    expect(shown).toContain('word148 word149');
    expect(screen.screen().filter((line) => line.startsWith('❯')).length).toBeLessThanOrEqual(2);
  });

  it('keeps up with a session longer than any screen', async () => {
    const model = await scriptedModel([`${'a line\n\n'.repeat(1_600)}the end`, 'More.']);
    const screen = await terminal({ folder: workFolder(), env: model.env });
    await screen.send('Go on.');
    // By the screen: reading thousands of lines again and again would hold up the model, which runs in this process.
    const shows = (text: string) => (): boolean => screen.screen().join('\n').includes(text);
    await screen.waitFor(shows('the end'));
    await screen.ready();
    screen.type('And?');
    await screen.waitFor(shows('❯ And?'));
    screen.press('enter');
    await screen.waitFor(shows('More.'));
    expect(screen.screen().join('\n')).toContain('the end');
  });
});

describe('on a terminal that only prints', () => {
  it('TERM=dumb: lines, no escapes, and questions that a line answers', async () => {
    const model = await scriptedModel([[call('bash', { command: 'touch made.txt' })], 'Made.']);
    const folder = workFolder();
    const screen = new Terminal([], { folder, env: { ...model.env, TERM: 'dumb' } });
    await screen.waitFor('session ');
    screen.type('Make it.\r');
    await screen.waitFor('y once, s this session, p this project, n no:');
    screen.type('y\r');
    await screen.waitFor('Made.');
    expect(screen.raw).not.toContain('\u001b');
    expect(existsSync(join(folder, 'made.txt'))).toBe(true);
    screen.type('/quit\r');
    expect(await screen.ended()).toBe(0);
  });
});
