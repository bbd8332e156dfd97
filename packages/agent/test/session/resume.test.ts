import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Agent,
  type AgentEvent,
  type AgentOptions,
  createAgent,
  listSessions,
  type SessionChoice,
} from '@holdover/agent';
import { type ScriptedStep, scripted, type SimRecord, type Simulator } from '@holdover/simulator';
import { describe, expect, it } from 'vitest';
import {
  ECHO,
  echo,
  FORMATS,
  type Format,
  messagesOf,
  openSimulator,
  providerFor,
  quickPorts,
  resultsIn,
  shownIn,
} from '../support/stage.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

const LOREM = 'lorem ipsum dolor sit amet '.repeat(60);
const SUMMARY = 'Goal: to go on. Found nothing.';

interface Process {
  readonly format: Format;
  readonly simulator: Simulator;
  readonly folder: string;
  readonly session?: SessionChoice;
  readonly agent?: Partial<AgentOptions>;
}

/** One process of a session: opened, given its prompts, closed. */
async function play(
  { format, simulator, folder, session, agent: more }: Process,
  prompts: readonly string[],
): Promise<string> {
  const agent = await createAgent({
    workspace: folder,
    provider: providerFor(format, simulator),
    model: 'sim-1',
    tools: [ECHO],
    ...(session === undefined ? {} : { session }),
    ports: quickPorts(),
    ...more,
  });
  try {
    for (const prompt of prompts) await agent.run(prompt);
    return agent.sessionId;
  } finally {
    await agent.close();
  }
}

function logOf(folder: string): string {
  const [name] = readdirSync(join(folder, '.holdover', 'sessions'));
  return join(folder, '.holdover', 'sessions', name ?? '');
}

/** Cuts a log behind its n-th message of a role. */
function cutBehind(folder: string, role: string, count: number): void {
  const path = logOf(folder);
  let seen = 0;
  let bytes = 0;
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    bytes += Buffer.byteLength(line) + 1;
    const { message } = JSON.parse(line) as { message?: { role: string } };
    if (message?.role === role) seen += 1;
    if (seen === count) break;
  }
  truncateSync(path, bytes);
}

/** Calls with ids of their own, so that two plays of one script send the same bytes. */
const STORY: readonly ScriptedStep[] = [
  [echo(`a ${LOREM}`, 'id_1'), echo(`b ${LOREM}`, 'id_2')],
  echo(`c ${LOREM}`, 'id_3'),
  'First done.',
  [echo(`d ${LOREM}`, 'id_4'), echo('🦊 ä', 'id_5')],
  { kind: 'call', name: 'compact', input: {}, id: 'id_6' },
  SUMMARY,
  'Second done.',
  echo(`e ${LOREM}`, 'id_7'),
  'Third done.',
];
const PROMPTS = ['Do the first thing.', 'Do the second thing.', 'Do the third thing.'];

/** All a request says except where the folder is. */
function said(records: readonly SimRecord[], folder: string): readonly unknown[] {
  return records.map(
    (record) =>
      JSON.parse(
        JSON.stringify([record.body['system'], record.body['tools'], messagesOf(record)]).replaceAll(folder, 'FOLDER'),
      ) as unknown,
  );
}

