/** Replies that came whole and say nothing useful. */
import { describe, expect, it } from 'vitest';
import { FORMATS, shownIn, stageFor } from '../support/stage.ts';

describe.each(FORMATS)('%s, odd replies:', (format) => {
  it('a refusal ends the run and says so; the session goes on', async () => {
    const { agent, simulator } = await stageFor({
      format,
      steps: ['Fine.'],
      faults: [{ kind: 'refusal', text: 'I would rather not.' }],
    });
    await expect(agent.run('Do it.')).resolves.toMatchObject({
      stop: 'refusal',
      text: 'I would rather not.',
      rounds: 1,
    });
    await expect(agent.run('Something else.')).resolves.toMatchObject({ stop: 'done', text: 'Fine.' });
    expect(simulator.requests.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('an empty reply is asked about once, two in a row end the run', async () => {
    const { agent, simulator, brain } = await stageFor({
      format,
      steps: ['Here.', 'Again.'],
      faults: [{ kind: 'empty_reply' }, { kind: 'empty_reply', times: 2, when: ({ index }) => index > 1 }],
    });
    await expect(agent.run('Go.')).resolves.toMatchObject({ stop: 'done', text: 'Here.', rounds: 2 });
    expect(shownIn(brain.requests[0])).toContain('Your reply was empty.');
    await expect(agent.run('More.')).resolves.toMatchObject({ stop: 'done', text: '', rounds: 2 });
    await expect(agent.run('More.')).resolves.toMatchObject({ stop: 'done', text: 'Again.', rounds: 1 });
    expect(simulator.requests).toHaveLength(5);
  });
});
