import { expect, it } from 'vitest';
import { billedThen, floorOf } from '../src/limits.ts';
import { measure } from '../src/measured.ts';
import { pricesOf } from '../src/prices.ts';
import { parseSession } from '../src/session/read.ts';
import { jsonLines, PI_HEADER, piReply, piUser } from './support/logs.ts';

const LOG = [PI_HEADER, piUser('Ten chars.'), piReply({ text: 'Five.', atMs: 0, usage: [7, 100, 40, 9] })];

it('bills what was billed, by the prices asked for', () => {
  const measured = measure(parseSession(jsonLines(LOG)));
  expect(billedThen(measured, pricesOf('anthropic'))).toBeCloseTo(7 + 0.1 * 100 + 1.25 * 40, 9);
  expect(billedThen(measured, pricesOf('openai'))).toBeCloseTo(7 + 0.1 * 100 + 40, 9);
  expect(billedThen(measure(parseSession(jsonLines(LOG.slice(0, 2)))), pricesOf('none'))).toBeUndefined();
});

it('has a floor of what was sent, once, and the head at every call', () => {
  const measured = measure(parseSession(jsonLines(LOG)), { count: (text) => text.length, factor: 2, headTokens: 30 });
  // The last reply was never sent.
  expect(floorOf(measured, pricesOf('anthropic'))).toBeCloseTo(1.25 * (2 * 10 + 30) + 0.1 * 30, 9);
});
