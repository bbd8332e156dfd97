import type { Fault } from '@holdover/simulator';
import { describe, expect, it } from 'vitest';
import { echo, FORMATS, messagesOf, shownIn, stageFor } from '../support/stage.ts';

const still = { random: () => 0 };

describe.each(FORMATS)('recovery over %s', (format) => {
  it('waits out a rate limit as long as the server says', async () => {
    const faults: Fault[] = [{ kind: 'rate_limit', retryAfterSeconds: 7, times: 2 }];
    const { agent, waits, simulator, events } = await stageFor({ format, steps: ['Hi.'], faults });
    await expect(agent.run('Hello.')).resolves.toMatchObject({ text: 'Hi.', rounds: 1 });
    expect(waits).toEqual([7_000, 7_000]);
    expect(simulator.requests.map(({ status }) => status)).toEqual([429, 429, 200]);
    const retries = events.flatMap((event) => (event.type === 'request-retry' ? [[event.attempt, event.waitMs]] : []));
    expect(retries).toEqual([
      [1, 7_000],
      [2, 7_000],
    ]);
  });

  it('backs off from an overloaded server: 0.5 s doubled up to 32 s, ten tries, then its error', async () => {
    const faults: Fault[] = [{ kind: 'overloaded', times: 10 }];
    const { agent, waits, simulator } = await stageFor({ format, steps: ['Hi.'], faults, agent: { ports: still } });
    await expect(agent.run('Hello.')).rejects.toMatchObject({ status: format === 'anthropic' ? 529 : 503 });
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 32_000, 32_000]);
    expect(simulator.requests).toHaveLength(10);
    expect(new Set(simulator.requests.map((record) => JSON.stringify(messagesOf(record)))).size).toBe(1);
  });

  it('takes up the session again after it gave up', async () => {
    const faults: Fault[] = [{ kind: 'overloaded', times: 10 }];
    const { agent, brain } = await stageFor({ format, steps: ['Back.'], faults });
    await expect(agent.run('Hello.')).rejects.toThrow();
    await expect(agent.run('Still there?')).resolves.toMatchObject({ text: 'Back.' });
    expect(shownIn(brain.requests[0])).toBe('Hello.\nStill there?');
  });

  it.each([
    { name: 'cut in the middle', fault: { kind: 'cut_stream', afterDeltas: 1 } },
    { name: 'cut before the first word', fault: { kind: 'cut_stream', afterDeltas: 0 } },
    { name: 'ended by an error event', fault: { kind: 'stream_error', afterDeltas: 1 } },
    { name: 'refused with status 500', fault: { kind: 'server_error' } },
  ] as const)('sends the same request again after a stream $name', async ({ fault }) => {
    const words = 'One two three four five six seven eight nine ten eleven twelve.';
    const { agent, simulator, waits } = await stageFor({
      format,
      steps: fault.kind === 'server_error' ? [words, 'Bye.'] : [words, words, 'Bye.'],
      faults: [fault],
      agent: { ports: still },
    });
    await expect(agent.run('Count.')).resolves.toMatchObject({ text: words, rounds: 1 });
    expect(waits).toEqual([500]);
    expect(simulator.requests[1]?.body).toEqual(simulator.requests[0]?.body);
    await agent.run('Thanks.');
    expect(messagesOf(simulator.requests[2])).toHaveLength(format === 'anthropic' ? 3 : 4);
  });

  it('does not try again what a brain could not answer', async () => {
    const { agent, waits } = await stageFor({ format, steps: [] });
    await expect(agent.run('Hello.')).rejects.toThrow('unexpected model call');
    expect(waits).toEqual([]);
  });

  it('ends a run the model refused, and says so', async () => {
    const { agent } = await stageFor({
      format,
      steps: ['Fine.'],
      faults: [{ kind: 'refusal', text: 'I would rather not.' }],
    });
    await expect(agent.run('Do it.')).resolves.toMatchObject({ stop: 'refusal', text: 'I would rather not.' });
    await expect(agent.run('Something else.')).resolves.toMatchObject({ stop: 'done', text: 'Fine.' });
  });

  it('asks once about an empty reply', async () => {
    const { agent, brain } = await stageFor({
      format,
      steps: [echo('a'), 'Done.'],
      faults: [{ kind: 'empty_reply', when: ({ index }) => index === 1 }],
    });
    await expect(agent.run('Go.')).resolves.toMatchObject({ stop: 'done', text: 'Done.', rounds: 3 });
    expect(shownIn(brain.requests[1])).toContain('Your reply was empty.');
  });

  it('ends after two empty replies in a row, with a session that goes on', async () => {
    const { agent } = await stageFor({ format, steps: ['Here.'], faults: [{ kind: 'empty_reply', times: 2 }] });
    await expect(agent.run('Go.')).resolves.toMatchObject({ stop: 'done', text: '', rounds: 2 });
    await expect(agent.run('Again.')).resolves.toMatchObject({ stop: 'done', text: 'Here.' });
  });
});
