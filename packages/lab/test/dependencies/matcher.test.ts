import fc from 'fast-check';
import { expect, it } from 'vitest';
import { StringMatcher } from '../../src/dependencies/matcher.ts';

it('finds strings inside, at the ends of and behind each other', () => {
  const matcher = new StringMatcher(['he', 'she', 'hers', 'his', 'rs']);
  expect([...matcher.matches('ushers')].sort()).toEqual([0, 1, 2, 4]);
  expect(matcher.matches('h e')).toEqual([]);
  // A scan knows nothing of the one before.
  expect(matcher.matches('he')).toEqual([0]);
});

it('finds exactly what a search for each string finds', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(
      fc.uniqueArray(letters, { maxLength: 12 }),
      fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é') }), { maxLength: 4 }),
      (strings, texts) => {
        const matcher = new StringMatcher(strings);
        for (const text of texts) {
          const expected = strings.flatMap((string, index) => (text.includes(string) ? [index] : []));
          expect([...matcher.matches(text)].sort((a, b) => a - b)).toEqual(expected);
        }
      },
    ),
  );
});
