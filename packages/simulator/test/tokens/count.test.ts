import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, it } from 'vitest';
import { loadTokenCounter } from '../../src/index.ts';
import { words } from '../support.ts';

const count = await loadTokenCounter();

it('agrees with the tokenizer on ordinary text', () => {
  const text = `${words(500)}\n\nfunction f() { return "ünïcode 中文"; }\n`.repeat(3);
  expect(count(text)).toBe(countTokens(text));
  expect(count('')).toBe(0);
});

it.each([
  ['letters', 'a'],
  ['spaces', ' '],
  ['digits', '7'],
  ['Chinese', '上'],
  ['emoji', '🙂'],
  ['lines', '\n'],
])('counts a million characters of %s at once', (_name, unit) => {
  const startMs = performance.now();
  expect(count(unit.repeat(1_000_000 / unit.length))).toBeGreaterThan(1000);
  expect(performance.now() - startMs).toBeLessThan(3000);
});

it('takes special tokens, NUL and lone surrogates as content', () => {
  expect(count('<|endoftext|> and \u0000 and \ud800')).toBeGreaterThan(5);
});

it('cuts long runs without losing much', () => {
  const run = Array.from({ length: 400 }, (_, index) => `part${index}`).join('.');
  expect(Math.abs(count(run) - countTokens(run)) / countTokens(run)).toBeLessThan(0.02);
});
