import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codePointTokens, estimateTokens } from '../../src/core/estimate.ts';
import { SAMPLES } from './estimate-samples.ts';

/** A kilobyte is a small sample: single texts may be off by this share, all of them together by much less. */
const SAMPLE_TOLERANCE = 0.1;
const SUM_TOLERANCE = 0.03;

/** Characters on both sides of every cut the scanner makes. */
const character: fc.Arbitrary<string> = fc.constantFrom(
  ...'abzABZ019 \t\n\r.,/\\-_=+(){}\'"#éßЖіыα漢字かカ한مअக→─🙂\u3000\u00a0\ud800\udc00\u2028',
);
const text: fc.Arbitrary<string> = fc.oneof(
  fc.array(character, { maxLength: 60 }).map((characters) => characters.join('')),
  fc.array(fc.tuple(character, fc.integer({ min: 1, max: 40 })), { maxLength: 8 }).map(repeatEach),
  fc.string({ unit: 'binary', maxLength: 60 }),
);

function repeatEach(runs: readonly (readonly [string, number])[]): string {
  return runs.map(([character, times]) => character.repeat(times)).join('');
}

describe('estimateTokens', () => {
  it.each(SAMPLES)('is near the exact count: $kind', ({ text, tokens }) => {
    expect(Math.abs(estimateTokens(text) / tokens - 1)).toBeLessThanOrEqual(SAMPLE_TOLERANCE);
  });

  it('is nearer still over all kinds together', () => {
    const exact = SAMPLES.reduce((sum, sample) => sum + sample.tokens, 0);
    const estimated = SAMPLES.reduce((sum, sample) => sum + estimateTokens(sample.text), 0);
    expect(Math.abs(estimated / exact - 1)).toBeLessThanOrEqual(SUM_TOLERANCE);
  });

  it('never falls when text is appended', () => {
    fc.assert(
      fc.property(text, text, (head, tail) => {
        expect(estimateTokens(head + tail)).toBeGreaterThanOrEqual(estimateTokens(head));
      }),
      { numRuns: 20_000 },
    );
  });

  it('never falls along any text, character by character', () => {
    fc.assert(
      fc.property(text, (whole) => {
        let last = 0;
        for (let end = 0; end <= whole.length; end++) {
          const tokens = estimateTokens(whole.slice(0, end));
          expect(tokens).toBeGreaterThanOrEqual(last);
          last = tokens;
        }
      }),
      { numRuns: 5_000 },
    );
  });

  it('is a whole number, at least 1 for any text and 0 for none', () => {
    expect(estimateTokens('')).toBe(0);
    fc.assert(
      fc.property(text, (whole) => {
        const tokens = estimateTokens(whole);
        expect(Number.isInteger(tokens)).toBe(true);
        expect(tokens).toBeGreaterThanOrEqual(whole.length === 0 ? 0 : 1);
      }),
    );
  });

  it('stays linear on a megabyte of one letter', () => {
    expect(estimateTokens('a'.repeat(1_000_000))).toBeGreaterThan(100_000);
  });
});

describe('codePointTokens', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['abcd', 1],
    ['abcde', 2],
    ['🙂🙂🙂🙂', 1],
    ['\ud800\ud800\udc00\udc00', 1],
    ['\udc00\ud800a', 1],
    ['漢'.repeat(8), 2],
  ])('counts %j as %i', (whole, tokens) => {
    expect(codePointTokens(whole)).toBe(tokens);
  });

  it('equals the definition for every string', () => {
    fc.assert(
      fc.property(text, (whole) => {
        expect(codePointTokens(whole)).toBe(Math.ceil([...whole].length / 4));
      }),
    );
  });
});
