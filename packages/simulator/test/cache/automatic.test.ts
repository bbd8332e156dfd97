import { expect, it } from 'vitest';
import type { Simulator } from '../../src/index.ts';
import { assistant, chat, type Json, start, user, words } from '../support.ts';

async function cached(simulator: Simulator, messages: Json[], extra: Json = {}): Promise<number> {
  return (await chat(simulator, { messages, ...extra })).body.usage.prompt_tokens_details.cached_tokens;
}

const system = { role: 'system', content: words(1500) };

it('reads a shared prefix in steps of 128', async () => {
  const simulator = await start();
  expect(await cached(simulator, [system, user('a')])).toBe(0);
  const read = await cached(simulator, [system, user('b')]);
  expect(read).toBeGreaterThanOrEqual(1024);
  expect(read % 128).toBe(0);
  expect(simulator.totals().cacheReadTokens).toBe(read);
});

it('grows with the conversation', async () => {
  const simulator = await start();
  const first = [system, user('a')];
  await cached(simulator, first);
  const second = [...first, assistant(words(500)), user('b')];
  await cached(simulator, second);
  expect(await cached(simulator, [...second, assistant('c'), user('d')])).toBeGreaterThan(1900);
});

it('reads nothing below 1024 tokens', async () => {
  const simulator = await start();
  const messages = [{ role: 'system', content: words(400) }, user('x')];
  await cached(simulator, messages);
  expect(await cached(simulator, messages)).toBe(0);
});

it('reads up to a change inside a long message', async () => {
  const simulator = await start();
  await cached(simulator, [user(`${words(3000)} one`)]);
  const read = await cached(simulator, [user(`${words(3000)} two`)]);
  expect(read).toBeGreaterThan(2000);
  expect(await cached(simulator, [user(`one ${words(3000)}`)])).toBe(0);
});

it('forgets after the time to live', async () => {
  let nowMs = 0;
  const simulator = await start({ now: () => nowMs, cacheTtlMs: 1000 });
  await cached(simulator, [system, user('a')]);
  nowMs = 999;
  expect(await cached(simulator, [system, user('a')])).toBeGreaterThan(0);
  nowMs += 1000;
  expect(await cached(simulator, [system, user('a')])).toBe(0);
});

it('keeps prompt_cache_key apart', async () => {
  const simulator = await start();
  await cached(simulator, [system, user('a')], { prompt_cache_key: 'one' });
  expect(await cached(simulator, [system, user('a')], { prompt_cache_key: 'two' })).toBe(0);
  expect(await cached(simulator, [system, user('a')], { prompt_cache_key: 'one' })).toBeGreaterThan(0);
});
