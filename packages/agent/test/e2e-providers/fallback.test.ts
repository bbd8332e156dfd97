import type { Provider } from '@holdover/agent';
import { type Context, createContext } from '@holdover/engine';
import { memoryArchive } from '@holdover/engine/archives/memory';
import { type Fault, type ScriptedStep, scripted, type Simulator } from '@holdover/simulator';
import { describe, expect, it } from 'vitest';
import { callModel } from '../../src/loop/call-model.ts';
import type { AgentEvent } from '../../src/loop/events.ts';
import { type Fallback, sendPatiently } from '../../src/loop/retry.ts';
import { echo, type Format, FORMATS, openSimulator, providerFor, stageFor } from '../support/stage.ts';

const LONG = 'lorem ipsum dolor sit amet '.repeat(600);

interface Played {
  readonly provider: Provider;
  readonly context: Context<object, object>;
  readonly simulator: Simulator;
  readonly events: AgentEvent[];
  readonly waits: number[];
  call(fallback?: Fallback, text?: string): Promise<string>;
}

/** A model called `big` with a large window, and one called `small`. */
async function played(format: Format, faults: readonly Fault[], replies: readonly ScriptedStep[]): Promise<Played> {
  const simulator = await openSimulator(scripted(replies), { faults, windowTokens: { big: 200_000, small: 8_000 } });
  const provider = providerFor(format, simulator);
  const events: AgentEvent[] = [];
  const waits: number[] = [];
  const context = createContext<object, object>({
    codec: provider.codec,
    archive: memoryArchive(),
    windowTokens: (model) => (model === 'small' ? 8_000 : 200_000),
  });
  return {
    provider,
    context,
    simulator,
    events,
    waits,
    async call(fallback, text = 'Hi.') {
      context.append([provider.userMessage([text])]);
      const called = await callModel(
        provider.request({
          model: 'big',
          system: 'Be terse.',
          tools: [],
          messages: [],
          maxOutputTokens: 1_000,
          thinking: { budgetTokens: 1_024 },
        }),
        {
          context,
          provider,
          signal: new AbortController().signal,
          emit: (event) => events.push(event),
          random: () => 0,
          now: () => 0,
          sleep: async (ms) => {
            waits.push(ms);
          },
          ...(fallback === undefined ? {} : { fallback }),
        },
      );
      await called.turn.accept(called.reply);
      return JSON.stringify(called.decoded.message);
    },
  };
}

const models = ({ simulator }: Played): readonly string[] => simulator.requests.map(({ model }) => model);
const handovers = ({ events }: Played): readonly AgentEvent[] => events.filter(({ type }) => type === 'fallback');

describe.each(FORMATS)('a fallback model over %s', (format) => {
  it('takes over after three overload answers in a row, for the rest of the run', async () => {
    const stage = await played(format, [{ kind: 'overloaded', times: 3 }], ['From small.', 'Small again.']);
    const fallback: Fallback = { model: 'small' };
    expect(await stage.call(fallback)).toContain('From small.');
    expect(await stage.call(fallback)).toContain('Small again.');
    expect(models(stage)).toEqual(['big', 'big', 'big', 'small', 'small']);
    expect(handovers(stage)).toEqual([{ type: 'fallback', from: 'big', to: 'small' }]);
    expect(stage.waits).toEqual([500, 1_000]);
  });

  it("is another run's own affair", async () => {
    const stage = await played(format, [{ kind: 'overloaded', times: 3 }], ['From small.', 'From big.']);
    await stage.call({ model: 'small' });
    await stage.call({ model: 'small' });
    expect(models(stage).slice(3)).toEqual(['small', 'big']);
  });

  it('does not take over for overloads that do not follow each other, nor for rate limits', async () => {
    const faults: Fault[] = [
      { kind: 'overloaded', times: 2 },
      { kind: 'server_error' },
      { kind: 'overloaded', times: 2 },
      { kind: 'rate_limit', times: 3 },
    ];
    const stage = await played(format, faults, ['From big.']);
    expect(await stage.call({ model: 'small' })).toContain('From big.');
    expect(new Set(models(stage))).toEqual(new Set(['big']));
    expect(stage.simulator.requests).toHaveLength(9);
  });

  it('gets a view made for its own window', async () => {
    const rounds = [1, 2, 3, 4, 5].map((round) => `call_${round}`);
    const steps = [...rounds.map((id) => echo('x', id)), 'From small.'];
    const stage = await played(format, [{ kind: 'overloaded', times: 3, when: ({ index }) => index > 4 }], steps);
    for (const callId of rounds) {
      await stage.call();
      stage.context.append(stage.provider.results([{ callId, text: LONG, isError: false }]));
    }
    expect(await stage.call({ model: 'small' })).toContain('From small.');
    const [big, small] = stage.simulator.requests.slice(-2);
    expect([big?.model, small?.model]).toEqual(['big', 'small']);
    expect(small?.status).toBe(200);
    expect(small?.bytes).toBeLessThan((big?.bytes ?? 0) / 2);
  });

  it('is waited for as long as the first model would have been, and then its error stands', async () => {
    const stage = await played(format, [{ kind: 'overloaded', times: 13 }], []);
    await expect(stage.call({ model: 'small' })).rejects.toMatchObject({ status: format === 'anthropic' ? 529 : 503 });
    expect(models(stage)).toEqual([...Array(3).fill('big'), ...Array(10).fill('small')]);
    expect(handovers(stage)).toHaveLength(1);
  });

  it('that is the same model changes nothing', async () => {
    const stage = await played(format, [{ kind: 'overloaded', times: 4 }], ['From big.']);
    expect(await stage.call({ model: 'big' })).toContain('From big.');
    expect(handovers(stage)).toEqual([]);
  });
});

it('E11: a fallback takes over for a summary too, and stays for the run', async () => {
  const fallback: Fallback = { model: 'small' };
  const asked: (string | undefined)[] = [];
  const send = async (model?: string): Promise<string> => {
    asked.push(model);
    if (model === undefined) throw Object.assign(new Error('529 Overloaded'), { status: 529 });
    return 'Summary.';
  };
  const options = {
    random: () => 0,
    now: () => 0,
    sleep: () => Promise.resolve(),
    onWait: () => undefined,
    signal: new AbortController().signal,
    fallback: () => fallback,
  };
  expect(await sendPatiently(send, options)).toBe('Summary.');
  expect(await sendPatiently(send, options)).toBe('Summary.');
  expect(asked).toEqual([undefined, undefined, undefined, 'small', 'small']);
  expect(fallback.isInForce).toBe(true);
});

it.each(FORMATS)(
  'an agent over %s goes on with its fallback model, and begins the next message with its own again',
  async (format) => {
    const { agent, simulator, events } = await stageFor({
      format,
      steps: [echo('x', 'call_1'), 'Done.', 'Hello again.'],
      faults: [{ kind: 'overloaded', times: 3 }],
      agent: { fallbackModel: 'small' },
    });
    await expect(agent.run('Go.')).resolves.toMatchObject({ text: 'Done.', rounds: 2 });
    await expect(agent.run('Hello.')).resolves.toMatchObject({ text: 'Hello again.' });
    expect(simulator.requests.map(({ model }) => model)).toEqual([
      'sim-1',
      'sim-1',
      'sim-1',
      'small',
      'small',
      'sim-1',
    ]);
    expect(events.filter(({ type }) => type === 'fallback')).toEqual([
      { type: 'fallback', from: 'sim-1', to: 'small' },
    ]);
    expect(agent.context.history()).toHaveLength(6);
  },
);
