/** What a history answers: sums, places, cuts, and the user's words. */
import { describe, expect, it } from 'vitest';
import { History } from '../../src/core/history.ts';
import { build, call, historyOf, result } from './support.ts';

const history = historyOf([
  build.user('first', 'AAAA'),
  call('a', 'b'),
  result('b', 'a'),
  build.assistant({ text: 'done' }),
  build.host('a rule'),
  build.user('second'),
  call('c'),
]);

describe('a history', () => {
  it('adds up what stands before an entry', () => {
    const tokens = Array.from({ length: 7 }, (_, at) => history.at(at).tokens);
    expect(history.tokensBefore(0)).toBe(0);
    expect(history.tokensBefore(3)).toBe(tokens[0]! + tokens[1]! + tokens[2]!);
    expect(history.tokensBefore(7)).toBe(history.tokens);
    expect(history.tokens).toBe(tokens.reduce((sum, each) => sum + each, 0));
  });

  it('counts pictures at what they take at most', () => {
    expect(history.mediaTokens).toBe(1_600);
    expect(new History().mediaTokens).toBe(0);
  });

  it('has no entry in front of the first or behind the last', () => {
    expect(() => history.at(7)).toThrow(RangeError);
    expect(() => history.at(-1)).toThrow(RangeError);
  });

  it('finds the result of a call by its part', () => {
    expect(history.resultOf('a')).toEqual({ entry: 2, part: 1 });
    expect(history.resultOf('b')).toEqual({ entry: 2, part: 0 });
    expect(history.resultOf('c')).toBeUndefined();
  });

  it('knows the newest of each side', () => {
    expect([history.newestUser, history.newestModel]).toEqual([5, 6]);
    expect([history.users, history.models]).toEqual([
      [0, 5],
      [1, 3, 6],
    ]);
    expect([new History().newestUser, new History().newestModel]).toEqual([-1, -1]);
  });

  it('says where the user spoke: from an entry on, in front of another', () => {
    const spans = [
      [0, 1],
      [0, 0],
      [1, 5],
      [1, 6],
      [5, 6],
      [6, 7],
      [5, 5],
    ] as const;
    expect(spans.map(([from, to]) => history.hasUserIn(from, to))).toEqual([
      true,
      false,
      false,
      true,
      true,
      false,
      false,
    ]);
  });

  it('says what has to stay: from an entry on, in front of another', () => {
    expect([
      history.barriersIn(0, 7),
      history.barriersIn(4, 5),
      history.barriersIn(5, 7),
      history.barriersIn(0, 4),
    ]).toEqual([[4], [4], [], []]);
  });

  it('is cut between rounds, and not behind an open one', () => {
    expect(Array.from({ length: 8 }, (_, at) => history.canCut(at))).toEqual([
      true,
      true,
      false,
      true,
      true,
      true,
      true,
      false,
    ]);
    expect([2, 3, 7].map((at) => history.cutBefore(at))).toEqual([1, 3, 6]);
    expect([1, 2, 7].map((at) => history.cutAfter(at))).toEqual([1, 3, 7]);
    const closed = history.fork(4);
    expect([closed.canCut(4), closed.cutBefore(4), closed.cutAfter(4)]).toEqual([true, 4, 4]);
  });

  it('goes on alone in a branch', () => {
    const branch = history.fork(3);
    branch.append(history.at(5));
    expect([branch.length, history.length]).toEqual([4, 7]);
    expect(branch.digest(0, 3)).toBe(history.digest(0, 3));
    expect(branch.address(0, 3)).toBe(`h_0-3_${history.digest(0, 3)}`);
    expect(new History('round').fork(0).idScope).toBe('round');
    expect(new History().idScope).toBe('request');
  });
});
