import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestValue, RangeDigests, wordsOf } from '../../src/core/digest.ts';

const digest = digestValue;

describe('digest of a value', () => {
  it('does not see key order nor members that are undefined', () => {
    expect(digest({ a: 1, b: [true, null] })).toBe(digest({ b: [true, null], c: undefined, a: 1 }));
  });

  it.each([
    ['order in a list', [1, 2], [2, 1]],
    ['a number and its text', 1, '1'],
    ['null and nothing', { a: null }, {}],
    ['true and false', true, false],
    ['the border between texts', ['ab', 'c'], ['a', 'bc']],
    ['nesting', [[1], 2], [[1, 2]]],
    ['an empty list and an empty object', [], {}],
    ['lone surrogates', '\ud83d', '\udc00'],
    ['composed and decomposed', '\u00e9', 'e\u0301'],
  ])('tells apart %s', (_, one, other) => {
    expect(digest(one)).not.toBe(digest(other));
  });

  it('has no collision over 100,000 short texts', () => {
    const seen = new Set(Array.from({ length: 100_000 }, (_, index) => digest(`message ${index}`)));
    expect(seen.size).toBe(100_000);
  });

  it('is what it always was: session files name it', () => {
    expect(digest({ role: 'user', content: [{ type: 'text', text: 'Grüße, 世界' }] })).toBe('bc3d18a6ba349715');
    expect(digest({ z: [1.5, true, null, ''], a: { b: 'c' } })).toBe('23f3bf015842035d');
  });

  it('counts the characters of the JSON, escapes aside', () => {
    const value = { role: 'user', n: 12.5, list: [1, true, false, null, 'x', {}, []], nested: { a: 'b' } };
    expect(wordsOf(value).bytes).toBe(JSON.stringify(value).length);
  });
});

describe('range digests', () => {
  it('of equal ranges are equal wherever they stand', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string(), { minLength: 1, maxLength: 30 }),
        fc.array(fc.string(), { maxLength: 30 }),
        (range, before) => {
          const [one, other] = [new RangeDigests(), new RangeDigests()];
          for (const text of range) one.append(wordsOf(text));
          for (const text of [...before, ...range]) other.append(wordsOf(text));
          expect(other.range(before.length, before.length + range.length)).toBe(one.range(0, range.length));
        },
      ),
    );
  });

  it('see order, length and every entry', () => {
    const of = (...texts: string[]): string => {
      const digests = new RangeDigests();
      for (const text of texts) digests.append(wordsOf(text));
      return digests.range(0, texts.length);
    };
    expect(new Set([of('a', 'b'), of('b', 'a'), of('a'), of('a', 'b', 'b'), of('a', 'c'), of()]).size).toBe(6);
  });
});
