import { expect, it } from 'vitest';
import { wasCutByCap } from '../../src/index.ts';

it.each([
  [1_000, 1_000, true],
  [950, 1_000, true],
  [949, 1_000, false],
  [0, 1_000, false],
])('%i of %i output tokens: cut by the cap is %s', (outputTokens, cap, expected) => {
  expect(wasCutByCap({ outputTokens }, cap)).toBe(expected);
});

it('a reply without usage is taken for one cut by its cap', () => {
  expect(wasCutByCap(undefined, 1_000)).toBe(true);
});
