import fc from 'fast-check';
import { countTokens, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { isWellFormed } from '../../src/core/archive.ts';
import { estimateTokens } from '../../src/core/estimate.ts';
import { guardedCounter } from '../../src/encoders/guard.ts';
import { SAMPLES } from '../core/estimate-samples.ts';

setMergeCacheSize(1_000);
const raw = (text: string): number => countTokens(text, { disallowedSpecial: new Set() });

/** Counts chars, and remembers each text it was asked for. */
function recorder(): { asked: string[]; count: (text: string) => number } {
  const asked: string[] = [];
  return { asked, count: (text) => asked.push(text) && text.length };
}

describe('guardedCounter', () => {
  it.each(SAMPLES)('equals the raw counter on ordinary text: $kind', ({ text, tokens }) => {
    expect(guardedCounter(raw)(text)).toBe(tokens);
  });

  it('equals the raw counter on any mix of short runs', () => {
    const guarded = guardedCounter(raw);
    const run = fc
      .tuple(fc.constantFrom(...'aÉ漢7 \t\n.-|🙂'), fc.integer({ min: 1, max: 12 }))
      .map(([character, times]) => character.repeat(times));
    fc.assert(
      fc.property(fc.array(run, { maxLength: 12 }), (runs) => {
        const text = `x${runs.join(' ')}`;
        expect(guarded(text)).toBe(raw(text));
      }),
      { numRuns: 500 },
    );
  });

  it.each(['a', '7', ' ', '\n', '-', '/\n', ' \n', '!\n', 'aé', '漢', '🙂', '\ud800', 'a🙂', '\u0301', 'aB', '"'])(
    'counts a megabyte of %j quickly and nearly right',
    (unit) => {
      const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
      const startMs = performance.now();
      const tokens = guardedCounter(raw)(text);
      // A liveness bound with room for a busy machine: uncut, these take minutes.
      expect(performance.now() - startMs).toBeLessThan(5_000);
      const small = unit.repeat(Math.ceil(4_800 / unit.length));
      expect(tokens / text.length).toBeCloseTo(raw(small) / small.length, 1);
    },
    20_000,
  );

  it.each(['7', 'a', '-'])('is within a token per piece of the raw counter on a run of %j', (unit) => {
    const text = `before ${unit.repeat(2_000)} after`;
    expect(Math.abs(guardedCounter(raw)(text) - raw(text))).toBeLessThanOrEqual(8);
  });

  it('estimates, and says so, where the counter throws on a special token', () => {
    const errors: unknown[] = [];
    const guarded = guardedCounter((text) => countTokens(text), { onFallback: (error) => errors.push(error) });
    const text = 'the file ends with <|endoftext|>, literally';
    expect(guarded(text)).toBe(estimateTokens(text));
    expect(errors).toHaveLength(1);
    expect(errors[0]).toBeInstanceOf(Error);
    expect(guardedCounter(raw)(text)).toBe(raw(text));
  });

  it.each([Number.NaN, -1])('estimates where the counter returns %d', (result) => {
    expect(guardedCounter(() => result)('some text')).toBe(estimateTokens('some text'));
  });

  it('never cuts inside a surrogate pair and never loses a char', () => {
    const { asked, count } = recorder();
    const text = `a${'🙂'.repeat(2_000)}b`;
    expect(guardedCounter(count)(text)).toBe(text.length);
    expect(asked.length).toBeGreaterThan(1);
    expect(asked.join('')).toBe(text);
    expect(asked.every(isWellFormed)).toBe(true);
    expect(Math.max(...asked.map((part) => part.length))).toBeLessThanOrEqual(257);
  });

  it('counts a long text once, and again after it was pushed out', () => {
    const { asked, count } = recorder();
    const guarded = guardedCounter(count, { memoMinChars: 10, memoMaxChars: 50 });
    const texts = ['one two three four', 'five six seven eight'];
    for (const text of [...texts, ...texts]) guarded(text);
    expect(asked).toEqual(texts);
    guarded('nine ten eleven twelve');
    guarded(texts[1] as string);
    expect(asked).toHaveLength(3);
    guarded(texts[0] as string);
    expect(asked).toHaveLength(4);
  });

  it('does not remember short texts, texts over the whole bound, or estimates', () => {
    const { asked, count } = recorder();
    const guarded = guardedCounter(count, { memoMinChars: 10, memoMaxChars: 50 });
    for (const text of ['short', 'short', 'word '.repeat(20), 'word '.repeat(20)]) guarded(text);
    expect(asked).toHaveLength(4);
    let calls = 0;
    const failing = guardedCounter(
      () => {
        calls++;
        throw new Error('no');
      },
      { memoMinChars: 1 },
    );
    failing('a text');
    failing('a text');
    expect(calls).toBe(2);
  });

  it('counts the empty text as nothing without asking', () => {
    const { asked, count } = recorder();
    expect(guardedCounter(count)('')).toBe(0);
    expect(asked).toEqual([]);
  });
});
