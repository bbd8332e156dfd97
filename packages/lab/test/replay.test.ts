import { describe, expect, it } from 'vitest';
import type { Figures } from '../src/figures.ts';
import { measure } from '../src/measured.ts';
import { policyOf } from '../src/policies/by-name.ts';
import type { Contestant } from '../src/policies/contestant.ts';
import { pricesOf } from '../src/prices.ts';
import { replay } from '../src/replay.ts';
import { parseSession } from '../src/session/read.ts';
import { jsonLines, PI_HEADER, piReply, piResult, piUser } from './support/logs.ts';

const OLD_LINE = 'const one = readOne();';

/**
 * By the counter below, characters: 10 for the words, 4 + 18 for the read, 40 for its result, 4 + 76 for the edit, 2 for its result.
 * The edit depends on one line and on `readOne`, which the result of the read has, and on nothing else.
 */
const SESSION = parseSession(
  jsonLines([
    PI_HEADER,
    piUser('Change it.'),
    piReply({ calls: [['a', 'read', { path: 'main.ts' }]], atMs: 0 }),
    piResult('a', `${OLD_LINE}\n${'x'.repeat(17)}`),
    piReply({ calls: [['b', 'edit', { path: 'main.ts', oldText: OLD_LINE, newText: 'newName();' }]], atMs: 1_000 }),
    piResult('b', 'ok'),
    piReply({ text: 'Done.', atMs: 400_000 }),
  ]),
);

const MEASURED = measure(SESSION, { count: (text) => text.length, factor: 2, headTokens: 100 });

/** Prompts: head 100, then twice what is counted. */
const FIRST = 100 + 2 * 10;
const SECOND = FIRST + 2 * (4 + 18 + 40);
const THIRD = SECOND + 2 * (4 + 76 + 2);

async function figuresOf(contestant: Contestant, prices = 'anthropic'): Promise<Figures> {
  return replay(MEASURED, contestant, { prices: pricesOf(prices) });
}

/** Sends what `view` makes of the history, and recalls `answer`. */
function contestant(view: (history: readonly object[]) => readonly object[], answer?: string): Contestant {
  return {
    name: 'test',
    start: () => ({
      extraHeadTokens: 0,
      view: async ({ history }) => view(history),
      settle: async () => undefined,
      ...(answer === undefined ? {} : { recall: async (query: string) => `${answer} ${query}` }),
    }),
  };
}

it('depends on what was there before the call', () => {
  expect(MEASURED.dependencies.map((list) => list?.map(({ text, source }) => [text, source]))).toEqual([
    [],
    [
      [OLD_LINE, 2],
      ['readOne', 2],
    ],
    undefined,
  ]);
  expect(MEASURED.found).toEqual({ 'edit-line': 1, identifier: 1 });
});

describe('append-only', () => {
  it('bills an unbroken prefix by the closed formula, and all of it again when the cache went cold', async () => {
    const figures = await figuresOf(policyOf('append-only'));
    expect(figures.bill).toBeCloseTo(1.25 * FIRST + (0.1 * FIRST + 1.25 * (SECOND - FIRST)) + 1.25 * THIRD, 6);
    expect(figures.score).toBe(figures.bill);
    expect(figures).toMatchObject({
      calls: 3,
      steps: 2,
      refetchSteps: 0,
      epochs: 0,
      breaks: 0,
      breakCost: 0,
      penalty: 0,
    });
    expect(figures.peakTokens).toBe(THIRD);
    expect(figures.meanTokens).toBeCloseTo((FIRST + SECOND + THIRD) / 3, 9);
    expect(figures.hitRatio).toBeCloseTo(FIRST / (FIRST + SECOND + THIRD), 9);
  });

  it('has everything', async () => {
    const { availability } = await figuresOf(policyOf('append-only'));
    const all = { found: 1, inView: 1, byRecall: 1 };
    expect(availability).toEqual({ 'edit-line': all, identifier: all });
  });

  it('is billed the sum of its prompts where there is no cache', async () => {
    expect((await figuresOf(policyOf('append-only'), 'none')).bill).toBeCloseTo(FIRST + SECOND + THIRD, 6);
  });
});

describe('a policy that sends the newest message only', () => {
  const newest = (history: readonly object[]): readonly object[] => history.slice(-1);

  it('breaks the prefix behind the head wherever the history would not have', async () => {
    const figures = await figuresOf(
      contestant((history) => (history.length === 3 ? history.slice(1) : newest(history))),
    );
    // 100 + 2 * 62 tokens in the second prompt; the third is cold, for the bare history too.
    expect(figures).toMatchObject({ epochs: 2, breaks: 1 });
    expect(figures.breakCost).toBeCloseTo((1.25 - 0.1) * (FIRST - 100), 9);
  });

  it('pays one extra call for a step that misses something, whatever it misses', async () => {
    const figures = await figuresOf(contestant((history) => history.slice(0, 1)));
    // The source, 80 tokens, and 150 are written, 100 are said, and the prompt of 120 is read.
    expect(figures.penalty).toBeCloseTo(0.1 * FIRST + 1.25 * (2 * 40 + 150) + 5 * 100, 9);
    expect(figures).toMatchObject({ steps: 2, refetchSteps: 1 });
    const none = { found: 1, inView: 0, byRecall: 0 };
    expect(figures.availability).toEqual({ 'edit-line': none, identifier: none });
  });

  it('finds by one recall what the answer to the file’s name, or to the name itself, has', async () => {
    const { availability } = await figuresOf(contestant((history) => history.slice(0, 1), OLD_LINE.slice(0, 14)));
    // The query is part of the test's answer: `readOne`, but for the line `main.ts`.
    expect(availability['edit-line'].byRecall).toBe(0);
    expect(availability.identifier.byRecall).toBe(1);
    const whole = await figuresOf(contestant((history) => history.slice(0, 1), OLD_LINE));
    expect(whole.availability['edit-line'].byRecall).toBe(1);
  });

  it('reads 2,000 tokens of an answer', async () => {
    const { availability } = await figuresOf(
      contestant((history) => history.slice(0, 1), `${'y'.repeat(1_990)}${OLD_LINE}`),
    );
    expect(availability['edit-line'].byRecall).toBe(0);
  });
});

it('runs the policies of the engine on its clock, with recall', async () => {
  const figures = await figuresOf(policyOf('classic'));
  expect(figures.calls).toBe(3);
  expect(figures.availability['edit-line'].inView).toBe(1);
  // System and tools are the head of then and the definition of recall.
  expect(figures.peakTokens).toBeGreaterThan(THIRD);
});

it('names what there is for a name there is not', () => {
  expect(() => policyOf('best')).toThrow(/there is no policy "best"; there are append-only, classic/);
  expect(() => pricesOf('free')).toThrow(/no prices are known by the name "free"; there are anthropic/);
});
