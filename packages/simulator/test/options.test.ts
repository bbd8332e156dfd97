import { expect, it } from 'vitest';
import { createSimulator, DEFAULT_SIMULATOR, SimulatorError, type SimulatorOptions } from '../src/index.ts';
import { windowOf } from '../src/options.ts';
import { yes } from './support.ts';

it.each([
  [{ windowTokens: 0 }, 'windowTokens is 0; use a whole number from 1'],
  [{ windowTokens: { a: -1 } }, 'windowTokens["a"] is -1; use a whole number from 1'],
  [{ cacheTtlMs: 0.5 }, 'cacheTtlMs is 0.5; use a whole number from 1'],
  [{ port: 70_000 }, 'port is 70000; use a whole number from 0 to 65535'],
  [{ latencyMs: Number.NaN }, 'latencyMs is NaN'],
  [{ host: '0.0.0.0' }, 'host is "0.0.0.0"; use a loopback address, or set allowRemote'],
  [{ countTokens: 4 as never }, 'countTokens is no function'],
  [{ brain: {} }, 'brain has no reply function'],
  [{ faults: [{ kind: 'nope' }] }, 'fault.kind is "nope"'],
] as [Partial<SimulatorOptions>, string][])('refuses %j', async (options, message) => {
  const go = createSimulator({ brain: yes, ...options });
  await expect(go).rejects.toBeInstanceOf(SimulatorError);
  await expect(go).rejects.toMatchObject({ code: 'invalid_option', message: expect.stringContaining(message) });
});

it('has the documented defaults', () => {
  expect(DEFAULT_SIMULATOR).toMatchObject({
    windowTokens: 200_000,
    cacheTtlMs: 300_000,
    minimumCacheTokens: 1024,
    port: 0,
    host: '127.0.0.1',
    allowRemote: false,
    latencyMs: 0,
    keepRequests: 1000,
    maxBodyBytes: 33_554_432,
  });
});

it('finds the window of a model', () => {
  expect(windowOf({ windowTokens: 5 }, 'a')).toBe(5);
  expect(windowOf({ windowTokens: { a: 6, '*': 7 } }, 'a')).toBe(6);
  expect(windowOf({ windowTokens: { a: 6, '*': 7 } }, 'b')).toBe(7);
  expect(windowOf({ windowTokens: { a: 6 } }, 'constructor')).toBe(200_000);
});

it('rejects when the port is taken', async () => {
  const first = await createSimulator({ brain: yes });
  const port = Number(new URL(first.url).port);
  await expect(createSimulator({ brain: yes, port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await first.close();
});
