import type { AgentEvent, Tool } from '@holdover/agent';
import { describe, expect, it } from 'vitest';
import { ECHO, echo, FORMATS, messagesOf, resultsIn, shownIn, stageFor } from '../support/stage.ts';

const WORDS = 'One two three four five six seven eight nine ten eleven twelve.';

/** A controller that aborts at the first event of a type. */
function abortAt(type: AgentEvent['type']): {
  readonly signal: AbortSignal;
  readonly onEvent: (event: AgentEvent) => void;
} {
  const controller = new AbortController();
  return {
    signal: controller.signal,
    onEvent: (event) => {
      if (event.type === type) controller.abort();
    },
  };
}

const WAITER: Tool = {
  name: 'waiter',
  description: 'Waits until the user interrupts.',
  inputSchema: { type: 'object', properties: {} },
  access: () => [{ kind: 'none' }],
  run: (_, { signal }) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve({ text: 'stopped early', isError: true }), { once: true });
    }),
};

describe.each(FORMATS)('an interrupt over %s', (format) => {
  it('in the middle of a stream leaves the user message and nothing else, and the session goes on', async () => {
    const { signal, onEvent } = abortAt('text-delta');
    const { agent, brain, simulator, waits } = await stageFor({
      format,
      steps: [WORDS, 'Back again.'],
      faults: [{ kind: 'slow', delayMs: 0, deltaDelayMs: 20 }],
      agent: { onEvent },
    });
    await expect(agent.run('Count.', { signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(agent.context.history()).toHaveLength(1);
    expect(agent.context.groups()).toEqual([]);
    expect(waits).toEqual([]);
    await expect(agent.run('And now?')).resolves.toMatchObject({ text: 'Back again.' });
    expect(shownIn(brain.requests[1])).toBe('Count.\nAnd now?');
    expect(simulator.requests).toHaveLength(2);
  });

  it('in the middle of a tool answers every call of the batch before the run ends', async () => {
    const { signal, onEvent } = abortAt('tool-start');
    const { agent, brain } = await stageFor({
      format,
      steps: [[{ kind: 'call', name: 'waiter', input: {} }, echo('never')], 'Back again.'],
      agent: { tools: [ECHO, WAITER], onEvent: (event) => setTimeout(onEvent, 5, event) },
    });
    await expect(agent.run('Wait.', { signal })).rejects.toMatchObject({ name: 'AbortError' });
    await expect(agent.run('And now?')).resolves.toMatchObject({ text: 'Back again.' });
    expect(resultsIn(brain.requests[1]).map(({ text }) => text)).toEqual([
      'stopped early',
      'The user interrupted before this call ran.',
    ]);
  });

  it('ends a command that runs, with all it started', async () => {
    const { signal, onEvent } = abortAt('tool-start');
    const started = performance.now();
    const { agent, brain } = await stageFor({
      format,
      steps: [{ kind: 'call', name: 'bash', input: { command: 'sleep 30 & sleep 30' } }, 'Back again.'],
      agent: {
        rules: { allow: ['bash'] },
        env: { PATH: process.env['PATH'] ?? '' },
        onEvent: (event) => setTimeout(onEvent, 200, event),
      },
    });
    await expect(agent.run('Sleep.', { signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(performance.now() - started).toBeLessThan(10_000);
    await agent.run('And now?');
    expect(resultsIn(brain.requests[1])).toHaveLength(1);
  });

  it('while it waits for an overloaded server ends the wait', async () => {
    const { signal, onEvent } = abortAt('request-retry');
    const { agent, simulator } = await stageFor({
      format,
      steps: ['Back.'],
      faults: [{ kind: 'overloaded' }],
      agent: { onEvent },
    });
    await expect(agent.run('Hello.', { signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(simulator.requests).toHaveLength(1);
    await expect(agent.run('Now?')).resolves.toMatchObject({ text: 'Back.' });
  });

  it('while a summary is written changes nothing, counts as no failure, and the summary is made later', async () => {
    const { signal, onEvent } = abortAt('context');
    const text = 'lorem ipsum '.repeat(400);
    let isArmed = false;
    const { agent, brain, simulator } = await stageFor({
      format,
      steps: [
        echo(text),
        { kind: 'call', name: 'compact', input: {} },
        'Summary: of little.',
        'Back again.',
        'Back again.',
      ],
      faults: [
        { kind: 'slow', delayMs: 60_000, when: ({ request }) => request.system.startsWith('You write summaries') },
      ],
      agent: {
        onEvent: (event) => {
          isArmed ||= event.type === 'context' && event.event.type === 'summary-start';
          if (isArmed) setTimeout(onEvent, 20, event);
        },
      },
    });
    await expect(agent.run('Compact.', { signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(agent.context.groups()).toEqual([]);
    expect(agent.context.snapshot().breaker.failures).toBe(0);
    isArmed = false;
    const asked = simulator.requests.length;
    await expect(agent.run('And now?')).resolves.toMatchObject({ text: 'Back again.' });
    expect(shownIn(brain.requests.at(-1))).toContain('[Compacted]');
    expect(messagesOf(simulator.requests.at(-1)).length).toBeLessThan(
      messagesOf(simulator.requests[asked - 2]).length + 1,
    );
  });

  it('before the run began sends nothing', async () => {
    const { agent, simulator } = await stageFor({ format, steps: ['Back.'] });
    await expect(agent.run('Hello.', { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
    expect(simulator.requests).toHaveLength(0);
    await expect(agent.run('Hello again.')).resolves.toMatchObject({ text: 'Back.' });
  });
});
