import { describe, expect, it } from 'vitest';
import { CLAUDE_CODE_WINDOW, windowOf } from '../../src/core/window.ts';
import { MODEL_ROWS } from '../../src/providers/model-facts.data.ts';
import { costOf, modelFacts } from '../../src/providers/model-facts.ts';

const usage = (inputTokens: number, cacheReadTokens = 0, cacheWriteTokens = 0, outputTokens = 0) => ({
  inputTokens,
  cacheReadTokens,
  cacheWriteTokens,
  outputTokens,
});

describe('modelFacts', () => {
  it.each([
    ['claude-sonnet-4-5-20250929', 200_000, 64_000, 'budget'],
    ['anthropic/claude-opus-4.6', 1_000_000, 128_000, 'adaptive'],
    ['openrouter/anthropic/Claude-Haiku-5.5', 1_000_000, 128_000, 'adaptive'],
    ['us.anthropic.claude-opus-5', 1_000_000, 128_000, 'adaptive'],
    ['claude-fable-5-2[1m]', 1_000_000, 128_000, 'adaptive'],
    ['gpt-5', 400_000, 128_000, 'effort'],
    ['gpt-5.4', 1_050_000, 128_000, 'effort'],
    ['gpt-5.4-mini', 400_000, 128_000, 'effort'],
    ['gpt-4o-2024-11-20', 128_000, 16_384, 'none'],
    ['deepseek-v4-pro', 1_000_000, 384_000, 'effort'],
  ])('knows %s', (id, windowTokens, maxOutputTokens, thinking) => {
    const facts = modelFacts(id);
    expect(facts).toMatchObject({ id, windowTokens, maxOutputTokens, thinking, isAssumed: false });
    expect(facts.source).toMatch(/^https:/);
    expect(facts.asOf).toMatch(/^2026-\d\d-\d\d$/);
  });

  it('takes the longest beginning, at a border of the name', () => {
    expect(modelFacts('gpt-5.6-luna').price?.inputUsd).toBe(0.2);
    expect(modelFacts('gpt-4.1-mini').price?.inputUsd).toBe(0.4);
    // Not gpt-4.1 with something behind it.
    expect(modelFacts('gpt-4-1106-preview')).toMatchObject({ windowTokens: 128_000, source: 'none: unknown model' });
    expect(modelFacts('gpt-4omni')).toMatchObject({ source: 'none: unknown model' });
  });

  it('guesses a relative without its price and its rules', () => {
    const next = modelFacts('claude-opus-5-9');
    expect(next).toMatchObject({ windowTokens: 1_000_000, isAssumed: true });
    expect(next.price).toBeUndefined();
    expect(next.reasoningBinding).toBeUndefined();
    expect(modelFacts('claude-opus-5').reasoningBinding).toBe('none');
    expect(modelFacts('us.anthropic.claude-opus-5').price).toBeUndefined();
    expect(modelFacts('gpt-6-astra-fast').price).toBeUndefined();
    expect(modelFacts('claude-something-new')).toMatchObject({ windowTokens: 200_000, isAssumed: true });
    expect(modelFacts('gemini-9-pro')).toMatchObject({ windowTokens: 1_048_576, isAssumed: true });
  });

  it('guesses 128,000 tokens of a model nobody knows', () => {
    expect(modelFacts('my-own-model')).toEqual({
      id: 'my-own-model',
      windowTokens: 128_000,
      maxOutputTokens: 16_384,
      thinking: 'none',
      cacheTtlMs: 300_000,
      source: 'none: unknown model',
      asOf: '',
      isAssumed: true,
    });
    expect(modelFacts('').isAssumed).toBe(true);
    expect(modelFacts('constructor').windowTokens).toBe(128_000);
  });

  it('says so where only the output limit is a guess', () => {
    expect(modelFacts('grok-4.6')).toMatchObject({ windowTokens: 500_000, maxOutputTokens: 16_384, isAssumed: true });
  });

  it('lets the user win, and says so', () => {
    const facts = modelFacts('my-own-model', { windowTokens: 32_768, thinking: undefined });
    expect(facts).toMatchObject({ windowTokens: 32_768, thinking: 'none', isAssumed: false });
    expect(facts.source).toBe('none: unknown model; set by the user: windowTokens');
    expect(modelFacts('gpt-4o', { price: { inputUsd: 1, outputUsd: 2 } }).price).toEqual({ inputUsd: 1, outputUsd: 2 });
  });

  it('tells bound reasoning apart', () => {
    const bindings = ['claude-fable-5-1', 'claude-sonnet-5-5', 'claude-sonnet-5', 'gpt-6.2-sol', 'gpt-5.5', 'kimi-k3'];
    expect(bindings.map((id) => modelFacts(id).reasoningBinding)).toEqual([
      'reject',
      'reject',
      'none',
      'drop',
      'none',
      undefined,
    ]);
  });
});

