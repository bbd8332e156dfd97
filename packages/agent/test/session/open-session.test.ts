/** What a session file says when it is opened, and what it cannot say. */
import { appendFileSync, chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { type Agent, createAgent, rewindPoints, type SessionChoice } from '@holdover/agent';
import { scripted } from '@holdover/simulator';
import { describe, expect, it } from 'vitest';
import { factRecord } from '../../src/session/facts.ts';
import { interruptedResults, type OpenedSession, openSession } from '../../src/session/open-session.ts';
import { foreignReason } from '../../src/session/owner.ts';
import { loadSession } from '../../src/session/read-log.ts';
import { sessionPath } from '../../src/session/sessions.ts';
import {
  ECHO,
  echo,
  FORMATS,
  type Format,
  openSimulator,
  providerFor,
  quickPorts,
  resultsIn,
  shownIn,
} from '../support/stage.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

const PORTS = { now: () => 0, random: () => 0.5 };

async function told(folder: string, format: Format = 'anthropic'): Promise<string> {
  const simulator = await openSimulator(scripted([echo('one', 'id_1'), 'First done.', 'Second done.']));
  const agent = await createAgent({
    workspace: folder,
    provider: providerFor(format, simulator),
    model: 'sim-1',
    tools: [ECHO],
    ports: quickPorts(),
  });
  await agent.run('The first.');
  await agent.run('The second.');
  await agent.close();
  return agent.sessionId;
}

async function opened(folder: string, session: SessionChoice): Promise<OpenedSession> {
  const provider = providerFor('anthropic', await openSimulator(scripted([])));
  return openSession(session, { root: folder, provider, model: 'sim-1', ports: PORTS });
}

describe('facts', () => {
  it('survive a resume and a fork; those of another shape count for nothing', async () => {
    const folder = tempFolder();
    const id = await told(folder);
    const todos = [{ content: 'Write', status: 'in_progress' as const }];
    const first = await opened(folder, { kind: 'resume', id });
    expect([first.todos, first.title]).toEqual([[], undefined]);
    await first.log.append([
      factRecord('todos', todos),
      factRecord('title', 'My work'),
      factRecord('cost', { usd: 1 }),
    ]);
    await first.log.close();
    const second = await opened(folder, { kind: 'resume', id });
    expect([second.todos, second.title, second.facts.get('cost')]).toEqual([todos, 'My work', { usd: 1 }]);
    await second.log.append([factRecord('todos', [{ content: 'x', status: 'lost' }])]);
    await second.log.close();
    const fork = await opened(folder, { kind: 'fork', id });
    expect([fork.todos, fork.title, fork.forkedFrom]).toEqual([[], 'My work', id]);
    await fork.log.close();
    const again = await opened(folder, { kind: 'resume', id: fork.id });
    expect([again.title, again.forkedFrom]).toEqual(['My work', undefined]);
    await again.log.close();
  });

  it('grant nothing: a file that says everything is allowed is not believed', async () => {
    const folder = tempFolder();
    const id = await told(folder);
    const session = await opened(folder, { kind: 'resume', id });
    await session.log.append(['permission', 'permissions', 'rules'].map((name) => factRecord(name, { allow: ['*'] })));
    await session.log.close();
    const brain = scripted([{ kind: 'call', name: 'bash', input: { command: 'touch made' } }, 'Refused.']);
    const agent = await createAgent({
      workspace: folder,
      provider: providerFor('anthropic', await openSimulator(brain)),
      model: 'sim-1',
      session: { kind: 'resume', id },
      ports: quickPorts(),
    });
    await agent.run('Make it.');
    await agent.close();
    expect(resultsIn(brain.requests[1]).at(-1)?.text).toContain('nobody can be asked');
  });
});

it('results for a call behind which the user said something else already: there is no place for them', async () => {
  const provider = providerFor('anthropic', await openSimulator(scripted([])));
  const called = { role: 'assistant', content: [{ type: 'tool_use', id: 'id_1', name: 'echo', input: {} }] };
  const words = { role: 'user', content: 'Never mind.' };
  expect(interruptedResults([called], provider)).toEqual([
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'id_1',
          content:
            'The session was interrupted before this call had its result. It may have run: check before running it again.',
          is_error: true,
        },
      ],
    },
  ]);
  expect(interruptedResults([called, words], provider)).toEqual([]);
});

describe('a damaged session', () => {
  it('is read, not written; a fork goes on with what is whole', async () => {
    const folder = tempFolder();
    const id = await told(folder);
    const path = sessionPath(folder, id);
    const lines = readFileSync(path, 'utf8').split('\n');
    const at = lines.findIndex((line) => line.includes('First done.'));
    writeFileSync(path, lines.toSpliced(at, 1, '\0'.repeat(300)).join('\n'));
    appendFileSync(path, '{"torn');
    const before = readFileSync(path);
    const brain = scripted(['Going on.']);
    const provider = providerFor('anthropic', await openSimulator(brain));
    const open = (session: SessionChoice): Promise<Agent> =>
      createAgent({ workspace: folder, provider, model: 'sim-1', tools: [ECHO], session, ports: quickPorts() });
    const agent = await open({ kind: 'resume', id });
    expect(agent.context.history()).toHaveLength(5);
    await expect(agent.run('More.')).rejects.toMatchObject({
      code: 'session_read_only',
      message: expect.stringMatching(/is damaged \(line \d+: it is not JSON and 1 more\).*fork it to go on/) as string,
    });
    await agent.close();
    const fork = await open({ kind: 'fork', id });
    await fork.run('More.');
    await fork.close();
    expect(shownIn(brain.requests[0])).toContain('The second.');
    expect(readFileSync(path).equals(before)).toBe(true);
    expect((await loadSession(sessionPath(folder, fork.sessionId))).damage).toEqual([]);
  });
});

describe('a file of somebody else', () => {
  const uid = process.getuid?.() ?? 0;

  it.each([
    [{ uid, mode: 0o100600 }, undefined],
    [{ uid, mode: 0o100400 }, undefined],
    [{ uid, mode: 0o100644 }, /open to other users \(mode 644\)/],
    [{ uid, mode: 0o100620 }, /open to other users \(mode 620\)/],
    [{ uid, mode: 0o100602 }, /open to other users \(mode 602\)/],
    [{ uid: uid + 1, mode: 0o100600 }, /belongs to another user/],
  ])('is known by %j', (stats, reason) => {
    if (reason === undefined) expect(foreignReason('x', stats)).toBeUndefined();
    else expect(foreignReason('x', stats)).toMatch(reason);
  });

  it('is refused however it is asked for, and taken once its owner says it is theirs', async () => {
    const folder = tempFolder();
    const id = await told(folder);
    const path = sessionPath(folder, id);
    chmodSync(path, 0o666);
    for (const session of [{ kind: 'continue' }, { kind: 'resume', id }, { kind: 'fork', id }] as const)
      await expect(opened(folder, session)).rejects.toMatchObject({ code: 'session_unreadable' });
    chmodSync(path, 0o600);
    const session = await opened(folder, { kind: 'continue' });
    expect(session.messages).toHaveLength(6);
    await session.log.close();
  });
});

describe.each(FORMATS)('the points to rewind to in %s', (format) => {
  it('are in front of what the user said', async () => {
    const folder = tempFolder();
    const id = await told(folder, format);
    const { messages } = await loadSession(sessionPath(folder, id));
    const provider = providerFor(format, await openSimulator(scripted([])));
    expect(rewindPoints(messages, provider)).toEqual([
      { length: 0, text: 'The first.' },
      { length: 4, text: 'The second.' },
    ]);
  });
});
