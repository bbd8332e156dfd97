/** Token accounting gone wrong. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { anthropic } from '../../src/codecs/anthropic.ts';
import { openaiChat } from '../../src/codecs/openai-chat.ts';
import { estimateTokens } from '../../src/core/estimate.ts';
import { guardedCounter } from '../../src/encoders/guard.ts';
import { CLASSIC_WINDOW, CLAUDE_CODE_WINDOW, windowOf } from '../../src/index.ts';
import { SAMPLES } from '../core/estimate-samples.ts';
import { filler, SCENES, Story, sum, still } from './support/story.ts';

const RULES = [CLASSIC_WINDOW, CLAUDE_CODE_WINDOW];

describe('kind 5, what providers report', () => {
  const openai = (usage: object): unknown =>
    openaiChat().reply({ choices: [{ message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }], usage })
      .usage;
  const claude = (usage: object): unknown =>
    anthropic().reply({ content: [{ type: 'text', text: 'ok' }], stop_reason: 'end_turn', usage }).usage;

  it('G01: the whole prompt of one call, whether the provider counts what it cached in or beside it', () => {
    expect(
      openai({ prompt_tokens: 38_196, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 38_153 } }),
    ).toEqual({
      inputTokens: 38_196,
      cacheReadTokens: 38_153,
      cacheWriteTokens: 0,
      outputTokens: 7,
    });
    expect(claude({ input_tokens: 43, cache_read_input_tokens: 38_153, output_tokens: 7 })).toEqual({
      inputTokens: 38_196,
      cacheReadTokens: 38_153,
      cacheWriteTokens: 0,
      outputTokens: 7,
    });
    expect(claude({ input_tokens: 3, cache_creation_input_tokens: 2_000, output_tokens: 1 })).toMatchObject({
      inputTokens: 2_003,
      cacheWriteTokens: 2_000,
    });
  });
});

describe.each(SCENES)('kind 5, $name', (scene) => {
  const { builder } = scene;

  it('G01: over many calls the gauge is that of the last, not their sum', async () => {
    const story = new Story(scene, { count: estimateTokens, policy: { ...scene.policy, count: estimateTokens } });
    for (let call = 1; call <= 12; call += 1) {
      story.user(`Turn ${call}.`);
      await story.say({ text: 'Done.', usageTokens: 38_000 + call * 20 });
    }
    const { tokens = 0 } = story.context.gauge() ?? {};
    expect(tokens).toBeGreaterThanOrEqual(38_240);
    expect(tokens).toBeLessThan(38_240 + 100);
  });

  it('G03: a long run of base64 in a text counts as what it is; the same bytes as a picture are flat', async () => {
    const policy = { ...scene.policy, count: estimateTokens };
    const base64 = Buffer.from(Array.from({ length: 3_000 }, (_, index) => (index * 7_919) % 251))
      .toString('base64')
      .repeat(40);
    expect(base64.length).toBe(160_000);
    const asText = new Story(scene, { policy, count: estimateTokens, windowTokens: 1_000_000 }).user(base64);
    const asPicture = new Story(scene, { policy, count: estimateTokens, windowTokens: 1_000_000 });
    asPicture.context.append([builder.user('Look.', base64)]);
    const text = (await asText.prepare()).receipt.tokens.view;
    const picture = (await asPicture.prepare()).receipt.tokens.view;
    // The tokenizer of the OpenAI family finds about 0.8 a character in such runs; a quarter would be three times too few.
    expect(text).toBeGreaterThan(160_000 * 0.6);
    expect(picture).toBeLessThan(1_700);
  });

  it('G04: every kind of content counts, and more of it counts more', async () => {
    const sizeOf = async (...messages: readonly object[]): Promise<number> => {
      const story = new Story(scene, { windowTokens: 1_000_000 }).user('Begin.');
      story.context.append(messages);
      return (await story.prepare()).receipt.tokens.view;
    };
    const input = (chars: number): object => ({ command: 'x '.repeat(chars / 2) });
    const call = (chars: number): object[] => [
      builder.assistant({ calls: [{ id: 'c', name: 'bash', input: input(chars) }] }),
      ...builder.results([{ callId: 'c', text: 'ok' }]),
    ];
    const result = (content: unknown): object[] => [
      builder.assistant({ calls: [{ id: 'c', name: 'bash', input: {} }] }),
      ...builder.results([{ callId: 'c', text: '', content }]),
    ];
    const kinds: Readonly<Record<string, (chars: number) => readonly object[]>> = {
      'words of the user': (chars) => [builder.user('x '.repeat(chars / 2))],
      'words of the model': (chars) => [builder.assistant({ text: 'x '.repeat(chars / 2) }), builder.user('Go on.')],
      thinking: (chars) => [
        builder.assistant({ text: 'So.', thought: 'x '.repeat(chars / 2) }),
        builder.user('Go on.'),
      ],
      'arguments of a call': call,
      'a result': (chars) => result('x '.repeat(chars / 2)),
      'a result of JSON': (chars) => result(JSON.stringify({ rows: Array(chars / 4).fill('x ') })),
      'a result of parts': (chars) => result([{ type: 'text', text: 'x '.repeat(chars / 2) }]),
    };
    for (const [kind, make] of Object.entries(kinds)) {
      const [less, more] = [await sizeOf(...make(4_000)), await sizeOf(...make(8_000))];
      expect(more, kind).toBeGreaterThan(less + 700);
    }
    expect(await sizeOf(builder.user('Look.', 'aGk='))).toBeGreaterThan(1_600);
  });

  it('G05: system and tools count against the window', async () => {
    const story = new Story(still(scene), { writer: sum(), windowTokens: 64_000, maxOutputTokens: 4_000 });
    story.talk(40, 2_000).user('Go on.');
    const small = await story.ask();
    expect(small.receipt.summary).toBeUndefined();
    const request = builder.request([], {
      system: filler('SYSTEM', 160_000),
      toolNames: ['bash', 'recall'],
      maxOutputTokens: 4_000,
    });
    const large = await story.context.prepare(request);
    expect(large.receipt.tokens.head).toBeGreaterThan(40_000);
    expect(large.receipt.summary).toMatchObject({ trigger: 'threshold' });
  });

  it('G08: a model that may reply with its whole window does not compact a small session', async () => {
    const story = new Story(still(scene), { writer: sum(), windowTokens: 1_000_000, maxOutputTokens: 1_000_000 });
    const turn = await story.talk(36, 2_000).user('Go on.').ask();
    expect(turn.receipt.tokens.view).toBeGreaterThan(17_000);
    expect(turn.receipt.summary).toBeUndefined();
    expect(turn.receipt.window.actTokens).toBeGreaterThan(18_000);
  });

  it('G13: a provider that counts 1.4 times as much is met within 5 % after three turns', async () => {
    const count = estimateTokens;
    const story = new Story(scene, { policy: { ...scene.policy, count }, count, windowTokens: 200_000 });
    const billed = (request: object): number =>
      Math.round(estimateTokens(JSON.stringify(builder.codec.messages(request))) * 1.4) + 100;
    for (let turn = 1; turn <= 3; turn += 1) {
      story.user(filler(`Turn ${turn}`, 8_000));
      const asked = await story.ask();
      await story.settle(asked, { text: filler('Answer', 2_000), usageTokens: billed(asked.request) });
    }
    const next = await story.user(filler('Next', 8_000)).ask();
    const error = next.receipt.tokens.calibrated / billed(next.request) - 1;
    expect(Math.abs(error)).toBeLessThan(0.05);
  });

  it('G14: one message more is one message to count', async () => {
    let chars = 0;
    const count = (text: string): number => {
      chars += text.length;
      return Math.ceil(text.length / 4);
    };
    const policy = { ...scene.policy, count, layers: [] };
    const story = new Story(scene, { policy, count, windowTokens: 2_000_000 }).talk(10_001, 300);
    await (await story.prepare()).accept(builder.reply({ text: 'Done.' }));
    chars = 0;
    story.user(filler('one more', 500));
    await story.prepare();
    expect(chars).toBeGreaterThanOrEqual(500);
    expect(chars).toBeLessThan(2_000);
  });
});

describe('kind 5, thresholds and counters', () => {
  it('G07: every script is counted near the truth, and no text loses tokens when more is appended', () => {
    expect(SAMPLES.length).toBeGreaterThan(8);
    for (const { kind, text, tokens } of SAMPLES) {
      const ratio = estimateTokens(text) / tokens;
      expect(ratio, kind).toBeGreaterThan(0.8);
      expect(ratio, kind).toBeLessThan(1.6);
    }
    const mixed = ['plain words ', '漢字', 'かな', '한국어', '𠮷野', '🙂👍🏽', ' tail'];
    const growing = mixed.map((_, index) => estimateTokens(mixed.slice(0, index + 1).join('')));
    expect(growing).toEqual(growing.toSorted((a, b) => a - b));
  });

  it('G09: from the smallest window to the largest, for any wish of output, a threshold stands between nothing and the window', () => {
    const windows = Array.from({ length: 20 }, (_, index) => Math.min(2_000_000, Math.ceil(4_000 * 1.4 ** index)));
    expect(windows.at(-1)).toBe(2_000_000);
    for (const rule of RULES)
      for (const windowTokens of windows)
        for (const maxOutputTokens of [1, 500, 4_096, 32_000, windowTokens, 2_000_000]) {
          const { actTokens, blockTokens, effectiveTokens } = windowOf({ windowTokens, maxOutputTokens }, rule);
          const named = `${windowTokens} with ${maxOutputTokens}`;
          expect(actTokens, named).toBeGreaterThan(0);
          expect(blockTokens, named).toBeGreaterThan(actTokens);
          expect(effectiveTokens, named).toBeLessThan(windowTokens);
          // The plain rule sets aside what the reply may take, up to a quarter of the window.
          const reserve = Math.min(maxOutputTokens, Math.floor(windowTokens / 4), rule.outputReserveTokens);
          expect(rule !== CLASSIC_WINDOW || actTokens + reserve < windowTokens, named).toBe(true);
        }
  });

  it('G10: at a window of 64,000 the threshold is below it', () => {
    expect(windowOf({ windowTokens: 64_000, maxOutputTokens: 4_000 }, CLASSIC_WINDOW).actTokens).toBe(55_840);
    expect(windowOf({ windowTokens: 64_000, maxOutputTokens: 64_000 }, CLASSIC_WINDOW).actTokens).toBe(43_840);
  });

  it('G12: words that mean something to a tokenizer are only words', () => {
    const guarded = guardedCounter(countTokens);
    const words = [
      '<|endoftext|>',
      '<|im_start|>',
      '<|im_end|>',
      '<|fim_prefix|>',
      '<|endofprompt|>',
      '<s>',
      '[INST]',
      '<｜begin▁of▁sentence｜>',
    ];
    for (const word of words) {
      expect(guarded(`a ${word} b`), word).toBeGreaterThan(1);
      expect(estimateTokens(`a ${word} b`), word).toBeGreaterThan(1);
    }
  });

  it.each(SCENES)('G12: a session that speaks of them goes on, $name', async (scene) => {
    const counter = guardedCounter(countTokens);
    const policy = { ...scene.policy, count: counter };
    const story = new Story(scene, { policy, count: counter })
      .user('What is <|endoftext|>?')
      .round('<|im_start|> system');
    await story.say({ text: 'It is <|endoftext|>.' });
    expect(story.context.gauge()?.tokens).toBeGreaterThan(10);
  });
});
