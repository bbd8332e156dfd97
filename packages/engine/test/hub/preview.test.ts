/** A preview foretells the next prepare, to the token where no model writes, and changes nothing. */
import { describe, expect, it } from 'vitest';
import type { CachePrices } from '../../src/core/prices.ts';
import { classic } from '../../src/core/policies/classic.ts';
import { wireBuilders } from '../../src/testing/wire-builder.ts';
import { TestSession } from '../golden/session.ts';

const PRICES: CachePrices = { readTimes: 0.1, writeTimes: 1.25, outputTimes: 5, ttlMs: 300_000, cliffs: [] };
const prices = (): CachePrices => PRICES;

describe.each(wireBuilders)('preview, $name', (builder) => {
  const request = builder.request([], { toolNames: ['bash', 'recall'], maxOutputTokens: 8_000 });

  it('names each result that would leave, with its call, its tokens and where it would be', async () => {
    const session = new TestSession({ builder, prices }).user('go');
    for (let i = 0; i < 4; i += 1) session.round(`${i} `.repeat(400));
    const { changes, tokensBefore, tokensAfter, cause, held } = await session.context.preview(request);
    expect(changes.map(({ layer, what }) => [layer, what])).toEqual([['micro', 'bash step 1']]);
    const [change] = changes;
    expect(change).toMatchObject({ from: 2, to: 3, part: 0, tokensBefore: 204, tokensAfter: 24 });
    expect(change?.addresses).toEqual([expect.stringMatching(/^c_[0-9a-f]{16}$/)]);
    expect(tokensBefore - tokensAfter).toBe(180);
    expect([cause, held]).toEqual(['every-turn', []]);
    const { receipt } = await session.prepare();
    expect(receipt.tokens.calibrated).toBe(tokensAfter);
    expect(receipt.cause).toBe('every-turn');
  });

  it('is the summary the code writer would make, and says who writes', async () => {
    let asked = 0;
    const writer = {
      name: 'sim-1',
      async write() {
        asked += 1;
        return { text: 'THE SUMMARY', stop: 'end' as const };
      },
    };
    const session = new TestSession({ builder, writer, prices }).talk(9, 4_000);
    const forecast = await session.context.preview(request, { compact: { span: { upTo: 4 }, focus: 'the tests' } });
    expect(asked).toBe(0);
    expect(forecast).toMatchObject({
      cause: 'manual',
      summary: { trigger: 'manual', writer: 'sim-1', mayBeBlocked: false },
    });
    expect(forecast.changes).toMatchObject([
      { layer: 'summary', from: 0, to: 4, what: 'messages 0 to 3', addresses: [expect.stringMatching(/^h_0-4_/)] },
    ]);
    expect(forecast.money.summaryTokens).toBeGreaterThan(0);
    // Nothing was asked for: the next turn makes none.
    expect((await session.prepare()).receipt.layers).toEqual([]);
    expect(asked).toBe(0);
  });

  it('without a writer is what the turn then does, to the token', async () => {
    const session = new TestSession({ builder, prices }).talk(9, 4_000);
    await session.send();
    session.user('more');
    const forecast = await session.context.preview(request, { compact: { span: { upTo: 6 } } });
    session.context.compact({ span: { upTo: 6 } });
    const { receipt } = await session.prepare();
    expect(forecast.summary).toMatchObject({ writer: 'code' });
    expect(receipt.tokens.calibrated).toBe(forecast.tokensAfter);
    expect(receipt.held).toEqual(forecast.held);
  });

  it('tells what the change costs now, saves with each call, and when it has paid', async () => {
    const session = new TestSession({ builder, prices, policy: { ...classic, layers: [] } }).talk(9, 4_000);
    await session.send();
    session.user('more');
    const { money, tokensBefore, tokensAfter } = await session.context.preview(request, {
      compact: { span: { upTo: 6 } },
    });
    expect(money.removedTokens).toBe(tokensBefore - tokensAfter);
    // The summary and the three messages behind it; the newest user message was never sent.
    expect(money.behindTokens).toBeGreaterThan(4_000);
    expect(money.behindTokens).toBeLessThan(tokensAfter);
    expect(money.costNowTokens).toBeCloseTo(money.behindTokens * 1.15, 6);
    expect(money.savesPerCallTokens).toBeCloseTo(money.removedTokens * 0.1, 6);
    expect(money.breakEvenCalls).toBeCloseTo(money.costNowTokens / money.savesPerCallTokens, 6);
    expect(money.summaryTokens).toBe(0);
  });

  it('costs nothing on a cold cache', async () => {
    let nowMs = 0;
    const session = new TestSession({ builder, prices, now: () => nowMs }).talk(9, 4_000);
    await session.send();
    nowMs = 300_000;
    const warm = await session.context.preview(request, { compact: { span: { upTo: 6 } } });
    expect(warm.money.isCold).toBe(false);
    expect(warm.money.costNowTokens).toBeGreaterThan(0);
    nowMs = 300_001;
    const { money } = await session.context.preview(request, { compact: { span: { upTo: 6 } } });
    expect(money).toMatchObject({ isCold: true, behindTokens: 0, costNowTokens: 0 });
    expect(money.savesPerCallTokens).toBe(warm.money.savesPerCallTokens);
  });

  it('of messages that were never sent costs nothing', async () => {
    const session = new TestSession({ builder, prices }).talk(9, 4_000);
    const { money } = await session.context.preview(request, { compact: {} });
    expect(money).toMatchObject({ behindTokens: 0, costNowTokens: 0, breakEvenCalls: 0 });
    expect(money.removedTokens).toBeGreaterThan(0);
  });

  it('changes nothing: not the snapshot, not the next bytes, not an open turn', async () => {
    const session = new TestSession({ builder, prices }).user('go');
    for (let i = 0; i < 5; i += 1) session.round(`${i} `.repeat(400));
    const open = await session.prepare();
    const before = JSON.stringify(session.context.snapshot());
    await session.context.preview(request);
    await session.context.preview(request, { compact: {} });
    expect(JSON.stringify(session.context.snapshot())).toBe(before);
    expect(JSON.stringify((await session.prepare()).request)).toBe(JSON.stringify(open.request));
  });

  it('takes the whole array of a caller who hands it in, and what waits', async () => {
    const session = new TestSession({ builder, prices });
    const messages = [builder.user('word '.repeat(3_000)), builder.assistant({ text: 'word '.repeat(3_000) })];
    const whole = builder.request([...messages, builder.user('and?')], {
      toolNames: ['bash', 'recall'],
      maxOutputTokens: 8_000,
    });
    const { changes } = await session.context.preview(whole, { compact: { span: { upTo: 2 } } });
    expect(changes).toMatchObject([{ from: 0, to: 2 }]);
    expect(session.context.history()).toEqual([]);
  });

  it('asks the host for its state, not for its word, and keeps neither answer', async () => {
    const asks = { state: 0, gate: 0 };
    const session = new TestSession({
      builder,
      prices,
      async state() {
        asks.state += 1;
        return [{ name: 'plan', text: `version ${asks.state}`, maxTokens: 100, rank: 1 }];
      },
      async beforeSummary() {
        asks.gate += 1;
        return undefined;
      },
    }).talk(9, 4_000);
    const { summary } = await session.context.preview(request, { compact: {} });
    expect(summary?.mayBeBlocked).toBe(true);
    expect(asks).toEqual({ state: 1, gate: 0 });
    session.context.compact();
    const turn = await session.prepare();
    expect(asks).toEqual({ state: 2, gate: 1 });
    expect(JSON.stringify(turn.request)).toContain('version 2');
  });
});
