import { describe, expect, it } from 'vitest';
import { waitBefore } from '../../src/loop/retry.ts';

/** 30 November 2026, 12:00:00 GMT. */
const NOON_MS = 1_796_040_000_000;
const still = { random: () => 0, now: () => NOON_MS };
const OVERLOADED = Object.assign(new Error('529 Overloaded'), { status: 529 });
const limited = (headers: Record<string, string>): Error =>
  Object.assign(new Error('429 rate limited'), { status: 429, headers: new Headers(headers) });

const waits = (random: number): readonly (number | undefined)[] =>
  Array.from({ length: 11 }, (_, index) => waitBefore(index + 1, OVERLOADED, { ...still, random: () => random }));

describe('waiting before another try', () => {
  it('doubles from half a second up to 32 seconds and gives up after ten tries', () => {
    expect(waits(0)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 32_000, 32_000, undefined, undefined]);
  });

  it('adds at most a quarter of jitter', () => {
    expect(waits(1)).toEqual([625, 1_250, 2_500, 5_000, 10_000, 20_000, 40_000, 40_000, 40_000, undefined, undefined]);
    expect(waitBefore(1, OVERLOADED, { ...still, random: () => 0.5 })).toBe(563);
  });

  it('waits as long as the server says, without jitter', () => {
    expect(waitBefore(1, limited({ 'retry-after': '7' }), { ...still, random: () => 1 })).toBe(7_000);
    expect(waitBefore(3, limited({ 'retry-after-ms': '250' }), { ...still, random: () => 1 })).toBe(250);
    expect(waitBefore(9, limited({ 'retry-after': '90' }), { ...still, random: () => 1 })).toBe(90_000);
    expect(waitBefore(10, limited({ 'retry-after': '1' }), { ...still, random: () => 1 })).toBeUndefined();
  });

  it('reads a date in Retry-After by the clock', () => {
    const at = (date: string): number | undefined => waitBefore(1, limited({ 'retry-after': date }), still);
    expect(new Date(NOON_MS).toUTCString()).toBe('Mon, 30 Nov 2026 12:00:00 GMT');
    expect(at('Mon, 30 Nov 2026 12:00:21 GMT')).toBe(21_000);
    expect(at('Mon, 30 Nov 2026 11:59:00 GMT')).toBe(0);
    expect(at('soon')).toBe(500);
    expect(at('2026')).toBeUndefined();
  });

  it('gives up at once where the server names a wait nobody sits out', () => {
    expect(waitBefore(1, limited({ 'retry-after': '900' }), still)).toBe(900_000);
    expect(waitBefore(1, limited({ 'retry-after': '901' }), still)).toBeUndefined();
    expect(waitBefore(1, limited({ 'retry-after': 'Tue, 01 Dec 2026 12:00:00 GMT' }), still)).toBeUndefined();
  });

  it('does not wait for what waiting does not mend', () => {
    const failed = (status: number, message: string): Error => Object.assign(new Error(message), { status });
    for (const error of [
      failed(400, 'prompt is too long: 300000 tokens > 200000 maximum'),
      failed(401, 'invalid key'),
      failed(404, 'no such model'),
      failed(413, 'Request too large for gpt-x: Limit 30000, Requested 40000. input tokens must be reduced'),
      failed(501, 'not implemented'),
      new Error('a bug of ours'),
    ]) {
      expect(waitBefore(1, error, still), error.message).toBeUndefined();
    }
  });

  it('heeds a server that says not to ask again', () => {
    const final = Object.assign(new Error('500 no'), {
      status: 500,
      headers: new Headers({ 'x-should-retry': 'false' }),
    });
    expect(waitBefore(1, final, still)).toBeUndefined();
    expect(waitBefore(1, Object.assign(new Error('500 no'), { status: 500 }), still)).toBe(500);
  });

  it.each([
    'terminated',
    'Connection error.',
    'Premature close',
    'stream ended without producing a Message with role=assistant',
    'request ended without sending any chunks',
    'stream ended without a finish reason',
    'malformed stream: Unexpected token',
  ])('sends again after a broken connection: %s', (message) => {
    expect(waitBefore(1, new Error(message), still)).toBe(500);
  });
});
