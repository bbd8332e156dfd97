import { describe, expect, it } from 'vitest';
import { workFolder } from '../support/holdover.ts';
import { call, scriptedModel, slow } from './model.ts';
import { picture } from './screen-svg.ts';
import { Terminal, terminal } from './terminal.ts';

const THOUGHT = Array.from({ length: 60 }, (_, index) => `thought${index}`).join(' ');

describe('what happens besides replies and calls', () => {
  it('thinking is shown while it goes on, folded when the answer begins, and unfolds', async () => {
    const model = await scriptedModel(
      [
        [
          { kind: 'thinking', text: THOUGHT },
          { kind: 'text', text: 'The answer is 42.' },
        ],
      ],
      [slow(40)],
    );
    const screen = await terminal({ folder: workFolder(), env: model.env }, ['--thinking', '4000']);
    await screen.send('Think.');
    await screen.waitFor('✻ thinking …');
    await screen.waitFor(/│ .*thought\d/);
    picture(screen, 'thinking-live');
    await screen.waitFor('The answer is 42.');
    await screen.ready();
    picture(screen, 'thinking-folded');
    const lines = screen.screen();
    const at = lines.findIndex((line) => line.startsWith('✻'));
    expect(lines.slice(at, at + 3)).toEqual([expect.stringMatching(/^✻ thinking … \d+ s$/), '', 'The answer is 42.']);
    expect(screen.screen().join('\n')).not.toContain('thought59');
    expect(screen.cellAt('thinking …')?.isDim).toBe(true);
    screen.press('ctrl+o');
    await screen.waitFor((one) => one.screen().join('\n').includes('thought59'));
    expect(screen.screen().join('\n')).toContain('  │ thought0 thought1');
  });

  it('sub-agents side by side: a line each on what they do now, and what they came to', async () => {
    const step = call('bash', { command: 'sleep 2; echo one' });
    const model = await scriptedModel([
      [
        call('task', { description: 'Count the files of the first folder.', title: 'the first' }),
        call('task', { description: 'Count the files of the second folder.', title: 'the second' }),
      ],
      [step],
      [step],
      'There are seven.',
      'There are seven.',
      'Seven and seven.',
    ]);
    const screen = await terminal({ folder: workFolder(), env: model.env }, ['--allow', 'bash']);
    await screen.send('Count.');
    await screen.waitFor((one) => one.all().filter((line) => line.includes('↳ bash sleep 2; echo one')).length === 2);
    picture(screen, 'subagents-live');
    const lines = screen.screen();
    const at = lines.findIndex((line) => line.startsWith('○ task'));
    expect(lines.slice(at, at + 4)).toEqual([
      '○ task the first',
      '  ↳ bash sleep 2; echo one · round 2',
      '○ task the second',
      '  ↳ bash sleep 2; echo one · round 2',
    ]);
    await screen.waitFor('Seven and seven.');
    await screen.ready();
    picture(screen, 'subagents-done');
    expect(screen.all().filter((line) => line.startsWith('● task'))).toEqual([
      expect.stringMatching(/^● task the first {2}2 rounds, [\d.]+k tokens · There are seven\.$/),
      expect.stringMatching(/^● task the second {2}2 rounds, [\d.]+k tokens · There are seven\.$/),
    ]);
    expect(screen.text()).not.toContain('↳');
  });

  it('says that a sub-agent asks, for which task, and offers no more than may be remembered', async () => {
    const model = await scriptedModel([
      [call('task', { description: 'Run the tests.', title: 'run the tests' })],
      [call('bash', { command: 'npm test unit' })],
      [call('write_file', { path: '.holdover/x', content: '' })],
      'Refused.',
      'I could not.',
    ]);
    const screen = await terminal({ folder: workFolder({ 'a.txt': '' }), env: model.env });
    await screen.send('Test it.');
    await screen.waitFor('y once');
    picture(screen, 'subagent-question');
    const lines = screen.screen();
    const at = lines.findIndex((line) => line.startsWith('?'));
    expect(lines.slice(at, at + 6)).toEqual([
      '? bash npm test unit',
      '  asked by a sub-agent: run the tests',
      '  no rule allows it',
      '  y once  s this session  p this project  n no  r no, with a reason',
      '  s and p allow bash(npm test unit)',
      '  S and P allow bash(npm test *)',
    ]);
    await screen.answer('S');
    await screen.waitFor('? write_file .holdover/x');
    expect(screen.screen().join('\n')).toContain('  y once  n no  r no, with a reason');
    expect(screen.screen().join('\n')).toContain('  nothing can be remembered about this one');
    await screen.answer('n');
    await screen.waitFor('I could not.');
    await screen.ready();
    await screen.send('/permissions');
    await screen.waitFor(/^allow +bash\(npm test \*\) +session$/m);
  });

  it('the fallback, notices at the start and hooks that fail or block are said quietly', async () => {
    const overloaded = {
      kind: 'overloaded',
      times: 3,
      when: ({ request }: { request: { model: string } }) => request.model === 'sim-1',
    } as const;
    const model = await scriptedModel(['From the other one.'], [overloaded]);
    const hooks = {
      UserPromptSubmit: [{ command: 'echo broken >&2; exit 3' }],
      PreCompact: [{ command: 'echo not on Mondays >&2; exit 2' }],
    };
    const folder = workFolder({
      '.holdover/skills/broken/SKILL.md': '---\nname: ../evil\n---\nDo it.\n',
      '.config/holdover/settings.json': JSON.stringify({ hooks, mcpServers: { gone: { command: '/nowhere/at/all' } } }),
      'big.txt': 'a line that fills the window\n'.repeat(300),
    });
    const screen = await terminal({ folder, env: { ...model.env, HOLDOVER_FALLBACK_MODEL: 'sim-2' }, rows: 40 });
    await screen.waitFor('! MCP server gone failed');
    expect(screen.text()).toMatch(/! skill .*SKILL\.md is left out: /);
    await screen.send('Take @big.txt, please.');
    await screen.waitFor('From the other one.');
    await screen.ready();
    expect(screen.text()).toContain('! sim-1 is overloaded: sim-2 takes over for this message');
    expect(screen.text()).toMatch(/! a UserPromptSubmit hook failed: /);
    await screen.send('/compact');
    await screen.waitFor('! no compaction, a PreCompact hook says: not on Mondays');
    await screen.ready();
    picture(screen, 'notices');
    expect(screen.text()).not.toContain('There is nothing to compact');
  });

  it('in plain lines: thinking, sub-agents, who asks', async () => {
    const model = await scriptedModel([
      [{ kind: 'thinking', text: THOUGHT }, call('task', { description: 'Make it.', title: 'make it' })],
      [call('bash', { command: 'touch made.txt' })],
      'It is made.',
      'All done.',
    ]);
    const env = { ...model.env, TERM: 'dumb', HOLDOVER_THINKING: '4000' };
    const screen = new Terminal([], { folder: workFolder(), env, columns: 120 });
    await screen.waitFor('session ');
    screen.type('Make it.\r');
    await screen.waitFor('y once, s this session, p this project, n no:');
    expect(screen.text()).toContain('? bash touch made.txt\n  asked by a sub-agent: make it\n');
    screen.type('y\r');
    await screen.waitFor('All done.');
    expect(screen.text()).toMatch(/^thinking … 1 s$/m);
    expect(screen.text()).toContain('    * bash touch made.txt  no output\n');
    expect(screen.text()).toMatch(/^\* task make it {2}2 rounds, [\d.]+k tokens · It is made\.$/m);
    screen.kill();
  });
});
