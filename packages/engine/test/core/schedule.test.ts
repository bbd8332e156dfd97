/** When an epoch is due, what stays behind it, and the account it is judged by: worked examples, computed by hand in the comments. */
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../src/core/entry.ts';
import { History } from '../../src/core/history.ts';
import { defaultLens } from '../../src/core/lenses/default.ts';
import type { CachePrices } from '../../src/core/prices.ts';
import { cliffTimes } from '../../src/core/prices.ts';
import { dueEpoch, type ScheduleInput } from '../../src/core/schedule/due.ts';
import { afterCall, isCold, type Economy, type Moment, NEW_ECONOMY, priceOf } from '../../src/core/schedule/economy.ts';
import { cheapestGrowthTokens, perCallTokens, type Rhythm } from '../../src/core/schedule/rhythm.ts';
import { tailStart } from '../../src/core/schedule/tail.ts';
import { EMPTY_VIEW, extend, type View } from '../../src/core/view.ts';
import { Rounds } from '../facts/calls.ts';
import { build, historyOf } from './support.ts';

const PRICES: CachePrices = { readTimes: 0.1, writeTimes: 1.25, outputTimes: 5, ttlMs: 300_000, cliffs: [] };

const [USER, MODEL] = [build.user('x'), build.assistant({ text: 'x' })].map((message) =>
  historyOf([message]).at(0),
) as [Entry, Entry];

/** The user and the model in turn, one entry for each of `tokens`. */
function sized(...tokens: readonly number[]): History {
  const history = new History();
  tokens.forEach((each, at) => history.append({ ...(at % 2 === 0 ? USER : MODEL), tokens: each }));
  return history;
}

const RHYTHM: Rhythm = {
  stretch: 1,
  tailTokens: 2_000,
  tailRounds: 1,
  workingRounds: 0,
  minWorkingTokens: 1_000,
  maxTailTokens: 30_000,
};

const warm: Economy = {
  calls: 10,
  billTokens: 100_000,
  appendOnlyTokens: 100_000,
  lastCallAtMs: 1_000,
  lastModel: 'm',
};
const now: Moment = { nowMs: 2_000, model: 'm', prices: PRICES };

describe('the account', () => {
  it('is cold without a call, with another model, and when the cache has run out', () => {
    expect(isCold(NEW_ECONOMY, now)).toBe(true);
    expect(isCold(warm, now)).toBe(false);
    expect(isCold(warm, { ...now, model: 'other' })).toBe(true);
    expect(isCold(warm, { ...now, nowMs: 301_000 })).toBe(false);
    expect(isCold(warm, { ...now, nowMs: 301_001 })).toBe(true);
  });

  it('prices what is read and what is written, over a cliff all of it', () => {
    // 800 read at 0.1 and 200 written at 1.25.
    expect(priceOf(1_000, 800, PRICES)).toBeCloseTo(330, 6);
    const steep = { ...PRICES, cliffs: [{ aboveTokens: 999, inputTimes: 2 }] };
    expect(priceOf(1_000, 800, steep)).toBeCloseTo(660, 6);
    expect(priceOf(999, 800, steep)).toBeCloseTo(328.75, 6);
  });

  it('takes the highest cliff that is passed', () => {
    const steep = {
      ...PRICES,
      cliffs: [
        { aboveTokens: 100, inputTimes: 2 },
        { aboveTokens: 200, inputTimes: 3 },
      ],
    };
    expect([100, 101, 200, 201].map((tokens) => cliffTimes(steep, tokens))).toEqual([1, 2, 2, 3]);
  });

  it('adds up calls, warm and cold', () => {
    const size = { sentTokens: 1_000, cachedTokens: 800, appendOnlyTokens: 2_000, appendOnlyCachedTokens: 1_600 };
    const first = afterCall(NEW_ECONOMY, size, now);
    expect(first).toEqual({
      calls: 1,
      billTokens: 1_250,
      appendOnlyTokens: 2_500,
      lastCallAtMs: 2_000,
      lastModel: 'm',
    });
    const second = afterCall(first, size, { ...now, nowMs: 3_000 });
    expect(second.calls).toBe(2);
    expect(second.billTokens).toBeCloseTo(1_580, 6);
    expect(second.appendOnlyTokens).toBeCloseTo(3_160, 6);
    expect(second.lastCallAtMs).toBe(3_000);
  });
});