describe.each(FORMATS)('a resumed session over %s', (format) => {
  it('defect 10, no resume: three processes send the very bytes one process would have sent', async () => {
    const whole = { folder: tempFolder(), simulator: await openSimulator(scripted(STORY)) };
    const parted = { folder: tempFolder(), simulator: await openSimulator(scripted(STORY)) };
    await play({ format, ...whole }, PROMPTS);
    const id = await play({ format, ...parted }, [PROMPTS[0] ?? '']);
    for (const prompt of PROMPTS.slice(1)) await play({ format, ...parted, session: { kind: 'resume', id } }, [prompt]);
    const [one, three] = [said(whole.simulator.requests, whole.folder), said(parted.simulator.requests, parted.folder)];
    expect(one).toHaveLength(9);
    expect(JSON.stringify(one)).toContain('[Earlier tool result compacted.');
    expect(JSON.stringify(one)).toContain('[Compacted]');
    for (const [index, request] of one.entries()) expect(three[index], `request ${index}`).toEqual(request);
    expect(JSON.stringify(three)).toBe(JSON.stringify(one));
  });

  it('extends what was sent before, so that the cached prefix holds', async () => {
    const folder = tempFolder();
    const simulator = await openSimulator(scripted([echo('a'), 'One.', 'Two.']), { minimumCacheTokens: 0 });
    await play({ format, folder, simulator }, ['First.']);
    await play({ format, folder, simulator, session: { kind: 'continue' } }, ['Second.']);
    const [, before, after] = simulator.requests;
    const sent = messagesOf(before);
    expect(messagesOf(after).slice(0, sent.length)).toEqual(sent);
    if (format === 'anthropic') expect(after?.usage?.cacheReadTokens).toBe(before?.usage?.inputTokens);
  });

  it('goes on with the newest session when told to continue', async () => {
    const folder = tempFolder();
    const simulator = await openSimulator(scripted(['A.', 'B.', 'A again.', 'Newest.']));
    const first = await play({ format, folder, simulator }, ['I am the first.']);
    await play({ format, folder, simulator }, ['I am the second.']);
    await play({ format, folder, simulator, session: { kind: 'resume', id: first } }, ['First again.']);
    const newest = await play({ format, folder, simulator, session: { kind: 'continue' } }, ['And on.']);
    expect(newest).toBe(first);
    expect(JSON.stringify(messagesOf(simulator.requests[3]))).toContain('I am the first.');
    expect(await listSessions(folder)).toHaveLength(2);
  });

  it('answers the calls that had no result when the last process ended', async () => {
    const folder = tempFolder();
    const brain = scripted([[echo('one', 'id_1'), echo('two', 'id_2')], 'Done.', 'Checked.']);
    const simulator = await openSimulator(brain);
    await play({ format, folder, simulator }, ['Go.']);
    cutBehind(folder, 'assistant', 1);
    await play({ format, folder, simulator, session: { kind: 'continue' } }, ['What happened?']);
    const results = resultsIn(brain.requests[2]);
    expect(results.map(({ text }) => text.slice(0, 31))).toEqual([
      'The session was interrupted bef',
      'The session was interrupted bef',
    ]);
    expect(simulator.requests[2]?.status).toBe(200);
    await play({ format, folder, simulator: await openSimulator(scripted(['Fine.'])), session: { kind: 'continue' } }, [
      'And?',
    ]);
  });

  it('cut between the ledger and the reply it was made for, opens and goes on', async () => {
    const folder = tempFolder();
    await play({ format, folder, simulator: await openSimulator(scripted(STORY)) }, PROMPTS.slice(0, 2));
    const path = logOf(folder);
    const text = readFileSync(path, 'utf8');
    const at = text.lastIndexOf('"type":"ledger"');
    truncateSync(path, Buffer.byteLength(text.slice(0, text.indexOf('\n', at) + 1)));
    const brain = scripted(['Here.']);
    await play({ format, folder, simulator: await openSimulator(brain), session: { kind: 'continue' } }, ['Go on.']);
    expect(shownIn(brain.requests[0])).toContain('[Compacted]');
  });

  it('keeps what was learned: the window, and the size of what is counted', async () => {
    const folder = tempFolder();
    const simulator = await openSimulator(scripted([echo(LOREM), SUMMARY, 'One.', 'Two.']), {
      faults: [{ kind: 'too_long', inputTokens: 6_000, windowTokens: 5_000, when: ({ index }) => index === 1 }],
    });
    await play({ format, folder, simulator }, ['First.']);
    const lines = readFileSync(logOf(folder), 'utf8').trimEnd().split('\n');
    const records = lines.map((line) => JSON.parse(line) as { readonly type: string });
    expect(records.findLast(({ type }) => type === 'state')).toMatchObject({
      state: { learnedWindows: [['sim-1', 5_000]] },
    });
    const agent = await createAgent({
      workspace: folder,
      provider: providerFor(format, simulator),
      model: 'sim-1',
      session: { kind: 'continue' },
    });
    expect(agent.context.snapshot().learnedWindows).toEqual([['sim-1', 5_000]]);
    await agent.close();
  });

  it('is refused in another format, by name', async () => {
    const folder = tempFolder();
    const simulator = await openSimulator(scripted(['Hi.']));
    await play({ format, folder, simulator }, ['Hello.']);
    const other = format === 'anthropic' ? 'openai-chat' : 'anthropic';
    await expect(play({ format: other, folder, simulator, session: { kind: 'continue' } }, [])).rejects.toMatchObject({
      code: 'session_unreadable',
      message: expect.stringContaining(`is in the format of ${format}, not ${other}`) as string,
    });
  });
});

