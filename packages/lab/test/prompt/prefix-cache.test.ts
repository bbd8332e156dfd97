import { expect, it } from 'vitest';
import { PrefixCache } from '../../src/prompt/prefix-cache.ts';

const block = (id: number): { id: number; tokens: number; text: string } => ({ id, tokens: 1, text: '' });
const prompt = (...ids: readonly number[]): ReturnType<typeof block>[] => ids.map(block);

it('reads what any earlier prompt began with', () => {
  const cache = new PrefixCache(100);
  expect(cache.send(prompt(1, 2, 3), 0)).toBe(0);
  expect(cache.send(prompt(1, 9), 10)).toBe(1);
  expect(cache.send(prompt(1, 2, 3, 4), 20)).toBe(3);
});

it('forgets an entry its life after it was last read, and not before', () => {
  const cache = new PrefixCache(100);
  cache.send(prompt(1, 2, 3), 0);
  expect(cache.send(prompt(1, 2), 100)).toBe(2);
  expect(cache.send(prompt(1, 2, 3), 150)).toBe(2);
  expect(cache.send(prompt(1, 2, 3), 251)).toBe(0);
});