describe('the rhythm', () => {
  it('is the order quantity, and never where reading is free', () => {
    // √(2 · (1.25 · 800 + 500) · 120 / 0.1)
    const sizes = { keptTokens: 800, summaryTokens: 500, perCallTokens: 120 };
    expect(cheapestGrowthTokens(sizes, PRICES)).toBeCloseTo(1897.3666, 3);
    expect(cheapestGrowthTokens(sizes, { readTimes: 0, writeTimes: 1 })).toBe(Number.POSITIVE_INFINITY);
    expect(cheapestGrowthTokens(sizes, { readTimes: -1, writeTimes: 1 })).toBe(Number.POSITIVE_INFINITY);
  });

  it('takes the growth of the newest 40 calls', () => {
    expect(perCallTokens(sized(100, 10, 20, 30))).toBe(30);
    expect(perCallTokens(sized(100))).toBe(100);
    expect(perCallTokens(new History())).toBe(0);
    // 41 calls: the first, which was large, is behind the average.
    const long = Array.from({ length: 82 }, (_, at) => (at < 2 ? 1_000 : 10));
    // From the model's second entry on 79 entries of 10, over 40 calls.
    expect(perCallTokens(sized(...long))).toBe(19.75);
  });
});

/** Forty entries of 1,000: the view has 40,000, a call adds (40,000 - 1,000) / 20 = 1,950. */
const history = sized(...Array.from({ length: 40 }, () => 1_000));

const asked: ScheduleInput = {
  history,
  view: extend(EMPTY_VIEW, history),
  lens: defaultLens,
  windowTokens: 200_000,
  headTokens: 1_000,
  economy: warm,
  moment: now,
  digestTokens: 500,
  sentLength: 39,
};

const cold: Partial<ScheduleInput> = { economy: NEW_ECONOMY };
const due = (more: Partial<ScheduleInput> = {}, rhythm: Partial<Rhythm> = {}) =>
  dueEpoch({ ...asked, ...more }, { ...RHYTHM, ...rhythm });

const withCliff = (aboveTokens: number): Partial<ScheduleInput> => ({
  moment: { ...now, prices: { ...PRICES, cliffs: [{ aboveTokens, inputTimes: 2 }] } },
});

/**
 * Two entries stay: 2,000, with the message 2,500. Removed: 37,500. Of what stays 1,000 was sent before, so 1,500 are written again. The
 * cheapest growth is √(2 · 1.25 · 2,500 · 1,950 / 0.1) = 11,040.
 */
