import { createHooks, type Tool } from '@holdover/agent';
import { describe, expect, it } from 'vitest';
import { ECHO, echo, FORMATS, messagesOf, resultsIn, shownIn, stageFor, typesOf } from '../support/stage.ts';

describe.each(FORMATS)('the loop over %s', (format) => {
  it('ends with the text of a reply that calls nothing', async () => {
    const { agent, brain, events } = await stageFor({ format, steps: ['Hello there.'] });
    const result = await agent.run('Say hello.');
    expect(result).toMatchObject({ text: 'Hello there.', stop: 'done', rounds: 1 });
    expect(result.receipts).toHaveLength(1);
    expect(result.receipts[0]?.usage?.inputTokens).toBeGreaterThan(0);
    const deltas = events.flatMap((event) => (event.type === 'text-delta' ? [event.delta] : []));
    expect(deltas.join('')).toBe('Hello there.');
    expect(typesOf(events).filter((type) => type !== 'text-delta')).toEqual([
      'session-start',
      'user-message',
      'context:turn-start',
      'context:turn-accept',
      'turn-end',
      'assistant-message',
      'run-end',
    ]);
    brain.assertDone();
  });

  it('answers calls made together in their order, in one message or one after the other', async () => {
    const { agent, brain } = await stageFor({
      format,
      steps: [[{ kind: 'text', text: 'Looking.' }, echo('first'), echo('second'), echo('third')], 'Done.'],
    });
    const result = await agent.run('Say three things.');
    expect(result).toMatchObject({ text: 'Done.', rounds: 2 });
    expect(resultsIn(brain.requests[1]).map(({ text }) => text)).toEqual(['first', 'second', 'third']);
    brain.assertDone();
  });

  it('sends the second request as an extension of the first', async () => {
    const { agent, simulator } = await stageFor({ format, steps: [echo('a'), 'Done.'] });
    await agent.run('Go.');
    const [first, second] = simulator.requests.map(messagesOf);
    expect(second?.slice(0, first?.length)).toEqual(first);
    expect(second).toHaveLength((first?.length ?? 0) + 2);
  });

  it('tells the model which tools there are when it calls one there is not', async () => {
    const { agent, brain } = await stageFor({ format, steps: [{ kind: 'call', name: 'fly', input: {} }, 'I cannot.'] });
    await agent.run('Fly.');
    const [result] = resultsIn(brain.requests[1]);
    expect(result?.text).toMatch(/There is no tool "fly"\. Available: .*\bbash\b.*\brecall\b.*\becho\b/);
  });

  it('gives the reason of a refused permission to the model and goes on', async () => {
    const { agent, brain, folder } = await stageFor({
      format,
      steps: [{ kind: 'call', name: 'write_file', input: { path: 'a.txt', content: 'x' } }, 'Not allowed.'],
    });
    await expect(agent.run('Write a.txt.')).resolves.toMatchObject({ text: 'Not allowed.' });
    const [result] = resultsIn(brain.requests[1]);
    expect(result?.text).toContain('write_file was not run');
    expect(result?.text).toContain('A rule that would allow it: write_file(a.txt)');
    expect(await import('node:fs').then(({ existsSync }) => existsSync(`${folder}/a.txt`))).toBe(false);
  });

  it('does not run a call a PreToolUse hook answers, and gives the answer to the model', async () => {
    const hooks = createHooks<object>();
    const asked: unknown[] = [];
    hooks.on('PreToolUse', (call) => {
      asked.push(call);
      return call.name === 'echo' ? 'No echoes on Sundays.' : null;
    });
    let ran = 0;
    const counting: Tool = {
      ...ECHO,
      run: async (input, context) => {
        ran += 1;
        return ECHO.run(input, context);
      },
    };
    const { agent, brain } = await stageFor({
      format,
      steps: [echo('x', 'call_1'), 'Done.'],
      agent: { hooks, tools: [counting] },
    });
    await agent.run('Go.');
    expect(asked).toEqual([{ id: 'call_1', name: 'echo', input: { text: 'x' } }]);
    expect(ran).toBe(0);
    expect(resultsIn(brain.requests[1]).map(({ text }) => text)).toEqual(['No echoes on Sundays.']);
  });

  it('shows PostToolUse hooks what a tool gave, and ignores what they return', async () => {
    const hooks = createHooks<object>();
    const seen: unknown[] = [];
    hooks.on('PostToolUse', (call, output) => {
      seen.push([call.name, output]);
      return 'something else';
    });
    const { agent, brain } = await stageFor({ format, steps: [echo('x'), 'Done.'], agent: { hooks } });
    await agent.run('Go.');
    expect(seen).toEqual([['echo', { text: 'x', isError: false }]]);
    expect(resultsIn(brain.requests[1]).map(({ text }) => text)).toEqual(['x']);
  });

  it('sends the model back to work when a Stop hook says so, five times at most', async () => {
    const hooks = createHooks<object>();
    let asked = 0;
    hooks.on('Stop', (messages) => {
      asked += 1;
      return `Not yet (${messages.length} messages).`;
    });
    const { agent, brain } = await stageFor({ format, steps: ['1', '2', '3', '4', '5', '6'], agent: { hooks } });
    await expect(agent.run('Go.')).resolves.toMatchObject({ text: '6', stop: 'done', rounds: 6 });
    expect(asked).toBe(5);
    expect(shownIn(brain.requests[1])).toContain('Not yet (2 messages).');
    expect(shownIn(brain.requests[5])).toContain('Not yet (10 messages).');
    brain.assertDone();
  });

  it('adds what a UserPromptSubmit hook says behind the prompt, in the same message', async () => {
    const hooks = createHooks<object>();
    hooks.on('UserPromptSubmit', (query) => `The query has ${query.length} characters.`);
    const { agent, brain } = await stageFor({ format, steps: ['Fine.'], agent: { hooks } });
    await agent.run('Hello.');
    expect(brain.requests[0]?.messages).toEqual([
      {
        role: 'user',
        parts: [
          { kind: 'text', text: 'Hello.' },
          { kind: 'text', text: 'The query has 6 characters.' },
        ],
      },
    ]);
  });

  it('stops at the limit of rounds with every call answered, and goes on when asked again', async () => {
    const { agent, brain } = await stageFor({
      format,
      steps: [echo('1'), echo('2'), 'Now done.'],
      agent: { maxRounds: 2 },
    });
    await expect(agent.run('Go.')).resolves.toMatchObject({ stop: 'rounds', rounds: 2, text: '' });
    await expect(agent.run('Go on.')).resolves.toMatchObject({ stop: 'done', text: 'Now done.' });
    expect(resultsIn(brain.requests[2]).map(({ text }) => text)).toEqual(['1', '2']);
  });

  it('puts a placeholder where a tool gave an empty result', async () => {
    const { agent, brain } = await stageFor({ format, steps: [echo(''), 'Done.'] });
    await agent.run('Go.');
    expect(resultsIn(brain.requests[1]).map(({ text }) => text)).toEqual(['(no output)']);
  });

  it('answers a call whose tool throws, and still runs the rest of the batch', async () => {
    const broken: Tool = {
      name: 'broken',
      description: 'Throws.',
      inputSchema: { type: 'object', properties: {} },
      access: () => [{ kind: 'none' }],
      run: () => Promise.reject(new Error('disk on fire')),
    };
    const touchy: Tool = {
      ...broken,
      name: 'touchy',
      access: () => {
        throw new Error('no idea');
      },
    };
    const calls = [
      { kind: 'call', name: 'broken', input: {} } as const,
      { kind: 'call', name: 'touchy', input: {} } as const,
      echo('after'),
    ];
    const { agent, brain } = await stageFor({
      format,
      steps: [calls, 'Done.'],
      agent: { tools: [ECHO, broken, touchy] },
    });
    await expect(agent.run('Go.')).resolves.toMatchObject({ text: 'Done.' });
    expect(resultsIn(brain.requests[1]).map(({ text }) => text)).toEqual([
      'broken failed: disk on fire',
      'touchy failed: no idea',
      'after',
    ]);
  });

  it('sends back no member the API does not know: a streamed reply is kept as the wire had it', async () => {
    const { agent, simulator } = await stageFor({
      format,
      steps: [[{ kind: 'text', text: 'Look.' }, echo('a')], 'Done.'],
    });
    await agent.run('Go.');
    const text = JSON.stringify(simulator.requests[1]?.body['messages']);
    expect(text).not.toContain('parsed');
    const reply = messagesOf(simulator.requests[1]).find(
      (message) => (message as { role: string }).role === 'assistant',
    );
    const keys = Object.keys(reply as object).sort();
    expect(keys).toEqual(format === 'anthropic' ? ['content', 'role'] : ['content', 'role', 'tool_calls']);
  });
});
