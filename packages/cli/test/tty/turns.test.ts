import { describe, expect, it } from 'vitest';
import { workFolder } from '../support/holdover.ts';
import { call, scriptedModel, slow } from './model.ts';
import { picture } from './screen-svg.ts';
import { terminal } from './terminal.ts';

const MARKDOWN = `## What I found

The **retry loop** in \`src/client.ts\` swallows errors:

1. The wait doubles *without a limit*
2. See [the docs](https://example.com/retries)

\`\`\`ts
await sleep(2 ** attempt);
\`\`\`

| file | verdict |
|------|---------|
| src/client.ts | broken |
| src/漢字.ts | fine |
`;

const CLIENT = 'const a = 1;\nconst wait = 2 ** attempt;\nconst c = 3;\n';

describe('a turn on the screen', () => {
  it('shows a reply as rendered Markdown', async () => {
    const model = await scriptedModel([MARKDOWN]);
    const screen = await terminal({ folder: workFolder(), env: model.env });
    await screen.send('What is wrong?');
    await screen.waitFor('fine');
    await screen.ready();
    picture(screen, 'markdown');
    const shown = screen.text().split('\n').slice(4, -2).join('\n');
    expect(shown.slice(shown.indexOf('What I found'), shown.indexOf('❯ \n')).trimEnd()).toContain(
      [
        'What I found',
        '',
        'The retry loop in src/client.ts swallows errors:',
        '',
        '1. The wait doubles without a limit',
        '2. See the docs (https://example.com/retries)',
        '',
        '  await sleep(2 ** attempt);',
        '',
        '┌───────────────┬─────────┐',
        '│ file          │ verdict │',
        '├───────────────┼─────────┤',
        '│ src/client.ts │ broken  │',
        '├───────────────┼─────────┤',
        '│ src/漢字.ts   │ fine    │',
        '└───────────────┴─────────┘',
      ].join('\n'),
    );
    expect(screen.cellAt('What I found')?.isBold).toBe(true);
    expect(screen.cellAt('src/client.ts swallows')?.colour).toBe(6);
  });

  it('shows a reply while it streams', async () => {
    const words = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ');
    const model = await scriptedModel([words], [slow(60)]);
    const screen = await terminal({ folder: workFolder(), env: model.env });
    await screen.send('Count.');
    await screen.waitFor('word5');
    expect(screen.text()).not.toContain('word59');
    expect(screen.text()).toContain('writing');
    await screen.waitFor('word59');
  });

  it('folds tool calls to a line each, edits to a short difference, and gives failures their reason', async () => {
    const model = await scriptedModel([
      [
        { kind: 'text', text: 'First I look.' },
        call('read_file', { path: 'src/client.ts' }),
        call('bash', { command: 'echo no luck; exit 3' }),
        call('todo_write', {
          todos: [
            { content: 'Read the client', status: 'completed' },
            { content: 'Bound the wait', status: 'in_progress' },
          ],
        }),
        call('edit_file', {
          path: 'src/client.ts',
          old_text: 'wait = 2 ** attempt;',
          new_text: 'wait = Math.min(30, 2 ** attempt);',
        }),
      ],
      'Done.',
    ]);
    const folder = workFolder({ 'src/client.ts': CLIENT });
    const screen = await terminal({ folder, env: model.env }, ['--allow', 'bash', '--allow', 'edit_file(**)']);
    await screen.send('Mend it.');
    await screen.waitFor('Done.');
    await screen.ready();
    picture(screen, 'tools');
    const lines = screen.all();
    const from = lines.indexOf('First I look.');
    expect(lines.slice(from, lines.indexOf('Done.') + 1)).toEqual([
      'First I look.',
      '',
      '● read_file src/client.ts  3 lines',
      '● bash echo no luck; exit 3  failed',
      '  no luck',
      '  (exit code 3)',
      '● todo_write 2 tasks  1 completed',
      '  ✓ Read the client',
      '  ▸ Bound the wait',
      '● edit_file src/client.ts  edited src/client.ts at line 2',
      '    - wait = 2 ** attempt;',
      '    + wait = Math.min(30, 2 ** attempt);',
      '',
      'Done.',
    ]);
    expect(screen.cellAt('(exit code 3)')?.colour).toBe(1);
    expect(screen.cellAt('- wait')?.colour).toBe(1);
    expect(screen.cellAt('+ wait')?.colour).toBe(2);
  });

  it('unfolds the newest results at Ctrl-O and folds them again', async () => {
    const model = await scriptedModel([[call('read_file', { path: 'src/client.ts' })], 'Read.']);
    const screen = await terminal({ folder: workFolder({ 'src/client.ts': CLIENT }), env: model.env });
    await screen.send('Read it.');
    await screen.waitFor('Read.');
    await screen.ready();
    screen.press('ctrl+o');
    await screen.waitFor('│ const wait');
    picture(screen, 'unfolded');
    expect(screen.screen()).toEqual(
      expect.arrayContaining(['  │ const a = 1;', '  │ const wait = 2 ** attempt;', '  │ const c = 3;']),
    );
    screen.press('ctrl+o');
    await screen.waitFor((one) => !one.screen().some((line) => line.includes('│ const wait')));
  });

  it('unfolds what has scrolled off below everything else', async () => {
    const model = await scriptedModel([[call('read_file', { path: 'a.txt' })], 'x\n\n'.repeat(40)]);
    const screen = await terminal({ folder: workFolder({ 'a.txt': 'the first line\nthe second\n' }), env: model.env });
    await screen.send('Read it.');
    await screen.waitFor((one) => one.all().filter((line) => line === 'x').length === 40);
    await screen.ready();
    screen.press('ctrl+o');
    await screen.waitFor('│ the first line');
    const shown = screen.screen();
    const at = shown.indexOf('● read_file a.txt  2 lines');
    expect(shown.slice(at, at + 3)).toEqual(['● read_file a.txt  2 lines', '  │ the first line', '  │ the second']);
    expect(shown.slice(0, at)).toContain('x');
  });

  it('says in words what the provider answered, on one line for all attempts', async () => {
    const model = await scriptedModel(['Here I am.'], [{ kind: 'server_error', times: 2 }]);
    const screen = await terminal({ folder: workFolder(), env: model.env });
    await screen.send('Hello.');
    await screen.waitFor('Here I am.');
    expect(screen.all().filter((line) => line.startsWith('↻'))).toEqual([
      expect.stringMatching(/^↻ Internal server error \(status 500\), again in \d+ s$/),
    ]);
  });
});
