import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ContextError } from '../../src/core/errors.ts';
import { CLASSIC_WINDOW, CLAUDE_CODE_WINDOW, scaled, type WindowRule, windowOf } from '../../src/core/window.ts';

const RULES: readonly (readonly [string, WindowRule])[] = [
  ['claude-code', CLAUDE_CODE_WINDOW],
  ['classic', CLASSIC_WINDOW],
];

describe('windowOf', () => {
  it.each([
    // window, max output -> effective, act, warn, block
    [200_000, 32_000, 180_000, 167_000, 147_000, 177_000],
    [200_000, 8_000, 192_000, 179_000, 159_000, 189_000],
    [1_000_000, 64_000, 980_000, 967_000, 947_000, 977_000],
    [128_000, 16_384, 115_200, 106_880, 94_080, 113_280],
    [64_000, 8_192, 57_600, 53_440, 47_040, 56_640],
    [32_000, 8_192, 28_800, 26_720, 23_520, 28_320],
    [24_000, 4_096, 21_600, 20_040, 17_640, 21_240],
    [8_000, 4_096, 7_200, 6_680, 5_880, 7_080],
    [4_000, 4_096, 3_600, 3_340, 2_940, 3_540],
    [4_000, 100, 3_900, 3_640, 3_240, 3_840],
  ])('claude-code: a window of %i with %i output', (windowTokens, maxOutputTokens, effective, act, warn, block) => {
    const window = windowOf({ windowTokens, maxOutputTokens }, CLAUDE_CODE_WINDOW);
    expect(window).toEqual({
      windowTokens,
      effectiveTokens: effective,
      actTokens: act,
      warnTokens: warn,
      blockTokens: block,
      scale: Math.min(1, windowTokens / 200_000),
    });
  });

  it.each([
    [200_000, 32_000, 168_000, 155_000, 135_000, 165_000],
    [1_000_000, 128_000, 872_000, 859_000, 839_000, 869_000],
    [128_000, 16_384, 111_616, 103_296, 90_496, 109_696],
    [32_000, 16_000, 24_000, 21_920, 18_720, 23_520],
    [4_000, 4_096, 3_000, 2_740, 2_340, 2_940],
  ])('classic: a window of %i with %i output', (windowTokens, maxOutputTokens, effective, act, warn, block) => {
    const window = windowOf({ windowTokens, maxOutputTokens }, CLASSIC_WINDOW);
    expect([window.effectiveTokens, window.actTokens, window.warnTokens, window.blockTokens]).toEqual([
      effective,
      act,
      warn,
      block,
    ]);
  });

  it.each(RULES)('%s: keeps its order on every window, whatever the model may reply', (_name, rule) => {
    const windows = fc.oneof(fc.integer({ min: 4_000, max: 2_000_000 }), fc.integer({ min: 4_000, max: 210_000 }));
    const outputs = fc.oneof(fc.integer({ min: 1, max: 2_000_000 }), fc.constantFrom(1, 4_096, 1e15));
    fc.assert(
      fc.property(windows, outputs, (windowTokens, maxOutputTokens) => {
        const { warnTokens, actTokens, blockTokens, effectiveTokens } = windowOf(
          { windowTokens, maxOutputTokens },
          rule,
        );
        const steps = [0, warnTokens, actTokens, blockTokens, effectiveTokens];
        expect(steps.every(Number.isInteger)).toBe(true);
        expect(steps.every((step, index) => index === 0 || step > (steps[index - 1] ?? Infinity))).toBe(true);
        expect(effectiveTokens).toBeLessThanOrEqual(windowTokens);
      }),
      { numRuns: 5_000 },
    );
  });

  it('keeps its order for every rule it accepts', () => {
    const rules = fc.record({
      outputReserveTokens: fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 2_000_000 })),
      actBufferTokens: fc.integer({ min: 100, max: 50_000 }),
      warnBufferTokens: fc.integer({ min: 1, max: 50_000 }),
      blockBufferTokens: fc.constant(1),
    });
    const windows = fc.oneof(fc.integer({ min: 4_000, max: 2_000_000 }), fc.integer({ min: 4_000, max: 5_000 }));
    fc.assert(
      fc.property(windows, rules, fc.nat(99), (windowTokens, rule, percent) => {
        const blockBufferTokens = 1 + Math.floor(((rule.actBufferTokens - 2) * percent) / 99);
        const window = windowOf({ windowTokens, maxOutputTokens: 1_000_000 }, { ...rule, blockBufferTokens });
        expect(window.warnTokens).toBeGreaterThan(0);
        expect(window.actTokens).toBeGreaterThan(window.warnTokens);
        expect(window.blockTokens).toBeGreaterThan(window.actTokens);
        expect(window.effectiveTokens).toBeGreaterThan(window.blockTokens);
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([
    [{ windowTokens: 3_999, maxOutputTokens: 1 }, CLASSIC_WINDOW, 'windowTokens must be a whole number from 4000'],
    [{ windowTokens: 2_000_001, maxOutputTokens: 1 }, CLASSIC_WINDOW, 'to 2000000, got 2000001'],
    [{ windowTokens: Number.NaN, maxOutputTokens: 1 }, CLASSIC_WINDOW, 'got NaN'],
    [{ windowTokens: 8_000.5, maxOutputTokens: 1 }, CLASSIC_WINDOW, 'got 8000.5'],
    [{ windowTokens: 8_000, maxOutputTokens: 0 }, CLASSIC_WINDOW, 'maxOutputTokens'],
    [
      { windowTokens: 8_000, maxOutputTokens: 1 },
      { ...CLASSIC_WINDOW, blockBufferTokens: 13_000 },
      'blockBufferTokens',
    ],
    [{ windowTokens: 8_000, maxOutputTokens: 1 }, { ...CLASSIC_WINDOW, actBufferTokens: 99 }, 'actBufferTokens'],
    [{ windowTokens: 8_000, maxOutputTokens: 1 }, { ...CLASSIC_WINDOW, warnBufferTokens: -1 }, 'warnBufferTokens'],
    [{ windowTokens: 8_000, maxOutputTokens: 1 }, { ...CLASSIC_WINDOW, outputReserveTokens: 0 }, 'outputReserveTokens'],
  ])('refuses what it cannot honour (case %#)', (model, rule, text) => {
    const call = (): unknown => windowOf(model, rule);
    expect(call).toThrow(ContextError);
    expect(call).toThrow(expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringContaining(text) }));
  });
});

describe('scaled', () => {
  it.each([
    [50_000, 200_000, 50_000],
    [50_000, 1_000_000, 50_000],
    [50_000, 100_000, 25_000],
    [120, 4_000, 2],
    [3, 4_000, 1],
    [0, 200_000, 1],
  ])('%i on a window of %i is %i', (value, windowTokens, expected) => {
    expect(scaled(value, windowTokens)).toBe(expected);
  });
});
