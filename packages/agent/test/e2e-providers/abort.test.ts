/** Interrupts: while nothing came yet, in the middle of a stream, during a wait; and nothing goes on behind them. */
import { type AgentEvent, anthropicProvider, openaiChatProvider } from '@holdover/agent';
import type { Fault } from '@holdover/simulator';
import { describe, expect, it } from 'vitest';
import { FORMATS, shownIn, stageFor } from '../support/stage.ts';
import { serveWeb } from '../support/web-server.ts';
import { WORDS } from './conversation.ts';

const CASES: readonly { readonly name: string; readonly fault: Fault; readonly at: AgentEvent['type'] | 'soon' }[] = [
  { name: 'before the first byte', fault: { kind: 'slow', delayMs: 60_000 }, at: 'soon' },
  { name: 'in the middle of the stream', fault: { kind: 'slow', delayMs: 0, deltaDelayMs: 30 }, at: 'text-delta' },
  { name: 'during the wait after a 429', fault: { kind: 'rate_limit', retryAfterSeconds: 30 }, at: 'request-retry' },
];

describe.each(FORMATS)('%s, an interrupt', (format) => {
  it.each(CASES)('$name leaves the user message and nothing else', async ({ fault, at }) => {
    const controller = new AbortController();
    const heard = (): string => {
      if (at === 'soon') setTimeout(() => controller.abort(), 20);
      return WORDS;
    };
    const lost = fault.kind === 'rate_limit' ? [] : [heard];
    const { agent, simulator, brain } = await stageFor({
      format,
      steps: [...lost, 'Back.'],
      faults: [fault],
      agent: {
        onEvent: ({ type }) => {
          if (type === at) controller.abort();
        },
      },
    });
    await expect(agent.run('Count.', { signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(agent.context.history()).toHaveLength(1);
    expect(simulator.requests).toHaveLength(1);
    await expect(agent.run('And now?')).resolves.toMatchObject({ text: 'Back.' });
    expect(shownIn(brain.requests.at(-1))).toBe('Count.\nAnd now?');
    expect(simulator.requests).toHaveLength(2);
  });

  it('ends the request itself, whether the server has answered or not', async () => {
    const server = await serveWeb(() => ({ body: 'hang' }));
    const make = format === 'anthropic' ? anthropicProvider : openaiChatProvider;
    const provider = make({ baseUrl: server.url });
    const controller = new AbortController();
    const request = provider.request({ model: 'm', system: 's', tools: [], messages: [], maxOutputTokens: 10 });
    const sent = provider.send(request, { signal: controller.signal, onText: () => undefined });
    await expect.poll(() => server.pending).toBe(1);
    controller.abort();
    await expect(sent).rejects.toThrow();
    await expect.poll(() => server.pending).toBe(0);
    expect(server.asked).toHaveLength(1);
  });
});
