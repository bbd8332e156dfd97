import { success, type Tool } from '@holdover/agent';
import { type ContextEvent, ContextError } from '@holdover/engine';
import type { FaultRequest, ScriptedStep, SimRecord, SimReplyPart, SimRequest } from '@holdover/simulator';
import { describe, expect, it } from 'vitest';
import { ECHO, echo, FORMATS, shownIn, stageFor, type Stage } from '../support/stage.ts';

/** The agent believes in more than the server gives. */
const BELIEVED = 16_000;
const ENFORCED = 8_000;

const filler = (round: number): string => `round ${round} ${'lorem ipsum dolor sit amet '.repeat(150)}`;
const FLOOD: Tool = {
  name: 'flood',
  description: 'Gives about 2,000 tokens.',
  inputSchema: { type: 'object', properties: {} },
  access: () => [{ kind: 'none' }],
  run: async () => success('lorem ipsum dolor sit amet '.repeat(300)),
};

const SUMMARY = 'Goal: many rounds. Found nothing. No files. Work remains. The user forbade nothing.';
const isSummary = ({ request }: FaultRequest): boolean => request.system.startsWith('You write summaries');

function contextEvents<Type extends ContextEvent['type']>(
  stage: Stage,
  type: Type,
): readonly Extract<ContextEvent, { type: Type }>[] {
  return stage.events.flatMap((event) => {
    if (event.type !== 'context' || event.event.type !== type) return [];
    return [event.event as Extract<ContextEvent, { type: Type }>];
  });
}

/** The reply ended where the window did. */
function hasFilledWindow({ usage }: SimRecord): boolean {
  return usage !== undefined && usage.inputTokens + usage.outputTokens === ENFORCED;
}

/** Rounds of about 1,000 tokens until the script is over; summaries are answered whenever they are asked for. */
function longStory(rounds: number): ScriptedStep[] {
  let round = 0;
  return Array.from({ length: rounds * 3 }, () => (request): string | SimReplyPart => {
    if (request.system.startsWith('You write summaries')) return SUMMARY;
    round += 1;
    return round <= rounds ? echo(filler(round)) : 'All rounds done.';
  });
}

