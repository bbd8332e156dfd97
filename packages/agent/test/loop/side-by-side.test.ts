import { type AgentEvent, defineTool, objectSchema, success, type Tool } from '@holdover/agent';
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { ECHO, echo, FORMATS, resultsIn, stageFor } from '../support/stage.ts';

/** Takes as many milliseconds as it is told, and knows how many of its kind run at once. */
function slowTool(options: { readonly isConcurrent: boolean; readonly asks?: boolean }): Tool & { peak(): number } {
  let running = 0;
  let peak = 0;
  const tool = defineTool({
    name: 'slow',
    description: 'Waits.',
    inputSchema: objectSchema({ ms: { type: 'integer' }, say: { type: 'string' } }, ['ms', 'say']),
    schema: v.object({ ms: v.number('a number'), say: v.string('a string') }),
    isConcurrent: options.isConcurrent,
    access: () => (options.asks === true ? [] : [{ kind: 'none' }]),
    async run({ ms, say }) {
      running += 1;
      peak = Math.max(peak, running);
      await delay(ms);
      running -= 1;
      return success(say);
    },
  });
  return { ...tool, peak: () => peak };
}

const slow = (ms: number, say: string) => ({
  kind: 'call' as const,
  name: 'slow',
  id: `id_${say}`,
  input: { ms, say },
});

function ends(events: readonly AgentEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === 'tool-end' ? [event.id] : []));
}

describe.each(FORMATS)('calls side by side over %s', (format) => {
  it('end in any order and are answered in the order of the calls', async () => {
    const tool = slowTool({ isConcurrent: true });
    const { agent, brain, events } = await stageFor({
      format,
      steps: [[slow(120, 'one'), slow(10, 'two'), slow(60, 'three')], 'Done.'],
      agent: { tools: [ECHO, tool] },
    });
    await agent.run('Go.');
    expect(resultsIn(brain.requests[1]).map(({ text }) => text)).toEqual(['one', 'two', 'three']);
    expect(ends(events)).toEqual(['id_two', 'id_three', 'id_one']);
    expect(tool.peak()).toBe(3);
  });

  it('are four at most, and neighbours only', async () => {
    const tool = slowTool({ isConcurrent: true });
    const { agent, brain, events } = await stageFor({
      format,
      steps: [
        [...['a', 'b', 'c', 'd', 'e', 'f'].map((say) => slow(20, say)), echo('between', 'id_echo'), slow(1, 'g')],
        'Done.',
      ],
      agent: { tools: [ECHO, tool] },
    });
    await agent.run('Go.');
    expect(tool.peak()).toBe(4);
    expect(ends(events).slice(-2)).toEqual(['id_echo', 'id_g']);
    expect(resultsIn(brain.requests[1]).map(({ text }) => text)).toEqual([
      'a',
      'b',
      'c',
      'd',
      'e',
      'f',
      'between',
      'g',
    ]);
  });

  it('are one after the other where the tool does not say that it may', async () => {
    const tool = slowTool({ isConcurrent: false });
    const { agent } = await stageFor({
      format,
      steps: [[slow(20, 'a'), slow(1, 'b')], 'Done.'],
      agent: { tools: [tool] },
    });
    await agent.run('Go.');
    expect(tool.peak()).toBe(1);
  });

  it('are asked about one at a time', async () => {
    let open = 0;
    let mostOpen = 0;
    const { agent, brain } = await stageFor({
      format,
      steps: [[slow(1, 'a'), slow(1, 'b'), slow(1, 'c')], 'Done.'],
      agent: {
        tools: [slowTool({ isConcurrent: true, asks: true })],
        ask: async ({ input }) => {
          open += 1;
          mostOpen = Math.max(mostOpen, open);
          await delay(10);
          open -= 1;
          return (input as { say: string }).say === 'b' ? 'deny' : 'allow';
        },
      },
    });
    await agent.run('Go.');
    expect(mostOpen).toBe(1);
    expect(resultsIn(brain.requests[1]).map(({ text }) => text)).toEqual(['a', 'The user declined to run slow.', 'c']);
  });

  it('are all answered when the user interrupts', async () => {
    const controller = new AbortController();
    const waiter: Tool = {
      ...slowTool({ isConcurrent: true }),
      run: (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve({ text: 'stopped', isError: true }), { once: true });
        }),
    };
    const { agent, brain } = await stageFor({
      format,
      steps: [['a', 'b', 'c', 'd', 'e'].map((say) => slow(1, say)), 'Back.'],
      agent: {
        tools: [waiter],
        onEvent: (event) => {
          if (event.type === 'tool-start' && event.id === 'id_d') setTimeout(() => controller.abort(), 5);
        },
      },
    });
    await expect(agent.run('Go.', { signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' });
    await agent.run('And now?');
    expect(resultsIn(brain.requests[1]).map(({ text }) => text)).toEqual([
      'stopped',
      'stopped',
      'stopped',
      'stopped',
      'The user interrupted before this call ran.',
    ]);
  });

  it('end with an interrupt also where a question stays open', async () => {
    const controller = new AbortController();
    const { agent, brain } = await stageFor({
      format,
      steps: [[slow(1, 'a'), slow(1, 'b')], 'Back.'],
      agent: {
        tools: [slowTool({ isConcurrent: true, asks: true })],
        ask: () => {
          setTimeout(() => controller.abort(), 5);
          return new Promise(() => undefined);
        },
      },
    });
    await expect(agent.run('Go.', { signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' });
    await agent.run('And now?');
    expect(resultsIn(brain.requests[1]).map(({ text }) => text)).toEqual([
      'The user interrupted before this call ran.',
      'The user interrupted before this call ran.',
    ]);
  });
});
