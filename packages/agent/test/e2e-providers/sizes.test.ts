/** Faults about size: what does not fit is made to, whenever and however the server says so. */
import { success, type Tool } from '@holdover/agent';
import type { ContextEvent } from '@holdover/engine';
import type { Fault, ScriptedStep } from '@holdover/simulator';
import { describe, expect, it } from 'vitest';
import { ECHO, echo, type Format, FORMATS, shownIn, type Stage, stageFor } from '../support/stage.ts';
import { WORDS } from './conversation.ts';

const SUMMARY = 'Goal: five rounds. Found nothing. No files. Work remains. The user forbade nothing.';
const filler = (round: number): string => `round ${round} ${'lorem ipsum dolor sit amet '.repeat(150)}`;
const ROUNDS = [1, 2, 3, 4, 5].map((round) => echo(filler(round), `call_${round}`));

const FLOOD: Tool = {
  name: 'flood',
  description: 'Gives about 2,000 tokens.',
  inputSchema: { type: 'object', properties: {} },
  access: () => [{ kind: 'none' }],
  run: async () => success('lorem ipsum dolor sit amet '.repeat(300)),
};
const FLOOD_CALL = { kind: 'call', name: 'flood', input: {} } as const;

/** Answers the writer of summaries and the agent alike, whoever asks: faults decide how often that is. */
function answering(words: string): ScriptedStep[] {
  return Array.from(
    { length: 6 },
    () =>
      ({ system }): string =>
        system.startsWith('You write summaries') ? SUMMARY : words,
  );
}

async function fiveRounds(format: Format, fault: Fault, words = WORDS): Promise<Stage & { readonly text: string }> {
  const stage = await stageFor({
    format,
    steps: [...ROUNDS, ...answering(words)],
    faults: [{ when: ({ index }) => index === 5, ...fault }],
  });
  const { text } = await stage.agent.run('Five rounds.');
  return { ...stage, text };
}

function hasEvent({ events }: Stage, type: ContextEvent['type']): boolean {
  return events.some((event) => event.type === 'context' && event.event.type === type);
}

describe.each(FORMATS)('%s, what does not fit:', (format) => {
  it.each([
    {
      name: 'an overflow before the stream',
      fault: { kind: 'too_long', inputTokens: 9_000, windowTokens: 8_000 },
      status: 400,
    },
    {
      name: 'an overflow in the middle of the stream',
      fault: { kind: 'stream_error', error: 'too_long' },
      status: 200,
    },
    { name: '413', fault: { kind: 'request_too_large' }, status: 413 },
  ] as const)('$name: a smaller request, once, and every call taken in once', async ({ fault, status }) => {
    const stage = await fiveRounds(format, fault);
    expect(stage.text).toBe(WORDS);
    expect(stage.simulator.requests[5]?.status).toBe(status);
    const after = stage.simulator.requests.slice(6);
    expect(after.length).toBeLessThanOrEqual(2);
    expect(after.at(-1)?.bytes).toBeLessThan(stage.simulator.requests[5]?.bytes ?? 0);
    expect(hasEvent(stage, 'turn-overflow')).toBe(true);
    expect(stage.waits).toEqual([]);
    // User message, five calls with their results, the answer.
    expect(stage.agent.context.history()).toHaveLength(12);
    expect(shownIn(stage.brain.requests.at(-1))).toContain('Five rounds.');
  });

  it('a prompt cut without a word: noticed by its count, and room made before the next call', async () => {
    const stage = await stageFor({
      format,
      serverTokens: 6_000,
      steps: [[FLOOD_CALL, FLOOD_CALL, FLOOD_CALL, FLOOD_CALL], echo('1'), echo('2'), WORDS],
      faults: [{ kind: 'silent_truncation', times: Number.POSITIVE_INFINITY }],
      agent: { tools: [ECHO, FLOOD], context: { maxOutputTokens: 2_000 } },
    });
    await expect(stage.agent.run('Four rounds at once.')).resolves.toMatchObject({ text: WORDS, stop: 'done' });
    expect(hasEvent(stage, 'silent-truncation')).toBe(true);
    expect(stage.simulator.requests.every(({ status }) => status === 200)).toBe(true);
    expect(stage.simulator.requests).toHaveLength(4);
    expect(shownIn(stage.brain.requests.at(-1))).toContain('Four rounds at once.');
  });

  it('a reply over the output cap: once more with the larger cap, then at most three continuations', async () => {
    const long = Array.from({ length: 400 }, (_, index) => `w${index}`).join(' ');
    const stage = await stageFor({
      format,
      steps: Array.from({ length: 5 }, () => long),
      agent: { context: { maxOutputTokens: 40, escalatedOutputTokens: 200 } },
    });
    await expect(stage.agent.run('Talk.')).resolves.toMatchObject({ stop: 'cap', rounds: 4 });
    expect(stage.simulator.requests.map(({ body }) => body['max_tokens'])).toEqual([40, 200, 200, 200, 200]);
    // The reply cut at the smaller cap was not taken in.
    expect(stage.agent.context.history()).toHaveLength(8);
    stage.brain.assertDone();
  });
});