describe('an epoch', () => {
  const span = { from: 0, to: 38 };

  it('is due when enough has grown and it pays', () => {
    expect(due()).toEqual({ kind: 'due', trigger: 'threshold', span });
  });

  it('is due before a cold start from half of that on', () => {
    expect(due(cold)).toEqual({ kind: 'due', trigger: 'cold', span });
    // 6 · 11,040 / 2 = 33,119, then 7 · 11,040 / 2 = 38,639.
    expect(due(cold, { stretch: 6 })).toEqual({ kind: 'due', trigger: 'cold', span });
    expect(due(cold, { stretch: 7 })).toEqual({ kind: 'not-yet' });
  });

  it('is not due before enough has grown', () => {
    // 3 · 11,040 = 33,119, then 4 · 11,040 = 44,159.
    expect(due({}, { stretch: 3 }).kind).toBe('due');
    expect(due({}, { stretch: 4 })).toEqual({ kind: 'not-yet' });
    expect(due({}, { stretch: 1_000 })).toEqual({ kind: 'not-yet' });
    expect(due({ digestTokens: 40_000 })).toEqual({ kind: 'not-yet' });
    expect(due({ ...cold, digestTokens: 40_000 })).toEqual({ kind: 'not-yet' });
  });

  it('is due earlier where a cliff is two calls away, and would be left', () => {
    // 1,000 + 40,000 + 2 · 1,950 = 44,900.
    expect(due(withCliff(44_899), { stretch: 4 })).toEqual({ kind: 'due', trigger: 'threshold', span });
    expect(due(withCliff(44_899), { stretch: 1_000 }).kind).toBe('due');
    expect(due(withCliff(44_900), { stretch: 4 })).toEqual({ kind: 'not-yet' });
    // What is left, 1,000 + 2,500, is over the cliff itself.
    expect(due(withCliff(3_499), { stretch: 4 })).toEqual({ kind: 'not-yet' });
    expect(due(withCliff(3_500), { stretch: 4 }).kind).toBe('due');
  });

  it('is not due where it would remove nothing, whatever the cliff', () => {
    expect(due(withCliff(44_899), { tailTokens: 200_000 })).toEqual({ kind: 'not-yet' });
    expect(due(cold, { tailTokens: 200_000 })).toEqual({ kind: 'not-yet' });
  });

  it('is held where more calls are needed than are to come', () => {
    // 30 entries stay, 29 of them sent: (500 + 29,000) · 1.15 = 33,925, and 9,500 · 0.1 = 950 are saved a call.
    const rhythm = { tailTokens: 30_000, stretch: 0.1 };
    expect(due({}, rhythm)).toEqual({
      kind: 'held',
      why: 'epoch: held, it pays back in 36 calls and about 10 are to come',
    });
    expect(due({ economy: { ...warm, calls: 3 } }, rhythm)).toMatchObject({
      why: 'epoch: held, it pays back in 36 calls and about 8 are to come',
    });
    const rich = { ...warm, billTokens: 1_000_000, appendOnlyTokens: 1_000_000 };
    expect(due({ economy: { ...rich, calls: 35 } }, rhythm).kind).toBe('held');
    expect(due({ economy: { ...rich, calls: 36 } }, rhythm)).toEqual({
      kind: 'due',
      trigger: 'threshold',
      span: { from: 0, to: 10 },
    });
  });

  it('pays back sooner where a cliff makes what is left dearer too', () => {
    // (1,000 + 30,500) · 0.1 = 3,150 more a call: 33,925 / 4,100 = 8.3 calls.
    const rich = { ...warm, billTokens: 1_000_000, appendOnlyTokens: 1_000_000 };
    const rhythm = { tailTokens: 30_000, stretch: 0.1 };
    expect(due({ ...withCliff(44_899), economy: { ...rich, calls: 9 } }, rhythm).kind).toBe('due');
    expect(due({ ...withCliff(44_899), economy: { ...rich, calls: 8 } }, rhythm).kind).toBe('held');
  });

  it('is held where it costs more than was saved and a share of the bill', () => {
    // 1,500 · 1.15 = 1,725.
    const spent = (billTokens: number, appendOnlyTokens: number) => ({
      economy: { ...warm, billTokens, appendOnlyTokens },
    });
    expect(due(spent(30_000, 30_000))).toEqual({
      kind: 'held',
      why: 'epoch: held, it costs 1725 tokens of input now, and earlier ones saved, with 5 % of the bill, 1500',
    });
    expect(due(spent(30_000, 30_226)).kind).toBe('due');
    expect(due(spent(30_000, 20_000))).toMatchObject({ why: expect.stringMatching(/of the bill, 0$/) });
  });

  it('writes again only what was sent', () => {
    // Nothing of the tail was sent: 500 · 1.15 = 575. All of it: 2,500 · 1.15 = 2,875.
    const poor = { ...warm, billTokens: 0, appendOnlyTokens: 0 };
    expect(due({ economy: poor, sentLength: 10 })).toMatchObject({
      why: expect.stringContaining('it costs 575 tokens'),
    });
    expect(due({ economy: poor, sentLength: 40 })).toMatchObject({
      why: expect.stringContaining('it costs 2875 tokens'),
    });
  });
});

