/** What is done to a session between two runs, over the wire and over a restart. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Agent, AgentError, createAgent, createHooks } from '@holdover/agent';
import { scripted } from '@holdover/simulator';
import { describe, expect, it } from 'vitest';
import { ECHO, echo, FORMATS, openSimulator, providerFor, quickPorts, shownIn, stageFor } from '../support/stage.ts';

const SUMMARY = 'Goal: echo things. Done: all of it. Files: none. Open: nothing. The user forbade nothing.';
const LONG = 'some words that fill the window, again and again. '.repeat(200);

describe.each(FORMATS)('between two runs over %s', (format) => {
  it('compacts now, tells the hooks, and sends the smaller view with what they said', async () => {
    const told: unknown[] = [];
    const hooks = createHooks<object>();
    hooks.on('PreCompact', (about) => {
      told.push(about);
      return 'Keep the colour.';
    });
    hooks.on('PostCompact', ({ trigger, summary }) => told.push({ trigger, summary: summary.slice(0, 11) }));
    hooks.on('SessionStart', ({ source }) => (source === 'compact' ? 'The branch is main.' : null));
    const stage = await stageFor({ format, steps: [echo(LONG), 'One.', SUMMARY, 'Two.'], agent: { hooks } });
    await stage.agent.run('Echo it, in blue.');
    const before = stage.agent.context.view().tokens;
    const receipt = await stage.agent.compact({ focus: 'the echo' });
    expect(receipt).toMatchObject({ cause: 'manual', summary: { trigger: 'manual', writer: 'sim-1' } });
    expect(stage.agent.context.view().tokens).toBeLessThan(before / 2);
    expect(told).toEqual([
      { trigger: 'manual', focus: 'the echo' },
      { trigger: 'manual', summary: '[Compacted]' },
    ]);
    const asked = shownIn(stage.brain.requests[2]);
    expect(asked).toContain('the echo');
    expect(asked).toContain('Keep the colour.');
    await stage.agent.run('And now?');
    const shown = shownIn(stage.brain.requests[3]);
    expect(shown).toContain(SUMMARY);
    expect(shown).not.toContain(LONG);
    expect(shown).toContain('The branch is main.');
    expect(stage.agent.cost().calls).toBe(4);
  });

  it('says so where there is nothing to compact, and where a hook blocks it', async () => {
    const hooks = createHooks<object>();
    const stage = await stageFor({ format, steps: [echo(LONG), 'One.'], agent: { hooks } });
    await expect(stage.agent.compact()).resolves.toBeUndefined();
    await stage.agent.run('Echo it.');
    hooks.on('PreCompact', () => ({ block: 'not now' }));
    const before = stage.agent.context.view();
    await expect(stage.agent.compact()).resolves.toBeUndefined();
    expect(stage.agent.context.view().tokens).toBe(before.tokens);
  });

  it('takes a compaction back, and a restart goes on from there', async () => {
    const stage = await stageFor({ format, steps: [echo(LONG), 'One.', SUMMARY] });
    await stage.agent.run('Echo it.');
    const whole = stage.agent.context.view().tokens;
    await stage.agent.compact();
    await expect(stage.agent.undo()).resolves.toBe(true);
    expect(stage.agent.context.view().tokens).toBe(whole);
    await expect(stage.agent.undo()).resolves.toBe(false);
    await stage.agent.close();
    const again = await reopened(stage.agent, { format, folder: stage.folder, steps: ['Two.'] });
    await again.agent.run('And?');
    expect(shownIn(again.brain.requests[0])).toContain('some words that fill the window');
  });

  it('goes back to before a message, over a compaction, and a restart goes on from there', async () => {
    const stage = await stageFor({ format, steps: ['One.', echo(LONG), 'Two.', SUMMARY, 'Three.'] });
    await stage.agent.run('First.');
    await stage.agent.run('Second.');
    await stage.agent.compact();
    await stage.agent.rewind(2);
    await stage.agent.run('Another second.');
    const shown = shownIn(stage.brain.requests.at(-1));
    expect(shown).toContain('First.');
    expect(shown).toContain('Another second.');
    expect(shown).not.toContain('[Compacted]');
    expect(shown).not.toContain('Two.');
    await stage.agent.close();
    const again = await reopened(stage.agent, { format, folder: stage.folder, steps: ['Four.'] });
    expect(again.agent.context.history()).toHaveLength(4);
    await again.agent.run('Third.');
    expect(shownIn(again.brain.requests[0])).toContain('Another second.');
    expect(shownIn(again.brain.requests[0])).not.toContain('Two.');
  });

  it('keeps a pinned text through a compaction and a restart, until it is taken away', async () => {
    const stage = await stageFor({ format, steps: [echo(LONG), 'One.', SUMMARY] });
    const id = await stage.agent.pin('Never touch the lock file.');
    await stage.agent.run('Echo it.');
    expect(shownIn(stage.brain.requests[0])).toContain('Never touch the lock file.');
    await stage.agent.compact();
    await stage.agent.close();
    const again = await reopened(stage.agent, {
      format,
      folder: stage.folder,
      steps: [echo(LONG, 'another_call'), 'Two.', SUMMARY, 'Three.'],
    });
    await again.agent.run('And?');
    const pinned = shownIn(again.brain.requests[0]);
    expect(pinned.split('Never touch the lock file.')).toHaveLength(2);
    await expect(again.agent.unpin(id)).resolves.toBe(true);
    await expect(again.agent.unpin(id)).resolves.toBe(false);
    await again.agent.compact();
    await again.agent.run('And now?');
    expect(shownIn(again.brain.requests.at(-1))).not.toContain('Never touch the lock file.');
  });

  it('restores the task list and the file last read beside a summary, and a deny rule keeps a file out', async () => {
    const todos = [{ content: 'Write the report', status: 'pending' }];
    const stage = await stageFor({
      format,
      files: { 'plan.md': 'step one\n', 'secret.env': 'KEY=1\n' },
      steps: [
        [
          { kind: 'call', name: 'todo_write', input: { todos } },
          { kind: 'call', name: 'read_file', input: { path: 'plan.md' } },
          { kind: 'call', name: 'bash', input: { command: 'cat secret.env' } },
          echo(LONG),
        ],
        'One.',
        SUMMARY,
        'Two.',
      ],
      agent: { rules: { deny: ['read_file(secret.env)'] } },
    });
    await stage.agent.run('Begin.');
    writeFileSync(join(stage.folder, 'plan.md'), 'step two\n');
    await stage.agent.compact();
    await stage.agent.run('Go on.');
    const shown = shownIn(stage.brain.requests.at(-1));
    expect(shown).toContain('Write the report (pending)');
    expect(shown).toContain('the file plan.md as it is on disk now');
    expect(shown).toContain('step two');
    expect(shown).not.toContain('KEY=1');
    await stage.agent.close();
    const again = await reopened(stage.agent, { format, folder: stage.folder, steps: [] });
    expect(again.agent.todos.items).toEqual(todos);
  });

  it('reminds the model of its task list behind the results, and never as the words of the user', async () => {
    const todos = [{ content: 'Write the report', status: 'pending' }];
    const steps = [
      { kind: 'call', name: 'todo_write', input: { todos } } as const,
      echo('a'),
      echo('b'),
      echo('c'),
      'Done.',
    ];
    const stage = await stageFor({ format, steps });
    await stage.agent.run('Begin.');
    const shown = stage.brain.requests.map((request) => shownIn(request).includes('Reminder: your task list'));
    expect(shown).toEqual([false, false, false, false, true]);
    expect(stage.agent.context.history()).toHaveLength(10);
  });
});

it('refuses every change to a session that can only be read, before anything moves', async () => {
  const stage = await stageFor({ format: 'anthropic', steps: ['One.'] });
  await stage.agent.run('First.');
  await stage.agent.close();
  const log = join(stage.folder, '.holdover', 'sessions', `${stage.agent.sessionId}.jsonl`);
  writeFileSync(log, `${readFileSync(log, 'utf8')}{"v":99,"id":"x","parent":null,"type":"later"}\n`);
  const { agent } = await reopened(stage.agent, { format: 'anthropic', folder: stage.folder, steps: [] });
  expect(agent.readOnly).toContain('newer version (99, this is 1)');
  expect(agent.context.history()).toHaveLength(2);
  const changes = [
    () => agent.run('More.'),
    () => agent.compact(),
    () => agent.undo(),
    () => agent.rewind(0),
    () => agent.pin('x'),
  ];
  for (const change of changes) await expect(change()).rejects.toThrow(AgentError);
  expect(agent.context.history()).toHaveLength(2);
});

interface Reopening {
  readonly format: (typeof FORMATS)[number];
  readonly folder: string;
  readonly steps: Parameters<typeof scripted>[0];
}

/** The same session in a new agent, as another process would open it. */
async function reopened({ sessionId }: Agent, { format, folder, steps }: Reopening) {
  const brain = scripted(steps);
  const agent = await createAgent({
    workspace: folder,
    provider: providerFor(format, await openSimulator(brain)),
    model: 'sim-1',
    tools: [ECHO],
    session: { kind: 'resume', id: sessionId },
    ports: quickPorts(),
  });
  return { agent, brain };
}