describe('opening a session', () => {
  it('answers only the calls that have none where the crash fell between results of one batch', async () => {
    const folder = tempFolder();
    const brain = scripted([[echo('one', 'id_1'), echo('two', 'id_2')], 'Done.', 'Checked.']);
    const simulator = await openSimulator(brain);
    await play({ format: 'openai-chat', folder, simulator }, ['Go.']);
    cutBehind(folder, 'tool', 1);
    await play({ format: 'openai-chat', folder, simulator, session: { kind: 'continue' } }, ['What happened?']);
    expect(resultsIn(brain.requests[2]).map(({ text }) => text.slice(0, 23))).toEqual([
      'one',
      'The session was interru',
    ]);
  });

  it('says where it looked when there is none', async () => {
    const folder = tempFolder();
    const simulator = await openSimulator(scripted([]));
    const open = (session: SessionChoice): Promise<string> =>
      play({ format: 'anthropic', folder, simulator, session }, []);
    await expect(open({ kind: 'continue' })).rejects.toMatchObject({
      code: 'session_not_found',
      message: expect.stringContaining(folder) as string,
    });
    await expect(open({ kind: 'resume', id: '20261130-161835-0a1b2c3d' })).rejects.toMatchObject({
      code: 'session_not_found',
    });
    await expect(open({ kind: 'resume', id: '../../../etc/passwd' })).rejects.toMatchObject({
      code: 'session_not_found',
    });
    expect(existsSync(join(folder, '.holdover'))).toBe(false);
  });

  it('of a newer version is read and left as it is', async () => {
    const folder = tempFolder();
    const simulator = await openSimulator(scripted(['Hi.']));
    await play({ format: 'anthropic', folder, simulator }, ['Hello.']);
    const path = logOf(folder);
    const newer = `${readFileSync(path, 'utf8')}{"v":2,"id":"r9","parent":"r4","type":"thing"}\n{"torn`;
    writeFileSync(path, newer);
    const agent = await createAgent({
      workspace: folder,
      provider: providerFor('anthropic', simulator),
      model: 'sim-1',
      session: { kind: 'continue' },
    });
    expect(agent.context.history()).toHaveLength(2);
    await expect(agent.run('More.')).rejects.toMatchObject({
      code: 'session_read_only',
      message: expect.stringContaining('was written by a newer version (2, this is 1)') as string,
    });
    expect(agent.context.history()).toHaveLength(2);
    await agent.close();
    await expect(
      play({ format: 'anthropic', folder, simulator, session: { kind: 'fork', id: agent.sessionId } }, []),
    ).rejects.toMatchObject({ code: 'session_read_only' });
    expect(readFileSync(path, 'utf8')).toBe(newer);
  });

  it('makes files and folders for their owner only', async () => {
    const folder = tempFolder();
    await play({ format: 'anthropic', folder, simulator: await openSimulator(scripted(STORY)) }, PROMPTS);
    const mode = (...path: string[]): number => statSync(join(folder, ...path)).mode & 0o777;
    expect(statSync(logOf(folder)).mode & 0o777).toBe(0o600);
    for (const top of ['.holdover', '.task_outputs', '.transcripts']) {
      expect(mode(top), top).toBe(0o700);
      expect(readFileSync(join(folder, top, '.gitignore'), 'utf8')).toBe('*\n');
    }
    const results = readdirSync(join(folder, '.task_outputs', 'tool-results'));
    const transcripts = readdirSync(join(folder, '.transcripts')).filter((name) => name !== '.gitignore');
    expect(results.length).toBeGreaterThan(0);
    expect(transcripts).toHaveLength(1);
    for (const name of results) expect(mode('.task_outputs', 'tool-results', name), name).toBe(0o600);
    for (const name of transcripts) expect(mode('.transcripts', name), name).toBe(0o600);
  });

  it('of another process goes on in a copy, and both logs stay whole', async () => {
    const folder = tempFolder();
    const brain = scripted(['One.', 'Mine.', 'Theirs.', 'Mine again.']);
    const simulator = await openSimulator(brain);
    const open = (session: SessionChoice, events: AgentEvent[] = []): Promise<Agent> =>
      createAgent({
        workspace: folder,
        provider: providerFor('anthropic', simulator),
        model: 'sim-1',
        session,
        ports: quickPorts(),
        onEvent: (event) => events.push(event),
      });
    const first = await open({ kind: 'new' });
    await first.run('Start.');
    const events: AgentEvent[] = [];
    const second = await open({ kind: 'continue' }, events);
    expect(second.sessionId).not.toBe(first.sessionId);
    expect(events[0]).toEqual({
      type: 'session-start',
      sessionId: second.sessionId,
      isResumed: true,
      forkedFrom: first.sessionId,
    });
    await first.run('I go on.');
    await second.run('Me too.');
    await first.run('And on.');
    expect(shownIn(brain.requests[2])).toBe('Start.\nOne.\nMe too.');
    expect(shownIn(brain.requests[3])).toBe('Start.\nOne.\nI go on.\nMine.\nAnd on.');
    await Promise.all([first.close(), second.close()]);
    const third = await open({ kind: 'resume', id: first.sessionId });
    expect(third.sessionId).toBe(first.sessionId);
    expect(third.context.history()).toHaveLength(6);
    await third.close();
    expect(readdirSync(join(folder, '.holdover', 'sessions')).filter((name) => !name.endsWith('.jsonl'))).toEqual([]);
  });

  it('two sessions of one second are two files', async () => {
    const folder = tempFolder();
    const simulator = await openSimulator(scripted(['A.', 'B.']));
    const agent = { ports: { ...quickPorts(), now: () => 0 } };
    await play({ format: 'anthropic', folder, simulator, agent }, ['Hello.']);
    await play({ format: 'anthropic', folder, simulator, agent }, ['Hello.']);
    expect(await listSessions(folder)).toHaveLength(2);
  });
});