describe.each(FORMATS)('overflow over %s', (format) => {
  it('answers a refusal with a smaller request after a reactive summary, and learns the window', async () => {
    const stage = await stageFor({
      format,
      steps: [...[1, 2, 3, 4, 5].map((round) => echo(filler(round))), 'done one', SUMMARY, 'done two'],
      faults: [{ kind: 'too_long', inputTokens: 9_000, windowTokens: 8_000, when: ({ index }) => index === 6 }],
    });
    await expect(stage.agent.run('Five rounds.')).resolves.toMatchObject({ text: 'done one' });
    const result = await stage.agent.run('And another thing.');
    expect(result).toMatchObject({ text: 'done two', rounds: 1 });
    const [refused, summary, retried] = stage.simulator.requests.slice(6);
    expect([refused?.status, summary?.status, retried?.status]).toEqual([400, 200, 200]);
    expect(retried?.bytes).toBeLessThan(refused?.bytes ?? 0);
    expect(contextEvents(stage, 'turn-overflow')).toMatchObject([{ requestedTokens: 9_000, limitTokens: 8_000 }]);
    expect(contextEvents(stage, 'summary-start').map(({ trigger }) => trigger)).toEqual(['overflow']);
    expect(result.receipts.at(-1)).toMatchObject({
      cause: 'overflow',
      summary: { writer: 'sim-1', trigger: 'overflow', attempts: 1 },
    });
    const shown = shownIn(stage.brain.requests.at(-1));
    expect(shown).toContain(`[Reactive compact]\n\n${SUMMARY}`);
    expect(shown).toContain('And another thing.');
    expect(stage.agent.context.snapshot().learnedWindows).toEqual([['sim-1', 8_000]]);
    stage.brain.assertDone();
  });

  it('finishes a story several times the size of the window the server enforces', async () => {
    const stage = await stageFor({
      format,
      steps: longStory(30),
      serverTokens: ENFORCED,
      agent: { context: { windowTokens: BELIEVED, maxOutputTokens: 2_000, escalatedOutputTokens: 2_000 } },
    });
    const result = await stage.agent.run('Thirty rounds.');
    expect(result).toMatchObject({ text: 'All rounds done.', stop: 'done' });
    // A reply the window cut is dropped and asked for again; the script counts it all the same.
    const cut = contextEvents(stage, 'turn-overflow').filter(({ what }) => what === 'cut');
    expect(result.rounds + cut.length).toBe(31);
    const refused = stage.simulator.requests.filter(({ status }) => status === 400);
    expect(refused.every(({ error }) => /too long|maximum context length/.test(error ?? ''))).toBe(true);
    expect(refused.length).toBeLessThanOrEqual(3);
  });

  it('writes a digest where the model calls a tool instead of writing the summary, after one corrective retry', async () => {
    const stage = await stageFor({
      format,
      steps: [echo(filler(1)), echo(filler(2)), echo(filler(3)), { kind: 'call', name: 'compact', input: {} }, 'Done.'],
      faults: [{ kind: 'tool_call', name: 'echo', input: { text: 'no' }, when: isSummary, times: 2 }],
      agent: { context: { windowTokens: 32_000 } },
    });
    await expect(stage.agent.run('Go.')).resolves.toMatchObject({ text: 'Done.' });
    expect(contextEvents(stage, 'summary-end').map(({ refusal }) => refusal)).toEqual([
      'it called a tool',
      'it called a tool',
    ]);
    const summaries = stage.simulator.requests
      .filter(({ fault }) => fault === 'tool_call')
      .map(({ body }) => JSON.stringify(body));
    expect(summaries).toHaveLength(2);
    expect(summaries[0]).not.toContain('Your last answer was refused');
    expect(summaries[1]).toContain('Your last answer was refused: it called a tool');
    const last = stage.events.findLast((event) => event.type === 'turn-end');
    expect(last).toMatchObject({ receipt: { summary: { writer: 'code', trigger: 'manual', attempts: 2 } } });
    expect(shownIn(stage.brain.requests.at(-1))).toContain('[Compacted]');
  });

  it('uses the corrected summary when the second answer is one', async () => {
    const stage = await stageFor({
      format,
      steps: [echo(filler(1)), echo(filler(2)), { kind: 'call', name: 'compact', input: {} }, SUMMARY, 'Done.'],
      faults: [{ kind: 'tool_call', when: isSummary }],
      agent: { context: { windowTokens: 32_000 } },
    });
    await stage.agent.run('Go.');
    expect(shownIn(stage.brain.requests.at(-1))).toContain(SUMMARY);
    stage.brain.assertDone();
  });

  it('makes room when the window cut the reply', async () => {
    const answer = Array.from({ length: 900 }, (_, i) => `w${i}`).join(' ');
    const say = (request: SimRequest): string => (request.system.startsWith('You write summaries') ? SUMMARY : answer);
    const stage = await stageFor({
      format,
      serverTokens: ENFORCED,
      steps: [...[1, 2, 3, 4].map((round) => echo(filler(round))), ...Array.from({ length: 6 }, () => say)],
      agent: { context: { windowTokens: 200_000, maxOutputTokens: 4_000, escalatedOutputTokens: 4_000 } },
    });
    await expect(stage.agent.run('Four rounds and a long answer.')).resolves.toMatchObject({
      stop: 'done',
      text: answer,
    });
    // The OpenAI format does not say which limit it was: there the first half is kept, if there is one, and the answer continued.
    const [prompt, ...rest] = stage.agent.context
      .history()
      .toReversed()
      .slice(0, format === 'anthropic' ? 2 : 1);
    expect(JSON.stringify([prompt, ...rest]).match(/w0 w1 w2/g)).toHaveLength(1);
    expect(stage.simulator.requests.filter(hasFilledWindow)).toHaveLength(format === 'anthropic' ? 1 : 2);
  });

  it('notices a prompt that was cut without a word, and makes room before the next calls', async () => {
    const stage = await stageFor({
      format,
      serverTokens: 6_000,
      steps: [
        [1, 2, 3, 4].map(() => ({ kind: 'call', name: 'flood', input: {} }) as const),
        echo('1'),
        echo('2'),
        'Done.',
      ],
      faults: [{ kind: 'silent_truncation', times: Number.POSITIVE_INFINITY }],
      agent: { tools: [ECHO, FLOOD], context: { maxOutputTokens: 2_000 } },
    });
    const result = await stage.agent.run('Read it all.');
    expect(result).toMatchObject({ text: 'Done.', rounds: 4 });
    const [noticed] = contextEvents(stage, 'silent-truncation');
    expect(noticed?.reportedTokens).toBe(3_002);
    expect(noticed?.estimatedTokens).toBeGreaterThan(8_000);
    expect(result.receipts[2]).toMatchObject({ cause: 'overflow' });
    const views = result.receipts.map(({ tokens }) => tokens.view);
    expect(views[3]).toBeLessThan((views[1] ?? 0) / 2);
    expect(shownIn(stage.brain.requests[3])).toContain('Read it all.');
    stage.brain.assertDone();
  });

  it('ends with one clear error where system and tools alone do not fit', async () => {
    const stage = await stageFor({ format, steps: [], serverTokens: 300 });
    const error = await stage.agent.run('Hello.').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ContextError);
    expect(error).toMatchObject({ code: 'WINDOW_EXHAUSTED' });
    expect((error as Error).message).toMatch(/system and tools take about \d+ of \d+ tokens/);
    expect(stage.simulator.requests.length).toBeLessThanOrEqual(3);
  });

  it('makes a body that was refused for its bytes smaller', async () => {
    const stage = await stageFor({
      format,
      steps: [echo(filler(1)), echo(filler(2)), 'Done.'],
      faults: [{ kind: 'request_too_large', when: ({ index }) => index === 2 }],
    });
    await expect(stage.agent.run('Go.')).resolves.toMatchObject({ text: 'Done.' });
    const [refused, retried] = stage.simulator.requests.slice(2);
    expect(refused?.status).toBe(413);
    expect(retried?.bytes).toBeLessThan(refused?.bytes ?? 0);
    expect(contextEvents(stage, 'summary-start')).toEqual([]);
  });
});
