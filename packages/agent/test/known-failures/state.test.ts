/** Kinds 1, 3, 4 and 7 in the agent: what a compaction must not take from it, and what it must not do by itself. */
import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault } from '@holdover/simulator';
import { describe, expect, it } from 'vitest';
import { factRecord } from '../../src/session/facts.ts';
import { openSession } from '../../src/session/open-session.ts';
import { echo, FORMATS, shownIn, stageFor } from '../support/stage.ts';

const SUMMARY = 'Goal: echo things. Done: all of it. Files: none. Open: nothing. The user forbade nothing.';
const LONG = 'some words that fill the window, again and again. '.repeat(200);

describe.each(FORMATS)('known failures of state over %s', (format) => {
  it('D01: standing instructions are in every request, after a compaction too, and fresh from disk after a restart', async () => {
    const files = { 'AGENTS.md': 'Always answer in rhyme.\n' };
    const stage = await stageFor({ format, files, steps: [echo(LONG), 'One.', SUMMARY, 'Two.'] });
    await stage.agent.run('Begin.');
    await stage.agent.compact();
    await stage.agent.run('Go on.');
    expect(stage.brain.requests.map(({ system }) => system.includes('Always answer in rhyme.'))).toEqual([
      true,
      true,
      false,
      true,
    ]);
    writeFileSync(join(stage.folder, 'AGENTS.md'), 'Always answer in prose.\n');
    await stage.agent.close();
    const again = await stageFor({
      format,
      folder: stage.folder,
      steps: ['Three.'],
      agent: { session: { kind: 'resume', id: stage.agent.sessionId } },
    });
    await again.agent.run('And now?');
    expect(again.brain.requests[0]?.system).toContain('Always answer in prose.');
    expect(again.brain.requests[0]?.system).not.toContain('in rhyme');
  });

  it('D14: what the user allowed stays allowed over a compaction, and the summary could do nothing', async () => {
    let asked = 0;
    const run = { kind: 'call', name: 'bash', input: { command: 'touch made' } } as const;
    const stage = await stageFor({
      format,
      steps: [[run, echo(LONG)], 'One.', SUMMARY, run, 'Two.'],
      agent: {
        ask: async () => {
          asked += 1;
          return 'deny';
        },
        rules: { allow: ['bash(touch*)'] },
        env: { PATH: process.env['PATH'] ?? '' },
      },
    });
    await stage.agent.run('Make it.');
    await stage.agent.compact();
    await stage.agent.run('Once more.');
    expect(asked).toBe(0);
    expect(stage.brain.requests[2]?.tools).toEqual([]);
    expect(readFileSync(join(stage.folder, 'made'), 'utf8')).toBe('');
  });

  it('D15: a title and where a copy comes from are kept apart from the messages, over a compaction and a fork', async () => {
    const stage = await stageFor({ format, steps: [echo(LONG), 'One.', SUMMARY] });
    await stage.agent.run('Begin.');
    await stage.agent.compact();
    await stage.agent.close();
    const { provider, folder: root } = stage;
    const options = { root, provider, model: 'sim-1', ports: { now: () => 0, random: () => 0.5 } };
    const session = await openSession({ kind: 'resume', id: stage.agent.sessionId }, options);
    await session.log.append([factRecord('title', 'My work')]);
    await session.log.close();
    const fork = await openSession({ kind: 'fork', id: stage.agent.sessionId }, options);
    expect([fork.title, fork.forkedFrom]).toEqual(['My work', stage.agent.sessionId]);
    expect(fork.snapshot?.groups.length).toBeGreaterThan(0);
    await fork.log.close();
  });

  it('C01: when the model has ended by itself nothing goes on: no message is made up and no call made', async () => {
    const stage = await stageFor({
      format,
      steps: [echo(LONG), 'Done.', SUMMARY, 'Also done.'],
      agent: { context: { windowTokens: 8_000, maxOutputTokens: 1_000 } },
    });
    await stage.agent.run(`Echo it. ${LONG.slice(0, 9_000)}`);
    const calls = stage.brain.requests.length;
    const users = stage.agent.context.history().filter((message) => JSON.stringify(message).includes('Echo it.'));
    expect(users).toHaveLength(1);
    const last = JSON.stringify(stage.agent.context.history().at(-1));
    expect(last).toContain(calls === 2 ? 'Done.' : 'lso done.');
  });

  it('B06: an error of the provider leaves nothing in what is sent next', async () => {
    const fault = (index: number): Fault => ({ kind: 'server_error', when: (request) => request.index === index });
    const stage = await stageFor({ format, steps: ['Fine.'], faults: [fault(0)] });
    await stage.agent.run('Hello.').catch(() => undefined);
    if (stage.brain.requests.length === 0) await stage.agent.run('Again.');
    const sent = JSON.stringify(stage.simulator.requests.at(-1)?.body);
    expect(stage.simulator.requests.some(({ status }) => status >= 500)).toBe(true);
    expect(sent).toContain('Hello.');
    expect(sent).not.toMatch(/server error|api_error|Internal/i);
  });

  it('E08: the request of a summary asks for no thinking, whatever the session thinks with', async () => {
    const stage = await stageFor({
      format,
      steps: [echo(LONG), 'One.', SUMMARY],
      agent: { thinkingTokens: 32_768, context: { maxOutputTokens: 8_000 } },
    });
    await stage.agent.run('Begin.');
    await stage.agent.compact();
    const [first, , summary] = stage.simulator.requests;
    expect(Object.keys(first?.body ?? {})).toContain(format === 'anthropic' ? 'thinking' : 'reasoning_effort');
    expect(summary?.status).toBe(200);
    for (const member of ['thinking', 'reasoning_effort', 'output_config'])
      expect(summary?.body).not.toHaveProperty(member);
  });

  it('E09: the request of a summary has nothing in it but what every model takes', async () => {
    const stage = await stageFor({ format, steps: [echo(LONG), 'One.', SUMMARY], agent: { thinkingTokens: 4_096 } });
    await stage.agent.run('Begin.');
    await stage.agent.compact();
    const members = Object.keys(stage.simulator.requests[2]?.body ?? {}).toSorted();
    const plain = {
      anthropic: ['max_tokens', 'messages', 'model', 'stream', 'system'],
      'openai-chat': ['max_tokens', 'messages', 'model', 'stream', 'stream_options'],
    };
    expect(members).toEqual(plain[format]);
  });

  it('E12: a summary goes to the provider of the session, and a refusal of it is told', async () => {
    const stage = await stageFor({ format, steps: [echo(LONG), 'One.'] });
    await stage.agent.run('Begin.');
    const receipt = await stage.agent.compact();
    // The script has no third step: the server says 500, and code writes instead.
    expect(receipt?.summary).toMatchObject({ writer: 'code', trigger: 'manual' });
    expect(stage.simulator.requests).toHaveLength(3);
    const ends = stage.events.flatMap((event) =>
      event.type === 'context' && event.event.type === 'summary-end' ? [event.event] : [],
    );
    expect(ends.at(-1)).toMatchObject({
      writer: 'sim-1',
      refusal: expect.stringContaining('unexpected model call') as string,
    });
  });

  it('H07: what a model thought while it wrote a summary does not come into the session', async () => {
    const stage = await stageFor({
      format,
      steps: [
        echo(LONG),
        'One.',
        [
          { kind: 'thinking', text: 'SECRET-THOUGHTS' },
          { kind: 'text', text: SUMMARY },
        ],
        'Two.',
      ],
    });
    await stage.agent.run('Begin.');
    await stage.agent.compact();
    await stage.agent.run('Go on.');
    expect(JSON.stringify([stage.agent.context.history(), stage.simulator.requests[3]?.body])).not.toContain(
      'SECRET-THOUGHTS',
    );
    expect(shownIn(stage.brain.requests[3])).toContain(SUMMARY);
  });

  it('I10: a file that is gone, is a folder or is huge is left out of what is restored, and the compaction succeeds', async () => {
    const read = (path: string) => ({ kind: 'call', name: 'read_file', input: { path } }) as const;
    const stage = await stageFor({
      format,
      files: { 'gone.md': 'gone soon\n', 'kept.md': 'kept text\n', 'folder.md': 'a folder soon\n' },
      steps: [[read('gone.md'), read('folder.md'), read('kept.md'), echo(LONG)], 'One.', SUMMARY, 'Two.'],
    });
    await stage.agent.run('Read them.');
    rmSync(join(stage.folder, 'gone.md'));
    rmSync(join(stage.folder, 'folder.md'));
    mkdirSync(join(stage.folder, 'folder.md'));
    writeFileSync(join(stage.folder, 'kept.md'), 'kept text\n');
    truncateSync(join(stage.folder, 'kept.md'), 1_000_000_000);
    expect(await stage.agent.compact()).toMatchObject({ cause: 'manual' });
    await stage.agent.run('Go on.');
    const shown = shownIn(stage.brain.requests[3]);
    expect(shown).toContain(SUMMARY);
    expect(shown).not.toContain('gone soon');
    expect(shown).not.toContain('the file folder.md');
  });

  it('J03: a compaction by hand while a run recovers is refused, and the run goes on', async () => {
    const refused: unknown[] = [];
    const stage = await stageFor({
      format,
      steps: [
        async () => {
          await stage.agent.compact().catch((error: unknown) => refused.push(error));
          return 'Done.';
        },
      ],
      faults: [{ kind: 'overloaded' }],
    });
    await expect(stage.agent.run('Begin.')).resolves.toMatchObject({ text: 'Done.' });
    expect(refused).toMatchObject([{ code: 'run_in_progress' }]);
    expect(stage.events.map(({ type }) => type)).toContain('run-end');
  });

  it('M01: half a character in the words of the user or of a tool is mended before it is kept', async () => {
    const stage = await stageFor({ format, steps: [echo('tool \ud83d half'), 'One.'] });
    await stage.agent.run('user \ude00 half');
    // What the model said goes back as it was said.
    const own = stage.agent.context.history().filter((message) => (message as { role: string }).role !== 'assistant');
    const kept = JSON.stringify(own);
    expect(kept).toContain('tool \ufffd half');
    expect(kept).not.toMatch(/\\ud[89a-f][0-9a-f]{2}(?!\\ud)/i);
    expect(kept).toContain('user \ufffd half');
  });

  it('M03: of a long output of a command both ends are seen, the error on the last line too', async () => {
    const stage = await stageFor({
      format,
      steps: [{ kind: 'call', name: 'bash', input: { command: 'seq 1 30000; echo FINAL-ERROR' } }, 'Seen.'],
      agent: { rules: { allow: ['bash'] }, env: { PATH: process.env['PATH'] ?? '' } },
    });
    await stage.agent.run('Run it.');
    const shown = shownIn(stage.brain.requests[1]);
    expect(shown).toContain('FINAL-ERROR');
    expect(shown).toMatch(/\[… \d+ characters left out …\]/);
    expect(shown).toContain('1\n2\n3\n');
  });
});
