import type { ScriptedStep, SimReplyPart } from '@holdover/simulator';
import { createAgent, type Provider } from '@holdover/agent';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  ECHO,
  echo,
  FORMATS,
  type Format,
  messagesOf,
  resultsIn,
  shownIn,
  stageFor,
  type Stage,
} from '../support/stage.ts';

const CAP = { maxOutputTokens: 40, escalatedOutputTokens: 200 };

const words = (count: number): string => Array.from({ length: count }, (_, i) => `word${i}`).join(' ');

function capsOf(stage: Stage): readonly unknown[] {
  return stage.simulator.requests.map(({ body }) => body['max_tokens']);
}

function stage(format: Format, steps: readonly ScriptedStep[]): Promise<Stage> {
  return stageFor({ format, steps, agent: { context: CAP } });
}

describe.each(FORMATS)('replies cut at the output cap over %s', (format) => {
  it('asks once more with the larger cap, and takes in only the whole reply', async () => {
    const played = await stage(format, [words(60), words(60), 'Bye.']);
    await expect(played.agent.run('Talk.')).resolves.toMatchObject({ text: words(60), stop: 'done', rounds: 1 });
    expect(capsOf(played)).toEqual([40, 200]);
    const [first, second] = played.simulator.requests.map(messagesOf);
    expect(second).toEqual(first);
    await played.agent.run('Thanks.');
    expect(shownIn(played.brain.requests[2])).toBe(`Talk.\n${words(60)}\nThanks.`);
    expect(capsOf(played)).toEqual([40, 200, 40]);
  });

  it('escalates once, then asks three times to go on, then stops', async () => {
    const played = await stage(
      format,
      Array.from({ length: 5 }, () => words(400)),
    );
    await expect(played.agent.run('Talk.')).resolves.toMatchObject({ stop: 'cap', rounds: 4 });
    expect(capsOf(played)).toEqual([40, 200, 200, 200, 200]);
    expect(shownIn(played.brain.requests[4]).match(/Continue exactly where it stopped/g)).toHaveLength(3);
    played.brain.assertDone();
  });

  it('counts continuations anew after a whole reply', async () => {
    const cut = words(400);
    const played = await stage(format, [cut, cut, cut, echo('a'), cut, cut, cut, cut, 'Done.']);
    await expect(played.agent.run('Talk.')).resolves.toMatchObject({ stop: 'done', text: 'Done.' });
    played.brain.assertDone();
  });

  it('M09: leaves out the calls of a reply that stayed cut, runs none of them, and says so', async () => {
    const cut: readonly SimReplyPart[] = [{ kind: 'text', text: 'Writing.' }, echo('whole'), echo(words(400))];
    const played = await stage(format, [cut, cut, 'Then not.']);
    await expect(played.agent.run('Write.')).resolves.toMatchObject({ stop: 'done', text: 'Then not.' });
    expect(resultsIn(played.brain.requests[2])).toEqual([]);
    expect(played.events.filter(({ type }) => type === 'tool-start')).toEqual([]);
    expect(shownIn(played.brain.requests[2])).toContain('none of its tool calls was run');
  });

  it('goes on from a cut reply that was nothing but half a call', async () => {
    const played = await stage(format, [echo(words(400)), echo(words(400)), 'Then not.']);
    await expect(played.agent.run('Write.')).resolves.toMatchObject({ stop: 'done', text: 'Then not.' });
    expect(played.brain.requests[2]?.messages.every(({ role }) => role === 'user')).toBe(true);
  });

  it('takes a shorter limit of the server for no window: it learns nothing wrong from it', async () => {
    const played = await stageFor({
      format,
      steps: Array.from({ length: 5 }, () => words(400)),
      faults: [{ kind: 'truncated', keepTokens: 30, times: Number.POSITIVE_INFINITY }],
      agent: { context: { ...CAP, maxOutputTokens: 100 } },
    });
    await expect(played.agent.run('Talk.')).resolves.toMatchObject({ stop: 'cap', rounds: 4 });
    expect(played.agent.context.snapshot().learnedWindows).toEqual([]);
    expect(played.agent.context.groups()).toEqual([]);
    played.brain.assertDone();
  });

  it('keeps the cut reply where the provider refuses the larger cap (the run was lost with it)', async () => {
    const played = await stage(format, [words(60), 'and']);
    const asked: unknown[] = [];
    const provider: Provider = {
      ...played.provider,
      send: (request, options) => {
        const cap = played.provider.codec.head(request).maxOutputTokens;
        asked.push(cap);
        if (cap <= 40) return played.provider.send(request, options);
        const reason = `max_tokens: ${cap} > 40, which is the maximum allowed number of output tokens for sim-1`;
        return Promise.reject(Object.assign(new Error(`400 ${reason}`), { status: 400 }));
      },
    };
    const agent = await createAgent({
      workspace: played.folder,
      provider,
      model: 'sim-1',
      tools: [ECHO],
      context: CAP,
    });
    onTestFinished(() => agent.close());
    await expect(agent.run('Talk.')).resolves.toMatchObject({ text: 'and', stop: 'done', rounds: 2 });
    expect(asked).toEqual([40, 200, 40]);
    expect(shownIn(played.brain.requests[1])).toContain(words(15));
  });

  it('does not escalate to a cap that is no larger', async () => {
    const played = await stageFor({
      format,
      steps: [words(60), 'rest'],
      agent: { context: { maxOutputTokens: 40, escalatedOutputTokens: 40 } },
    });
    await expect(played.agent.run('Talk.')).resolves.toMatchObject({ text: 'rest', rounds: 2 });
    expect(capsOf(played)).toEqual([40, 40]);
  });
});
