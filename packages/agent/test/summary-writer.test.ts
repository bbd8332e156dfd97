import type { Writer, WriterReply } from '@holdover/engine';
import { writerConformance } from '@holdover/engine/testing';
import type { Fault, SimReply } from '@holdover/simulator';
import { beforeAll, describe, expect, it } from 'vitest';
import { createSummaryWriter } from '../src/loop/summary-writer.ts';
import { FORMATS, openSimulator, providerFor } from './support/stage.ts';

const REQUEST = { system: 'You write summaries.', prompt: 'Summarize.', maxOutputTokens: 500 };

interface Answer {
  readonly text: string;
  readonly stop: WriterReply['stop'];
}

function replyOf({ text, stop }: Answer): SimReply {
  const words = text === '' ? [] : [{ kind: 'text', text } as const];
  if (stop === 'call') return { parts: [...words, { kind: 'call', name: 'echo', input: {} }] };
  return { parts: words, stop };
}

describe.each(FORMATS)('the summary writer over %s', (format) => {
  /** Each case asks once; what the model says is set before. */
  let answer: Answer = { text: '', stop: 'end' };
  let fault: Fault['kind'] | undefined;
  let writer: Writer;

  beforeAll(async () => {
    const { createSimulator } = await import('@holdover/simulator');
    const brain = { name: 'said', reply: () => replyOf(answer) };
    const simulator = await createSimulator({
      brain,
      countTokens: (text) => text.length,
      faults: [
        { kind: 'server_error', times: Number.POSITIVE_INFINITY, when: () => fault === 'server_error' },
        { kind: 'slow', delayMs: 60_000, times: Number.POSITIVE_INFINITY, when: () => fault === 'slow' },
      ],
    });
    writer = createSummaryWriter(providerFor(format, simulator), () => 'sim-1', {
      random: () => 0,
      now: () => 0,
      sleep: () => Promise.resolve(),
      onWait: () => undefined,
    });
    return () => simulator.close();
  });

  const withFault = (kind: Fault['kind'] | undefined, said: Answer = { text: 'x', stop: 'end' }): Writer => {
    fault = kind;
    answer = said;
    return writer;
  };
  const cases = writerConformance({
    create: (said) => withFault(undefined, said),
    createFailing: () => withFault('server_error'),
    createHanging: () => withFault('slow'),
  });
  for (const { name, run } of cases) it(name, run);

  it('waits out a rate limit and an overloaded server, and says so', async () => {
    const brain = { name: 'said', reply: () => replyOf({ text: 'Goal: none.', stop: 'end' }) };
    const simulator = await openSimulator(brain, {
      faults: [
        { kind: 'rate_limit', retryAfterSeconds: 3 },
        { kind: 'overloaded' },
        { kind: 'cut_stream', afterDeltas: 0 },
      ],
    });
    const waits: number[] = [];
    const patient = createSummaryWriter(providerFor(format, simulator), () => 'sim-1', {
      random: () => 0,
      now: () => 0,
      sleep: () => Promise.resolve(),
      onWait: ({ waitMs }) => waits.push(waitMs),
    });
    await expect(patient.write(REQUEST)).resolves.toMatchObject({ text: 'Goal: none.', stop: 'end' });
    expect(waits).toEqual([3_000, 1_000, 2_000]);
  });
});
