import { type AgentEvent, createHooks } from '@holdover/agent';
import type { SimReplyPart } from '@holdover/simulator';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FORMATS, resultsIn, shownIn } from '../support/stage.ts';
import { firstText, isHelper, subagentStage, task } from './stage.ts';

const call = (name: string, input: Record<string, unknown>): SimReplyPart => ({ kind: 'call', name, input });

function inner(events: readonly AgentEvent[], id: string): readonly AgentEvent[] {
  return events.flatMap((event) => (event.type === 'subagent' && event.id === id ? [event.event] : []));
}

describe.each(FORMATS)('a sub-agent over %s', (format) => {
  it('sees its description only, has its own tools, and hands back its last words', async () => {
    const stage = await subagentStage({
      format,
      files: { 'a.txt': 'forty-two\n' },
      main: (round) => (round === 0 ? task('find the number') : 'The number is 42.'),
      helpers: { find: (round) => (round === 0 ? call('read_file', { path: 'a.txt' }) : 'It is 42.') },
    });
    await expect(stage.agent.run('A secret question.')).resolves.toMatchObject({ text: 'The number is 42.' });
    const [first] = stage.requestsOf('find');
    expect(shownIn(first)).toBe('find the number');
    expect(first?.tools.map(({ name }) => name)).toEqual([
      'bash',
      'read_file',
      'write_file',
      'edit_file',
      'glob',
      'grep',
      'recall',
    ]);
    expect(resultsIn(stage.mainRequests[1])).toEqual([{ text: 'It is 42.', isError: false }]);
    expect(shownIn(stage.mainRequests[1])).not.toContain('forty-two');
    expect(inner(stage.events, 'task_find').map(({ type }) => type)).toContain('tool-end');
    expect(stage.receipts).toHaveLength(2);
    expect(stage.receipts.every(({ usage }) => (usage?.outputTokens ?? 0) > 0)).toBe(true);
  });

  it('goes through the permissions and hooks of the agent, the Stop hook aside', async () => {
    const hooks = createHooks<object>();
    const seen: string[] = [];
    hooks.on('PreToolUse', ({ name }) => {
      seen.push(name);
      return name === 'glob' ? 'no globbing here' : null;
    });
    hooks.on('Stop', () => 'Go on for ever.');
    const stage = await subagentStage({
      format,
      main: (round) => (round === 0 ? task('write it') : 'Done.'),
      helpers: {
        write: (round) => {
          if (round > 0) return 'I could not.';
          return [call('write_file', { path: 'x', content: 'x' }), call('glob', { pattern: '*' })];
        },
      },
      parts: { hooks },
    });
    await stage.agent.run('Go.');
    expect(seen).toEqual(['write_file', 'glob']);
    const [written, globbed] = resultsIn(stage.requestsOf('write')[1]);
    expect(written?.text).toContain('write_file was not run: no rule allows it, and nobody can be asked');
    expect(globbed?.text).toBe('no globbing here');
  });

  it('known failure O01, sub-agents that never compact: it compacts by its own window, and its parent knows nothing of it', async () => {
    const line = 'lorem ipsum dolor sit amet consectetur\n';
    const stage = await subagentStage({
      format,
      serverTokens: 12_000,
      files: Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`f${n}.txt`, `file ${n}\n${line.repeat(120)}`])),
      main: (round) => (round === 0 ? task('read them all') : 'Done.'),
      helpers: { read: (round) => (round < 12 ? call('read_file', { path: `f${round}.txt` }) : 'Read all 12.') },
      parts: { windowTokens: () => 12_000 },
    });
    await expect(stage.agent.run('Go.')).resolves.toMatchObject({ text: 'Done.' });
    expect(resultsIn(stage.mainRequests[1])).toEqual([{ text: 'Read all 12.', isError: false }]);
    expect(stage.simulator.requests.every(({ status }) => status === 200)).toBe(true);
    expect(stage.receipts.some(({ epochId }) => epochId !== undefined)).toBe(true);
    expect(stage.agent.context.groups()).toEqual([]);
    const about = stage.requestsOf('read').at(-1);
    expect(about === undefined ? '' : firstText(about)).toContain('read them all');
  });

  it('known failure N02, a stub for text that was compacted away: a stub while the text is in view, the text afterwards', async () => {
    const lines = 'lorem ipsum dolor sit amet consectetur\n'.repeat(60);
    const stage = await subagentStage({
      format,
      files: { 'a.txt': `needle\n${lines}` },
      main: (round) => (round === 0 ? task('read twice') : 'Done.'),
      helpers: {
        read: (round) => (round < 9 ? call('read_file', { path: 'a.txt', limit: 50 - (round % 2 ? 0 : 0) }) : 'Read.'),
      },
      parts: { windowTokens: () => 4_000 },
      serverTokens: 4_000,
    });
    await stage.agent.run('Go.');
    const answers = inner(stage.events, 'task_read').flatMap((event) =>
      event.type === 'tool-end' ? [event.text.startsWith('(Unchanged: a.txt') ? 'stub' : event.text.slice(0, 6)] : [],
    );
    expect(answers.slice(0, 2)).toEqual(['needle', 'stub']);
  });

  it('known failure N02, a stub for text that was compacted away: a stub while the text is in view, the text afterwards', async () => {
    const line = 'lorem ipsum dolor sit amet consectetur\n';
    const names = ['a', 'a', ...Array.from({ length: 12 }, (_, n) => `f${n}`), 'a', 'a'];
    const stage = await subagentStage({
      format,
      serverTokens: 12_000,
      files: Object.fromEntries(names.map((name) => [`${name}.txt`, `text of ${name}\n${line.repeat(120)}`])),
      main: (round) => (round === 0 ? task('read them all') : 'Done.'),
      helpers: {
        read: (round) => (round < names.length ? call('read_file', { path: `${names[round]}.txt` }) : 'Read.'),
      },
      parts: { windowTokens: () => 12_000 },
    });
    await stage.agent.run('Go.');
    const answers = inner(stage.events, 'task_read').flatMap((event) =>
      event.type === 'tool-end' ? [event.text.startsWith('(Unchanged: a.txt') ? 'stub' : event.text.slice(0, 9)] : [],
    );
    expect(answers.slice(0, 3)).toEqual(['text of a', 'stub', 'text of f']);
    expect(answers.slice(-2)).toEqual(['text of a', 'stub']);
    expect(stage.receipts.some(({ epochId }) => epochId !== undefined)).toBe(true);
  });

  it('runs beside another one, and reports come in the order of the calls', async () => {
    let running = 0;
    let peak = 0;
    const slowly = (ms: number, words: string) => async () => {
      running += 1;
      peak = Math.max(peak, running);
      await delay(ms);
      running -= 1;
      return words;
    };
    const stage = await subagentStage({
      format,
      main: (round) => (round === 0 ? [task('alpha first'), task('beta second')] : 'Both.'),
      helpers: { alpha: slowly(150, 'A'), beta: slowly(30, 'B') },
    });
    await stage.agent.run('Go.');
    expect(peak).toBe(2);
    expect(resultsIn(stage.mainRequests[1]).map(({ text }) => text)).toEqual(['A', 'B']);
    expect(inner(stage.events, 'task_alpha').at(-1)).toMatchObject({ type: 'assistant-message', text: 'A' });
    expect(inner(stage.events, 'task_beta').at(-1)).toMatchObject({ type: 'assistant-message', text: 'B' });
  });

  it('that fails by its provider is an error result, and the others and the parent go on', async () => {
    const stage = await subagentStage({
      format,
      main: (round) => (round === 0 ? [task('alpha first'), task('beta second')] : 'One of two.'),
      helpers: { alpha: (round) => (round === 0 ? call('glob', { pattern: '*' }) : 'never said'), beta: () => 'B' },
      faults: [
        {
          kind: 'server_error',
          times: Number.POSITIVE_INFINITY,
          when: ({ request }) =>
            isHelper(request) && firstText(request).includes('alpha') && request.messages.length > 2,
        },
      ],
    });
    await expect(stage.agent.run('Go.')).resolves.toMatchObject({ text: 'One of two.' });
    const [alpha, beta] = resultsIn(stage.mainRequests[1]);
    expect(alpha?.text).toMatch(/^task: the sub-agent failed: .*, after 1 rounds\.$/s);
    expect(beta?.text).toBe('B');
    expect(stage.receipts).toHaveLength(2);
  });

  it('recovers from an overflow of its own', async () => {
    const stage = await subagentStage({
      format,
      files: { 'a.txt': 'lorem ipsum dolor sit amet\n'.repeat(400) },
      main: (round) => (round === 0 ? task('read it') : 'Done.'),
      helpers: {
        read: (round) => (round < 3 ? call('read_file', { path: 'a.txt', offset: round, limit: 300 }) : 'Read.'),
      },
      faults: [{ kind: 'too_long', when: ({ request }) => isHelper(request) && request.messages.length >= 5 }],
    });
    await expect(stage.agent.run('Go.')).resolves.toMatchObject({ text: 'Done.' });
    expect(resultsIn(stage.mainRequests[1])).toEqual([{ text: 'Read.', isError: false }]);
    expect(stage.simulator.requests.map(({ status }) => status)).toContain(400);
  });

  it('is stopped after its rounds: the last words that are not blank, or a sentence that says so', async () => {
    const stage = await subagentStage({
      format,
      main: (round) => (round === 0 ? [task('talk much'), task('mute one')] : 'Done.'),
      helpers: {
        talk: (round) => [
          { kind: 'text', text: round === 2 ? ' ' : `Round ${round}.` },
          call('glob', { pattern: '*' }),
        ],
        mute: () => call('glob', { pattern: '*' }),
      },
      parts: { maxRounds: 3 },
    });
    await stage.agent.run('Go.');
    expect(resultsIn(stage.mainRequests[1]).map(({ text }) => text)).toEqual([
      '(The sub-agent was stopped after 3 rounds; the last it said follows.)\nRound 1.',
      'The sub-agent stopped after 3 rounds without saying anything.',
    ]);
    expect(stage.requestsOf('mute')).toHaveLength(3);
  });

  it('ends with an interrupt, and so does what it runs', async () => {
    const controller = new AbortController();
    const stage = await subagentStage({
      format,
      main: (round) => (round === 0 ? task('sleep long') : 'Back.'),
      helpers: { sleep: () => call('bash', { command: 'sleep 31.4159 & echo $$ > pid; sleep 31.4159' }) },
      agent: {},
    });
    const started = performance.now();
    setTimeout(() => controller.abort(), 700);
    await expect(stage.agent.run('Go.', { signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(performance.now() - started).toBeLessThan(6_000);
    const group = readFileSync(join(stage.folder, 'pid'), 'utf8').trim();
    expect(processesOf(group)).toBe('');
    await stage.agent.run('And now?');
    expect(resultsIn(stage.mainRequests[1])[0]?.text).toMatch(/^task: the sub-agent was interrupted, after 1 rounds\./);
  });

  it('is asked for something: an empty description is refused', async () => {
    const stage = await subagentStage({
      format,
      main: (round) => (round === 0 ? call('task', { description: '  ' }) : 'Done.'),
      helpers: {},
    });
    await stage.agent.run('Go.');
    expect(resultsIn(stage.mainRequests[1])[0]?.text).toBe('task: "description" must be a non-empty string; got ""');
  });
});

/** Command lines of the processes in a group. */
function processesOf(group: string): string {
  const all = execFileSync('ps', ['-eo', 'pgid=,args='], { encoding: 'utf8' });
  return all
    .split('\n')
    .filter((line) => line.trim().startsWith(`${group} `) && !line.includes('<defunct>'))
    .join('\n');
}