describe('the tail', () => {
  const startOf = (of: History, rhythm: Partial<Rhythm>, more: { view?: View; windowTokens?: number } = {}): number =>
    tailStart(
      { history: of, view: extend(EMPTY_VIEW, of), lens: defaultLens, windowTokens: 200_000, ...more },
      { ...RHYTHM, ...rhythm },
    );

  it('has tokens enough, and rounds enough', () => {
    expect(startOf(history, {})).toBe(38);
    expect(startOf(history, { tailTokens: 2_001 })).toBe(37);
    expect(startOf(history, { tailTokens: 1, tailRounds: 3 })).toBe(35);
    expect(startOf(history, { tailTokens: 100_000 })).toBe(0);
  });

  it('is scaled to the window', () => {
    expect(startOf(history, { tailTokens: 8_000 })).toBe(32);
    expect(startOf(history, { tailTokens: 8_000 }, { windowTokens: 100_000 })).toBe(36);
  });

  it('holds what the model has not seen, and never half a round', () => {
    const words = 'word '.repeat(400);
    const rounds = new Rounds().user('go').read('a.ts', words).read('b.ts', words);
    // user, call, result, call, result.
    expect(startOf(rounds.history, { tailTokens: 1, tailRounds: 0 })).toBe(3);
    expect(startOf(rounds.history, { tailTokens: 1, tailRounds: 2 })).toBe(1);
  });

  it('ends at the message that stands for a range', () => {
    const view = extend(EMPTY_VIEW, history);
    const range = { ...view.entries[0]!, to: 36, range: { from: 0, to: 36 } as never };
    const compacted = { ...view, entries: [range, ...view.entries.slice(36)] };
    expect(startOf(history, { tailTokens: 100_000 }, { view: compacted })).toBe(36);
  });

  describe('with work in it', () => {
    const words = 'word '.repeat(2_000);
    const worked = (make: (rounds: Rounds) => Rounds): History =>
      make(new Rounds().user('go')).says('ok').user('on').says('ok').history;
    const rhythm = { tailTokens: 1, tailRounds: 0, workingRounds: 4 };

    it('goes back to a read nothing superseded', () => {
      expect(
        startOf(
          worked((rounds) => rounds.read('a.ts', words)),
          rhythm,
        ),
      ).toBe(1);
      expect(
        startOf(
          worked((rounds) => rounds.read('a.ts', words)),
          { ...rhythm, workingRounds: 0 },
        ),
      ).toBe(5);
    });

    it('not to a read that is small, too far back, or too large', () => {
      expect(
        startOf(
          worked((rounds) => rounds.read('a.ts', 'small')),
          rhythm,
        ),
      ).toBe(5);
      expect(
        startOf(
          worked((rounds) => rounds.read('a.ts', words)),
          { ...rhythm, workingRounds: 2 },
        ),
      ).toBe(5);
      expect(
        startOf(
          worked((rounds) => rounds.read('a.ts', words)),
          { ...rhythm, maxTailTokens: 500 },
        ),
      ).toBe(3);
    });

    it('to the older of two, and not to one that was read again', () => {
      const other = 'other '.repeat(2_000);
      expect(
        startOf(
          worked((rounds) => rounds.read('a.ts', words).read('b.ts', other)),
          rhythm,
        ),
      ).toBe(1);
      expect(
        startOf(
          worked((rounds) => rounds.read('a.ts', words).read('a.ts', other)),
          rhythm,
        ),
      ).toBe(3);
    });

    it('goes back to a failure, and not to a command that went well', () => {
      const ran = (isError: boolean) =>
        worked((rounds) => rounds.did({ name: 'bash', input: { command: 'make' }, text: words, isError }));
      expect(startOf(ran(true), rhythm)).toBe(1);
      expect(startOf(ran(false), rhythm)).toBe(5);
    });
  });
});
