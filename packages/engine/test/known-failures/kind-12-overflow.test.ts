/** Overflow not recognised, or taken for something else. */
import { describe, expect, it } from 'vitest';
import { classifyError } from '../../src/index.ts';
import type { ContextEvent } from '../../src/index.ts';
import { filler, SCENES, Story, sum, tooLong, still } from './support/story.ts';

const http = (status: number, message: string, more: object = {}): Error =>
  Object.assign(new Error(message), { status, ...more });

const RATE: readonly unknown[] = [
  http(429, 'Rate limit reached for gpt-5 on tokens per min (TPM): Limit 30000, Used 29000, Requested 5000.'),
  http(429, 'This request would exceed your organization’s rate limit of 400,000 input tokens per minute.'),
  http(413, 'Request too large for model on tokens per minute (TPM): Limit 6000, Requested 7200', {
    code: 'rate_limit_exceeded',
  }),
  http(400, 'Too many requests, please slow down'),
  { status: 429, error: { type: 'rate_limit_error', message: 'Number of request tokens has exceeded your limit' } },
];

const OVERFLOW: readonly (readonly [unknown, object])[] = [
  [tooLong(200_500, 200_000), { what: 'input', limitTokens: 200_000, requestedTokens: 200_500 }],
  [http(400, 'prompt_too_long'), { what: 'input' }],
  [http(400, 'x', { code: 'context_length_exceeded' }), { what: 'input' }],
  [
    http(400, "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."),
    { what: 'input', limitTokens: 8_192, requestedTokens: 9_000 },
  ],
  [
    http(400, 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'),
    { what: 'input', limitTokens: 1_048_576, requestedTokens: 1_200_000 },
  ],
  [
    http(400, 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000'),
    { what: 'input-and-output', limitTokens: 200_000, requestedTokens: 210_000 },
  ],
  [http(500, 'the request exceeds the available context size'), { what: 'input' }],
  [http(413, 'Payload Too Large'), { what: 'bytes' }],
  [
    http(400, 'Bad request', {
      error: { message: '{"error":{"message":"prompt is too long: 5000 tokens > 4096 maximum"}}' },
    }),
    { what: 'input', limitTokens: 4_096, requestedTokens: 5_000 },
  ],
  [
    http(200, 'stream ended', {
      error: { type: 'error', error: { type: 'invalid_request_error', message: 'prompt is too long' } },
    }),
    { what: 'input' },
  ],
  [new Error('upstream said: context window exceeded'), { what: 'input' }],
];

const OTHER: readonly unknown[] = [
  http(400, 'messages.3: tool_use ids were found without tool_result blocks'),
  http(401, 'invalid x-api-key'),
  http(404, 'model: not found'),
  http(500, 'Internal server error'),
  new TypeError('fetch failed'),
];

describe('kind 12, errors', () => {
  it('P01: a rate limit that speaks of tokens is waited for, and nothing is compacted', () => {
    for (const error of RATE)
      expect(classifyError(error), String((error as Error).message)).toMatchObject({ kind: 'rate' });
  });

  it('P02: an overflow is one in every wording and wrapping, with its numbers; other errors are not', () => {
    for (const [error, expected] of OVERFLOW)
      expect(classifyError(error), String((error as Error).message)).toEqual({ kind: 'overflow', ...expected });
    for (const error of OTHER)
      expect(classifyError(error), String((error as Error).message)).toMatchObject({ kind: 'other' });
  });

  it('P07: what a gateway wraps is read through', () => {
    const inner = {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
    };
    const gateway = http(502, 'Upstream request failed', {
      status: 400,
      response: { data: { detail: [{ body: JSON.stringify(inner) }] } },
    });
    expect(classifyError(gateway)).toEqual({
      kind: 'overflow',
      what: 'input',
      limitTokens: 200_000,
      requestedTokens: 210_000,
    });
    const hidden = Object.assign(new Error('Gave up after 3 attempts'), {
      errors: [http(500, 'x')],
      lastError: tooLong(9_000, 8_000),
    });
    expect(classifyError(hidden)).toMatchObject({ kind: 'overflow', limitTokens: 8_000 });
  });
});

describe.each(SCENES)('kind 12, $name', (scene) => {
  const { builder } = scene;

  it('P01: after a rate limit the same request goes again', async () => {
    const story = new Story(scene, { writer: sum() }).talk(12, 900).user('And now?');
    const turn = await story.ask();
    expect(await turn.fail(RATE[0])).toBeUndefined();
    expect(JSON.stringify((await story.ask()).request)).toBe(JSON.stringify(turn.request));
    expect(story.context.groups()).toEqual([]);
  });

  it('P03: a provider that takes everything without a word is never sent too much', async () => {
    const story = new Story(scene, { windowTokens: 20_000, maxOutputTokens: 1_000 }).user('Go.');
    for (let n = 0; n < 40; n += 1) {
      story.round(filler(`result ${n}`, 3_000));
      const turn = await story.ask();
      expect(turn.receipt.tokens.calibrated).toBeLessThan(turn.receipt.window.blockTokens);
      await story.settle(turn, { text: filler(`step ${n}`, 900) });
      story.user('On.');
    }
  });

  it('P04: where nothing was ever answered the estimate decides', async () => {
    const story = new Story(still(scene), { writer: sum(), windowTokens: 20_000, maxOutputTokens: 1_000 }).user('Go.');
    for (let n = 0; n < 5; n += 1) {
      story.assistant(filler(`words ${n}`, 15_000)).user(filler(`more ${n}`, 3_000));
      const turn = await story.ask();
      expect(await turn.fail(http(529, 'Overloaded'))).toBeUndefined();
    }
    const turn = await story.ask();
    expect(turn.receipt.tokens.appendOnly).toBeGreaterThan(turn.receipt.window.actTokens);
    expect(turn.receipt.summary).toMatchObject({ trigger: 'threshold' });
  });

  it('P05: who wants no compaction gets the refusal, no model is asked, and a larger one goes on', async () => {
    const writer = sum();
    const windowTokens = (model: string): number => (model === 'large' ? 1_000_000 : 40_000);
    const story = new Story(scene, {
      writer,
      windowTokens,
      beforeSummary: async () => ({ block: 'it is switched off' }),
    });
    story.talk(20, 5_000).user('And now?');
    const request = builder.request([], { toolNames: ['bash', 'recall'] });
    const turn = await story.context.prepare(request);
    const error = tooLong(41_000, 40_000);
    await expect(turn.fail(error)).rejects.toMatchObject({ code: 'COMPACTION_BLOCKED', cause: error });
    expect(writer.prompts).toEqual([]);
    const large = await story.context.prepare({ ...request, model: 'large' });
    await story.check(large);
    expect(large.receipt.summary).toBeUndefined();
    await story.settle(large);
  });

  it('P06: a quota that blocks the writer is told, and the digest does without', async () => {
    const events: ContextEvent[] = [];
    const writer = sum(http(402, 'Your credit balance is too low'));
    const story = new Story(still(scene), {
      writer,
      windowTokens: 20_000,
      maxOutputTokens: 1_000,
      onEvent: (event) => events.push(event),
    });
    const turn = await story.talk(45, 1_800).user('Go on.').ask();
    expect(turn.receipt.summary).toMatchObject({ writer: 'code', trigger: 'threshold' });
    expect(turn.receipt.tokens.calibrated).toBeLessThan(turn.receipt.window.actTokens);
    expect(events.find((event) => event.type === 'summary-end')).toMatchObject({
      refusal: 'Your credit balance is too low',
    });
    await story.settle(turn);
  });
});
