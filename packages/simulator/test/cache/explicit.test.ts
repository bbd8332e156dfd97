import { describe, expect, it } from 'vitest';
import type { Simulator } from '../../src/index.ts';
import { ask, assistant, call, type Json, result, start, text, user, words } from '../support.ts';

const mark = { cache_control: { type: 'ephemeral' } };
const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const long = (seed: string, extra: Json = {}): Json => text(words(900, seed), extra);

interface Numbers {
  read: number;
  write: number;
  rest: number;
}

async function usage(simulator: Simulator, body: Json): Promise<Numbers> {
  const { usage: wire } = (await ask(simulator, body)).body;
  return { read: wire.cache_read_input_tokens, write: wire.cache_creation_input_tokens, rest: wire.input_tokens };
}

/** The usage of the last of these requests, on a fresh simulator. */
async function lastOf(...bodies: Json[]): Promise<Numbers> {
  const simulator = await start();
  let last: Numbers = { read: 0, write: 0, rest: 0 };
  for (const body of bodies) last = await usage(simulator, body);
  return last;
}

describe('explicit breakpoints', () => {
  it('write once, then read; the three numbers add up to the prompt', async () => {
    const simulator = await start();
    const body = { system: [long('s', mark)], messages: [user('hello')] };
    const first = await usage(simulator, body);
    const second = await usage(simulator, body);
    expect(first.read).toBe(0);
    expect(first.write).toBeGreaterThan(1024);
    expect(second).toEqual({ read: first.write, write: 0, rest: first.rest });
    const [record] = simulator.requests;
    expect(first.read + first.write + first.rest).toBe(record?.usage?.inputTokens);
    expect(simulator.totals()).toMatchObject({
      requests: 2,
      cacheReadTokens: first.write,
      cacheWriteTokens: first.write,
    });
  });

  it('cache nothing without a breakpoint', async () => {
    const body = { system: [long('s')], messages: [user('x')] };
    expect(await lastOf(body, body)).toMatchObject({ read: 0, write: 0 });
  });

  it('cache nothing below the minimum', async () => {
    const body = { system: [text(words(300), mark)], messages: [user('x')] };
    expect(await lastOf(body, body)).toMatchObject({ read: 0, write: 0 });
    const simulator = await start({ minimumCacheTokens: 100 });
    await usage(simulator, body);
    expect((await usage(simulator, body)).read).toBeGreaterThan(300);
  });

  it('read what an earlier breakpoint wrote and write only what is new', async () => {
    const simulator = await start();
    const first = await usage(simulator, { system: [long('s', mark)], messages: [user('x')] });
    const grown = await usage(simulator, { system: [long('s', mark)], messages: [user([long('m', mark)]), user('x')] });
    expect(grown.read).toBe(first.write);
    expect(grown.write).toBeGreaterThan(1000);
  });

  it('follow tools, system, messages: a changed tool loses everything', async () => {
    const tool = (description: string): Json => ({ name: 'a', description, input_schema: { type: 'object' } });
    const body = (description: string): Json => ({
      tools: [tool(description)],
      system: [long('s', mark)],
      messages: [user('x')],
    });
    expect((await lastOf(body('one'), body('one'))).read).toBeGreaterThan(1000);
    expect((await lastOf(body('one'), body('two'))).read).toBe(0);
  });

  it('lose the messages, not the system prompt, when tool_choice changes', async () => {
    const body = (choice: string): Json => ({
      tools: [{ name: 'a', input_schema: { type: 'object' } }],
      tool_choice: { type: choice },
      system: [long('s', mark)],
      messages: [user([long('m', mark)])],
    });
    const same = await lastOf(body('auto'), body('auto'));
    const other = await lastOf(body('auto'), body('any'));
    expect(same.write).toBe(0);
    expect(other.read).toBeGreaterThan(1000);
    expect(other.write).toBeGreaterThan(1000);
  });

  it('do not depend on key order, cache_control or the form of content', async () => {
    const simulator = await start();
    const one = {
      system: [long('s', mark)],
      messages: [user(words(900)), assistant([call('a', 'ls', { x: 1, y: 2 })]), user([{ ...result('a'), ...mark }])],
    };
    const two = {
      system: [long('s')],
      messages: [
        user([text(words(900))]),
        assistant([call('a', 'ls', { y: 2, x: 1 })]),
        user([{ ...mark, ...result('a') }]),
      ],
    };
    const written = await usage(simulator, one);
    expect((await usage(simulator, two)).read).toBe(written.write);
  });

  it('keep models apart', async () => {
    const body = { system: [long('s', mark)], messages: [user('x')] };
    expect((await lastOf(body, { ...body, model: 'other' })).read).toBe(0);
  });

  it('take a top-level cache_control as a mark on the last block', async () => {
    const simulator = await start();
    const messages = [user(words(900))];
    const first = await usage(simulator, { messages, ...mark });
    expect(first).toMatchObject({ rest: 0, read: 0 });
    const next = await usage(simulator, { messages: [...messages, assistant('ok'), user('more')], ...mark });
    expect(next.read).toBe(first.write);
    expect(next.rest).toBe(0);
  });
});

describe('look-back', () => {
  const blocks = (count: number): Json[] => Array.from({ length: count }, (_, index) => text(`block ${index}`));

  it.each([
    [19, true],
    [20, false],
  ])('over %i new blocks: hit %s', async (added, isHit) => {
    const head = user([long('m', mark)]);
    const grown = [user([long('m'), ...blocks(added - 1), text('end', mark)])];
    const numbers = await lastOf({ messages: [head] }, { messages: grown });
    expect(numbers.read > 0).toBe(isHit);
  });
});

describe('time to live', () => {
  const body = (control: Json): Json => ({ system: [long('s', control)], messages: [user('x')] });

  it('ends after five minutes', async () => {
    let nowMs = 0;
    const simulator = await start({ now: () => nowMs });
    await usage(simulator, body(mark));
    nowMs = 299_999;
    expect((await usage(simulator, body(mark))).read).toBeGreaterThan(0);
    nowMs += 300_000;
    expect((await usage(simulator, body(mark))).read).toBe(0);
  });

  it('starts again with every hit', async () => {
    let nowMs = 0;
    const simulator = await start({ now: () => nowMs, cacheTtlMs: 1000 });
    await usage(simulator, body(mark));
    for (let round = 0; round < 5; round += 1) {
      nowMs += 900;
      expect((await usage(simulator, body(mark))).read).toBeGreaterThan(0);
    }
  });

  it('is an hour where asked for, and reported apart', async () => {
    let nowMs = 0;
    const simulator = await start({ now: () => nowMs });
    const answer = await ask(simulator, { system: [long('s', hour)], messages: [user([long('m', mark)])] });
    const { ephemeral_1h_input_tokens: long1h, ephemeral_5m_input_tokens: short } = answer.body.usage.cache_creation;
    expect(long1h).toBeGreaterThan(1000);
    expect(short).toBeGreaterThan(1000);
    nowMs = 3_000_000;
    const later = await usage(simulator, { system: [long('s', hour)], messages: [user([long('m', mark)])] });
    expect(later).toMatchObject({ read: long1h, write: short });
  });
});

it('an entry is usable only after the response began', async () => {
  const simulator = await start({ latencyMs: 30 });
  const body = { system: [long('s', mark)], messages: [user('x')] };
  const both = await Promise.all([usage(simulator, body), usage(simulator, body)]);
  expect(both.map(({ read }) => read)).toEqual([0, 0]);
  expect((await usage(simulator, body)).read).toBeGreaterThan(0);
});
