/** Reasoning is bound to what it was thought behind: which edits may be made, and whose reasoning has to go. */
import { describe, expect, it } from 'vitest';
import { boundFailures, newestReasoning, sparingReasoning, unboundReasoning } from '../../src/core/binding.ts';
import type { Edit, NoteEdit, PartEdit, RangeEdit } from '../../src/core/edit.ts';
import { codePointTokens } from '../../src/core/estimate.ts';
import { applyEdits, EMPTY_VIEW, extend, type View } from '../../src/core/view.ts';
import { build, historyOf } from './support.ts';

const think = (text: string): object => build.assistant({ text, thought: `about ${text}` });

/** Reasoning in entries 1, 3 and 5; none in 7. */
const history = historyOf([
  build.user('a'),
  think('one'),
  build.user('b'),
  think('two'),
  build.user('c'),
  think('three'),
  build.user('d'),
  build.assistant({ text: 'four' }),
  build.user('newest'),
]);

const base = { layer: 'micro', until: 1, proof: history.digest(0, 1), addresses: ['s_1'], reason: 'test' } as const;

const range = (from: number, to: number, more: Partial<RangeEdit> = {}): RangeEdit => ({
  ...base,
  kind: 'range',
  from,
  to,
  pieces: ['short'],
  ...more,
});

const part = (at: number, more: Partial<PartEdit> = {}): PartEdit => ({
  ...base,
  kind: 'part',
  at,
  part: 0,
  text: 'gone',
  becomesText: false,
  ...more,
});

const note = (at: number, text = 'remember'): NoteEdit => ({ ...base, layer: 'attach', kind: 'note', at, text });

const plain = (): View => extend(EMPTY_VIEW, history);
const withEdits = (...edits: readonly Edit[]): View => applyEdits(plain(), edits, { history, count: codePointTokens });

describe('the newest reasoning in view', () => {
  it('is that of the newest entry that has some', () => {
    expect(newestReasoning(plain(), history)).toBe(5);
    expect(newestReasoning(EMPTY_VIEW, history)).toBe(-1);
  });

  it('is not that of a range, nor of an entry that does not count', () => {
    expect(newestReasoning(withEdits(range(4, 6)), history)).toBe(3);
    expect(newestReasoning(withEdits(range(0, 6)), history)).toBe(-1);
    expect(newestReasoning(plain(), history, (at) => at < 3)).toBe(1);
    expect(newestReasoning(plain(), history, () => false)).toBe(-1);
  });

  it('may stand in the first entry of all', () => {
    const alone = historyOf([think('one'), build.user('a')]);
    expect(newestReasoning(extend(EMPTY_VIEW, alone), alone)).toBe(0);
  });
});

describe('edits that spare reasoning', () => {
  it('are those behind all of it', () => {
    const edits = [part(4), part(5), part(6), range(6, 8), range(4, 8)];
    expect(sparingReasoning(edits, plain(), history)).toEqual([part(6), range(6, 8)]);
  });

  it('are all of them where none is in view', () => {
    const edits = [part(1), range(0, 8)];
    expect(sparingReasoning(edits, withEdits(range(0, 6)), history)).toBe(edits);
    expect(sparingReasoning([], plain(), history)).toEqual([]);
  });
});

describe('edits that break what reasoning is bound to', () => {
  it('are named with the reasoning', () => {
    expect(boundFailures([part(4), range(0, 2, { layer: 'summary' })], plain(), history)).toEqual([
      'micro edit at 4: the reasoning in entry 5 is bound to what it changes',
      'summary edit at 0: the reasoning in entry 5 is bound to what it changes',
    ]);
  });

  it('are not those at it or behind it, repairs or notes', () => {
    expect(boundFailures([part(5), part(6), part(4, { layer: 'repair' }), note(4)], plain(), history)).toEqual([]);
  });

  it('are none where no reasoning is in view', () => {
    expect(boundFailures([part(4)], withEdits(range(0, 6)), history)).toEqual([]);
    expect(boundFailures([], plain(), history)).toEqual([]);
  });
});

describe('reasoning behind something else than before', () => {
  const before = withEdits(part(2));

  it('is none where nothing changed, also in views made anew', () => {
    expect(unboundReasoning(plain(), plain(), history)).toEqual([]);
    const edit = part(2);
    const noted = note(4);
    expect(unboundReasoning(withEdits(edit, noted), withEdits(edit, noted), history)).toEqual([]);
    const summary = range(0, 2);
    expect(unboundReasoning(withEdits(summary), withEdits(summary), history)).toEqual([]);
  });

  it('is all from the first change on that both views show', () => {
    expect(unboundReasoning(plain(), withEdits(part(2)), history)).toEqual([3, 5]);
    expect(unboundReasoning(before, plain(), history)).toEqual([3, 5]);
    expect(unboundReasoning(plain(), withEdits(part(0)), history)).toEqual([1, 3, 5]);
    expect(unboundReasoning(plain(), withEdits(part(6)), history)).toEqual([]);
  });

  it('is not what only one of them shows', () => {
    expect(unboundReasoning(plain(), withEdits(range(0, 4)), history)).toEqual([5]);
    expect(unboundReasoning(withEdits(range(2, 4)), withEdits(range(0, 2)), history)).toEqual([5]);
  });

  it('comes with another text at one place, however alike the edits are', () => {
    expect(unboundReasoning(withEdits(part(2)), withEdits(part(2)), history)).toEqual([3, 5]);
    expect(unboundReasoning(withEdits(note(4)), withEdits(note(4)), history)).toEqual([5]);
    expect(unboundReasoning(withEdits(range(0, 2)), withEdits(range(0, 2)), history)).toEqual([3, 5]);
  });

  it('comes with one edit more or less at one place', () => {
    const [one, two] = [part(2), part(2, { part: 1 })];
    expect(unboundReasoning(withEdits(one), withEdits(one, two), history)).toEqual([3, 5]);
    expect(unboundReasoning(withEdits(one, two), withEdits(one), history)).toEqual([3, 5]);
    const [first, second] = [note(4, 'x'), note(4, 'y')];
    expect(unboundReasoning(withEdits(first), withEdits(first, second), history)).toEqual([5]);
    expect(unboundReasoning(withEdits(first, second), withEdits(first), history)).toEqual([5]);
    expect(unboundReasoning(withEdits(first, second), withEdits(second, first), history)).toEqual([5]);
    expect(unboundReasoning(withEdits(one), withEdits(one, note(2)), history)).toEqual([3, 5]);
  });

  it('comes with messages that are gone from the front', () => {
    const tail: View = { ...plain(), entries: plain().entries.slice(2) };
    expect(unboundReasoning(plain(), tail, history)).toEqual([3, 5]);
    expect(unboundReasoning(tail, plain(), history)).toEqual([3, 5]);
  });
});
