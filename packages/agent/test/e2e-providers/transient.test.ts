/** Faults that pass: the official SDKs, a real server, and the same request again. */
import { getEventListeners } from 'node:events';
import type { Fault } from '@holdover/simulator';
import { describe, expect, it } from 'vitest';
import { FORMATS, messagesOf } from '../support/stage.ts';
import { callsIn, play, type PlayOptions, WORDS } from './conversation.ts';

interface Case {
  readonly name: string;
  readonly fault: Fault;
  /** Milliseconds. */
  readonly waits: readonly number[];
  readonly lost?: PlayOptions['lost'];
  readonly status: number;
  readonly told: RegExp;
}

const second: Fault['when'] = ({ index }) => index === 1;

const CASES: readonly Case[] = [
  {
    name: '429 with Retry-After in seconds',
    fault: { kind: 'rate_limit', retryAfterSeconds: 7 },
    waits: [7_000],
    status: 429,
    told: /rate limit/i,
  },
  {
    name: '429 with Retry-After as a date',
    fault: { kind: 'rate_limit', retryAfter: 'Mon, 30 Nov 2026 12:00:21 GMT' },
    waits: [21_000],
    status: 429,
    told: /rate limit/i,
  },
  {
    name: '429 without Retry-After',
    fault: { kind: 'rate_limit', retryAfter: '' },
    waits: [500],
    status: 429,
    told: /rate limit/i,
  },
  { name: '529', fault: { kind: 'overloaded' }, waits: [500], status: 529, told: /overloaded/i },
  { name: '500', fault: { kind: 'server_error' }, waits: [500], status: 500, told: /server (?:had an )?error/i },
  {
    name: 'a connection closed before the first byte',
    fault: { kind: 'hang_up' },
    waits: [500],
    status: 200,
    told: /connection error/i,
  },
  {
    name: 'a stream cut before the first word',
    fault: { kind: 'cut_stream', afterDeltas: 0 },
    waits: [500],
    lost: ['words'],
    status: 200,
    told: /terminated|ended without/i,
  },
  {
    name: 'a stream cut in the middle of the text',
    fault: { kind: 'cut_stream', afterDeltas: 2 },
    waits: [500],
    lost: ['words'],
    status: 200,
    told: /terminated/i,
  },
  {
    name: 'a stream cut in the middle of a call',
    fault: { kind: 'cut_stream', afterDeltas: 2, when: ({ index }) => index === 0 },
    waits: [500],
    lost: ['call'],
    status: 200,
    told: /terminated/i,
  },
  {
    name: 'a stream that ends in an error event',
    fault: { kind: 'stream_error' },
    waits: [500],
    lost: ['words'],
    status: 200,
    told: /overloaded/i,
  },
  {
    name: 'a stream that ends in half an event',
    fault: { kind: 'malformed_stream' },
    waits: [500],
    lost: ['words'],
    status: 200,
    told: /malformed stream/i,
  },
];

describe.each(FORMATS)('%s, a fault that passes:', (format) => {
  it.each(CASES)('$name', async ({ fault, waits, lost, status, told }) => {
    const faults = [{ when: second, ...fault }];
    const clean = await play({ format, faults: [] });
    const played = await play({ format, faults, ...(lost === undefined ? {} : { lost }) });
    expect(played.text).toBe(WORDS);
    expect(played.told).toEqual([expect.stringMatching(told)]);
    expect(played.waits).toEqual(waits);
    const failed = fault.when === undefined ? 1 : 0;
    expect(played.statuses).toHaveLength(3);
    expect(played.statuses[failed]).toBe(format === 'openai-chat' && status === 529 ? 503 : status);
    // The same request again, and a history that shows nothing of it.
    expect(played.simulator.requests[failed + 1]?.body).toEqual(played.simulator.requests[failed]?.body);
    expect(played.agent.context.history()).toEqual(clean.agent.context.history());
    expect(callsIn(played)).toBe(2);
    played.brain.assertDone();
  });

  it.each([{ kind: 'overloaded' }, { kind: 'rate_limit', retryAfterSeconds: 1 }, { kind: 'hang_up' }] as const)(
    '$kind for good: ten tries, then the error, and the session goes on',
    async (fault) => {
      const { agent, simulator, events, brain } = await play({
        format,
        faults: [],
        agent: { ports: { random: () => 0 } },
      });
      const before = agent.context.history();
      for (let left = 10; left > 0; left -= 1) simulator.addFault(fault);
      const { signal } = new AbortController();
      await expect(agent.run('More.', { signal })).rejects.toThrow();
      expect(getEventListeners(signal, 'abort')).toEqual([]);
      expect(simulator.requests.slice(2)).toHaveLength(10);
      expect(agent.context.history()).toHaveLength(before.length + 1);
      expect(events.filter(({ type }) => type === 'request-retry')).toHaveLength(9);
      const asked = brain.requests.length;
      await expect(agent.run('And now?')).rejects.toThrow('unexpected model call');
      expect(brain.requests).toHaveLength(asked + 1);
      expect(messagesOf(simulator.requests.at(-1)).length).toBeGreaterThan(before.length);
    },
  );
});