describe('the data', () => {
  it('names every model once', () => {
    const ids = MODEL_ROWS.flatMap((row) => row.ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(MODEL_ROWS.map((row) => [row.ids[0] ?? '', row] as const))('%s can be worked with', (_, row) => {
    const model = { windowTokens: row.windowTokens, maxOutputTokens: row.maxOutputTokens ?? 16_384 };
    expect(windowOf(model, CLAUDE_CODE_WINDOW).warnTokens).toBeGreaterThan(0);
    expect(row.source).toMatch(/^https:\/\//);
    expect(row.asOf).toMatch(/^2026-\d\d-\d\d$/);
    const { price } = row;
    if (price === undefined) return;
    expect(price.outputUsd).toBeGreaterThan(price.inputUsd);
    expect(price.cacheReadUsd ?? 0).toBeLessThan(price.inputUsd);
  });
});

describe('costOf', () => {
  it('splits input as billed into fresh, read and written', () => {
    const cost = costOf(usage(1_000_000, 600_000, 300_000, 100_000), modelFacts('claude-opus-5'));
    expect(cost).toEqual({ inputUsd: 0.5, cacheReadUsd: 0.3, cacheWriteUsd: 1.875, outputUsd: 2.5, totalUsd: 5.175 });
  });

  it('bills a write by the life it is given', () => {
    const hour = modelFacts('claude-opus-5', { cacheTtlMs: 3_600_000 });
    expect(costOf(usage(100_000, 0, 100_000), hour)?.cacheWriteUsd).toBe(1);
    expect(costOf(usage(100_000, 0, 100_000), modelFacts('gpt-6.2-sol'))?.cacheWriteUsd).toBe(0.25);
    const halfDay = modelFacts('gpt-6.2-sol', { cacheTtlMs: 43_200_000 });
    expect(costOf(usage(100_000, 0, 100_000), halfDay)?.cacheWriteUsd).toBe(0.5);
  });

  it('bills the whole request by the cliff it is over', () => {
    const haiku = modelFacts('claude-haiku-5-5');
    expect(costOf(usage(100_000, 0, 0, 1_000), haiku)?.totalUsd).toBeCloseTo(0.0105, 10);
    expect(costOf(usage(100_001, 100_001, 0, 1_000), haiku)).toMatchObject({ outputUsd: 0.0025 });
    expect(costOf(usage(200_000, 0, 100_000, 0), haiku)?.cacheWriteUsd).toBe(0.0625);
    const sol = modelFacts('gpt-5.6-sol');
    expect(costOf(usage(272_000, 0, 0, 10_000), sol)).toMatchObject({ inputUsd: 1.36, outputUsd: 0.3 });
    expect(costOf(usage(272_001, 72_001, 0, 10_000), sol)).toMatchObject({ inputUsd: 2, outputUsd: 0.45 });
  });

  it('takes reads and writes for input where a provider gives no price of their own', () => {
    const cost = costOf(usage(1_000_000, 400_000, 100_000), modelFacts('x', { price: { inputUsd: 2, outputUsd: 8 } }));
    expect(cost).toEqual({ inputUsd: 1, cacheReadUsd: 0.8, cacheWriteUsd: 0.2, outputUsd: 0, totalUsd: 2 });
  });

  it('says nothing where no price is known', () => {
    expect(costOf(usage(1_000), modelFacts('gpt-5.3'))).toBeUndefined();
  });

  it('never bills less than nothing for usage that does not add up', () => {
    expect(costOf(usage(100, 90, 90), modelFacts('claude-opus-5'))?.inputUsd).toBe(0);
  });
});
