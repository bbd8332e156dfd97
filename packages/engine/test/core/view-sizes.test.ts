/** What a view's entries count, edit by edit, and what is found in a view: figures that every layer adds up. */
import { describe, expect, it } from 'vitest';
import type { Edit, NoteEdit, PartEdit, RangeEdit } from '../../src/core/edit.ts';
import type { Entry, Part } from '../../src/core/entry.ts';
import { History } from '../../src/core/history.ts';
import {
  applyEdits,
  EMPTY_VIEW,
  extend,
  freedByPart,
  isSwallowed,
  isVerbatim,
  locate,
  project,
  repeatedPins,
  replacementSize,
  shownPins,
  type View,
} from '../../src/core/view.ts';
import { build, historyOf } from './support.ts';

/** A token a character. */
const count = (text: string): number => text.length;

const text = (words: string): Part => ({ kind: 'text', text: words });
const result = (words: string, content: unknown = words): Part => ({
  kind: 'result',
  callId: 'a',
  text: words,
  content,
  mediaCount: 0,
  isError: false,
});
const picture: Part = { kind: 'media', mediaType: 'image/png', value: 'AAAA' };

/** An entry of given parts: tokens of each, and bytes of the whole. */
function entryOf(parts: readonly Part[], partTokens: readonly number[], bytes: number): Entry {
  const [base] = [historyOf([build.user('x')]).at(0)];
  const tokens = partTokens.reduce((sum, each) => sum + each, 4);
  return { ...base, parts, partTokens: parts.length === 1 ? undefined : partTokens, tokens, bytes };
}

function historyWith(...entries: readonly Entry[]): History {
  const history = new History();
  for (const entry of entries) history.append(entry);
  return history;
}

const base = (from: number, until: number, history: History) => ({
  until,
  proof: history.digest(from, until),
  addresses: ['s_1'],
  reason: 'test',
});

const part = (history: History, at: number, more: Partial<PartEdit> = {}): PartEdit => ({
  kind: 'part',
  layer: 'micro',
  at,
  part: 0,
  ...base(at, at + 1, history),
  text: 'gone',
  becomesText: false,
  ...more,
});

const note = (history: History, at: number, words: string, more: Partial<NoteEdit> = {}): NoteEdit => ({
  kind: 'note',
  layer: 'attach',
  at,
  ...base(at, at + 1, history),
  text: words,
  ...more,
});

const range = (history: History, from: number, to: number, more: Partial<RangeEdit> = {}): RangeEdit => ({
  kind: 'range',
  layer: 'summary',
  from,
  to,
  ...base(from, to, history),
  pieces: ['short'],
  ...more,
});

const viewOf = (history: History, ...edits: readonly Edit[]): View =>
  applyEdits(extend(EMPTY_VIEW, history), edits, { history, count });

/** Tokens and bytes of the entry that holds history entry `at`. */
function sizeAt(view: View, at: number): readonly [number, number] {
  const { tokens, bytes } = view.entries[locate(view.entries, at)]!;
  return [tokens, bytes];
}

describe('a part that is replaced', () => {
  // 400 bytes: 100 of the result's text, the rest around it.
  const history = historyWith(entryOf([result('r'.repeat(100))], [50], 400));

  it('counts its text and the overhead of a part in place of its own', () => {
    expect(sizeAt(viewOf(history), 0)).toEqual([54, 400]);
    expect(sizeAt(viewOf(history, part(history, 0)), 0)).toEqual([12, 304]);
    expect(freedByPart(part(history, 0), history, count)).toBe(42);
  });

  it('counts the newest text where it is replaced again', () => {
    const again = part(history, 0, { text: 'no' });
    expect(sizeAt(viewOf(history, part(history, 0), again), 0)).toEqual([10, 302]);
    const longer = part(history, 0, { text: 'longer than that' });
    expect(sizeAt(viewOf(history, part(history, 0), longer), 0)).toEqual([24, 316]);
  });

  it('takes its frame along where it becomes a text, and brings one of its own', () => {
    // 400 bytes are 28 of the message, 100 of the text and 272 of the frame; a text of 4 characters is a block of 30.
    const repaired = part(history, 0, { becomesText: true, layer: 'repair' });
    expect(sizeAt(viewOf(history, repaired), 0)).toEqual([12, 58]);
    // From there on it is a text: four bytes more for four characters more.
    const again = part(history, 0, { becomesText: true, text: 'gone too' });
    expect(sizeAt(viewOf(history, repaired, again), 0)).toEqual([16, 62]);
    // And back: its frame is there again.
    expect(sizeAt(viewOf(history, repaired, part(history, 0)), 0)).toEqual([12, 304]);
  });

  it('is never less than a byte', () => {
    const tiny = historyWith(entryOf([result('r'.repeat(100))], [50], 60));
    expect(sizeAt(viewOf(tiny, part(tiny, 0, { text: '' })), 0)[1]).toBe(1);
  });
});

describe('the bytes of a part', () => {
  it('of a text are its characters', () => {
    const history = historyWith(entryOf([text('t'.repeat(100)), text('u'.repeat(10))], [100, 10], 220));
    expect(sizeAt(viewOf(history, part(history, 0)), 0)[1]).toBe(124);
    expect(sizeAt(viewOf(history, part(history, 0), part(history, 0, { part: 1, text: '' })), 0)[1]).toBe(114);
  });

  it('of what is no text are its own, and in a range its share of what stands around', () => {
    // 6 for "AAAA". 28 of the message, 36 of the text and its block, 12 of both pictures: 924 are left, half for each.
    const history = historyWith(entryOf([text('t'.repeat(10)), picture, picture], [10, 1600, 1600], 1000));
    expect(sizeAt(viewOf(history, part(history, 0, { part: 1, text: '' })), 0)[1]).toBe(994);
    expect(replacementSize([{ entry: 0, part: 1 }], history, count)).toEqual({ tokens: 1604, bytes: 32 + 6 + 462 });
  });

  it('of blocks in a result are those of their JSON', () => {
    const history = historyWith(entryOf([result('seen', [{ type: 'text', text: 'seen' }]), text('and')], [4, 3], 229));
    expect(sizeAt(viewOf(history, part(history, 0, { text: '' })), 0)[1]).toBe(229 - 31);
  });

  it('are no share where the parts take more than there is', () => {
    const history = historyWith(entryOf([text('t'.repeat(100)), picture], [100, 1600], 110));
    expect(replacementSize([{ entry: 0, part: 1 }], history, count).bytes).toBe(32 + 6);
  });

  it('of calls, reasoning and what is unknown are what they say', () => {
    const call: Part = { kind: 'call', id: 'a1', name: 'bash', input: { c: 'x' } };
    const thought: Part = { kind: 'reasoning', text: 'hm', sizeChars: 50 };
    const opaque: Part = { kind: 'opaque', name: 'x', value: [1, 2], isBarrier: false };
    const history = historyWith(entryOf([call, thought, opaque], [9, 13, 5], 500));
    const left = [0, 1, 2, 3].map((at) => sizeAt(viewOf(history, part(history, 0, { part: at, text: '' })), 0)[1]);
    // 2 and 4 and 9 for {"c":"x"}; 50; 5 for [1,2]; nothing for a part that is not there.
    expect(left).toEqual([485, 450, 495, 500]);
  });

  it('that becomes a text beside others are its own and its block', () => {
    const history = historyWith(entryOf([text('t'.repeat(100)), text('u'.repeat(50))], [100, 50], 230));
    expect(sizeAt(viewOf(history, part(history, 0, { becomesText: true })), 0)).toEqual([62, 134]);
  });

  it('that becomes a text beside results are its share of the frames', () => {
    // 28 of the message, 60 of the results' texts, 36 of the text and its block: 176 are left, 88 for each result.
    const history = historyWith(
      entryOf([result('r'.repeat(40)), result('s'.repeat(20)), text('0123456789')], [40, 20, 10], 300),
    );
    expect(sizeAt(viewOf(history, part(history, 0, { becomesText: true })), 0)[1]).toBe(300 - 40 - 88 + 30);
  });

  it('that becomes a text beside a picture or blocks leaves them their share', () => {
    // 28 of the message, 40 and 6 of the parts: 926 are left, half for each.
    const seen = historyWith(entryOf([result('r'.repeat(40)), picture], [40, 1600], 1000));
    expect(sizeAt(viewOf(seen, part(seen, 0, { becomesText: true })), 0)[1]).toBe(1000 - 40 - 463 + 30);
    const blocks = result('seen', [{ type: 'text', text: 'seen' }]);
    // 28, 31 and 40: 501 are left, 250.5 for each.
    const mixed = historyWith(entryOf([blocks, result('r'.repeat(40))], [4, 40], 600));
    expect(sizeAt(viewOf(mixed, part(mixed, 0, { part: 1, becomesText: true })), 0)[1]).toBe(600 - 291 + 30);
  });
});

describe('a message that stands for a range', () => {
  const history = historyWith(
    entryOf([text('a "quoted" word'), picture], [15, 1600], 700),
    entryOf([text('b')], [1], 60),
    entryOf([text('c')], [1], 60),
  );

  it('counts the pieces, escapes and blocks included, and the message around them', () => {
    expect(replacementSize([], history, count)).toEqual({ tokens: 4, bytes: 32 });
    expect(replacementSize(['one', '"two"'], history, count)).toEqual({ tokens: 12, bytes: 32 + 29 + 33 });
    expect(replacementSize([{ entry: 0, part: 0 }], history, count)).toEqual({ tokens: 19, bytes: 32 + 17 + 26 });
  });

  it('is one entry of the view, and its sums are the view’s', () => {
    const view = viewOf(history, range(history, 0, 2));
    expect(view.entries.map(({ from, to, tokens, bytes }) => [from, to, tokens, bytes])).toEqual([
      [0, 2, 9, 63],
      [2, 3, 5, 60],
    ]);
    expect([view.tokens, view.bytes]).toEqual([14, 123]);
  });

  it('hides an edit inside it that comes later, and one that overlaps its border', () => {
    const wide = range(history, 0, 2);
    const view = viewOf(history, wide);
    expect(viewOf(history, wide, part(history, 1), note(history, 0, 'x'))).toEqual(view);
    expect(viewOf(history, wide, range(history, 0, 1))).toEqual(view);
    expect(viewOf(history, wide, range(history, 1, 2))).toEqual(view);
    expect(viewOf(history, wide, range(history, 1, 3))).toEqual(view);
  });

  it('gives way to a wider one', () => {
    const wider = range(history, 0, 3, { pieces: ['all'] });
    expect(viewOf(history, range(history, 0, 2), wider)).toEqual(viewOf(history, wider));
    expect(viewOf(history, range(history, 1, 2), wider).entries).toHaveLength(1);
  });

  it('is hidden by a wider one of an edit, and not by a part or one that ends before it', () => {
    const edit = range(history, 0, 2);
    expect(isSwallowed(edit, [range(history, 0, 2)])).toBe(true);
    expect(isSwallowed(edit, [range(history, 0, 3)])).toBe(true);
    expect(isSwallowed(edit, [part(history, 0), range(history, 1, 3), range(history, 0, 1)])).toBe(false);
    expect(isSwallowed(part(history, 1), [range(history, 0, 2)])).toBe(true);
    expect(isSwallowed(part(history, 2), [range(history, 0, 2)])).toBe(false);
    expect(isSwallowed(edit, [])).toBe(false);
  });
});

describe('a note', () => {
  const history = historyWith(entryOf([text('a')], [1], 60), entryOf([text('b')], [1], 60));

  it('adds its text as JSON, one behind the other', () => {
    const [one, two] = [note(history, 0, 'one'), note(history, 0, '"2"')];
    const view = viewOf(history, one, two);
    expect(sizeAt(view, 0)).toEqual([5 + 3 + 3, 60 + 7 + 9]);
    expect(view.entries[0]?.notes).toEqual([one, two]);
    expect(sizeAt(view, 1)).toEqual([5, 60]);
  });
});

describe('a view', () => {
  const history = historyWith(...['a', 'b', 'c', 'd', 'e'].map((word) => entryOf([text(word)], [1], 60)));

  it('finds the entry that holds an index, wherever it is', () => {
    const view = viewOf(history, range(history, 1, 3));
    expect([0, 1, 2, 3, 4, 9].map((index) => locate(view.entries, index))).toEqual([0, 1, 1, 2, 3, 3]);
    expect(locate([], 3)).toBe(0);
  });

  it('that lacks nothing is the same view', () => {
    const view = viewOf(history);
    expect(extend(view, history)).toBe(view);
    expect(EMPTY_VIEW.entries).toEqual([]);
    expect(extend(EMPTY_VIEW, new History())).toBe(EMPTY_VIEW);
  });

  it('takes in what came since, behind what its edits made', () => {
    const short = historyWith(history.at(0), history.at(1));
    const view = viewOf(short, part(short, 0));
    const grown = extend(view, history);
    expect(grown.entries.map(({ from, to }) => [from, to])).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 4],
      [4, 5],
    ]);
    expect([grown.tokens, grown.bytes]).toEqual([view.tokens + 15, view.bytes + 180]);
    expect(grown).toEqual(viewOf(history, part(short, 0)));
  });

  it('of a ledger has what is in force', () => {
    const edit = part(history, 1);
    const groups = [{ seq: 1, at: 5, cause: 'manual' as const, edits: [edit] }];
    expect(project(history, groups, count)).toEqual(viewOf(history, edit));
    expect(project(history, [...groups, { seq: 2, at: 5, cause: 'undo', target: 1 }], count)).toEqual(viewOf(history));
  });

  it('edits nothing where the history has no such entry', () => {
    const empty = applyEdits(EMPTY_VIEW, [{ ...part(history, 0) }], { history, count });
    expect(empty).toEqual(EMPTY_VIEW);
    expect(applyEdits(EMPTY_VIEW, [range(history, 0, 2)], { history, count })).toEqual(EMPTY_VIEW);
  });

  it('leaves the view it was made from as it was', () => {
    const before = viewOf(history);
    const copy = structuredClone(before);
    applyEdits(before, [part(history, 0), range(history, 1, 3)], { history, count });
    expect(before).toEqual(copy);
  });

  it('says what stands in it word for word', () => {
    const view = viewOf(history, part(history, 0), range(history, 1, 3), note(history, 4, 'x'));
    const places = [0, 1, 2, 3, 4].map((entry) => isVerbatim(view, { entry, part: 0 }));
    expect(places).toEqual([false, false, false, true, true]);
    expect(isVerbatim(view, { entry: 0, part: 1 })).toBe(true);
    expect(isVerbatim(EMPTY_VIEW, { entry: 0, part: 0 })).toBe(false);
  });

  it('shows pins of ranges and of notes, once for each place', () => {
    const view = viewOf(
      history,
      range(history, 0, 2, {
        pieces: ['s', 'p', 'q'],
        pins: [
          [1, 7],
          [2, 8],
        ],
      }),
      note(history, 2, 'p', { pin: 7 }),
      note(history, 2, 'no pin'),
      note(history, 3, 'r', { pin: 9 }),
    );
    expect(shownPins(view)).toEqual([7, 8, 7, 9]);
    expect(shownPins(viewOf(history, range(history, 0, 2), note(history, 3, 'no pin')))).toEqual([]);
  });

  it('repeats a pin where a range or an earlier note shows it, wherever the range is', () => {
    const first = note(history, 0, 'p', { pin: 7 });
    const second = note(history, 1, 'p', { pin: 7 });
    const third = note(history, 1, 'q', { pin: 8 });
    const plain = note(history, 1, 'no pin');
    expect(repeatedPins(viewOf(history, first, second, third, plain))).toEqual([second]);
    const summary = range(history, 3, 5, { pieces: ['s', 'q'], pins: [[1, 8]] });
    expect(repeatedPins(viewOf(history, first, second, third, plain, summary))).toEqual([second, third]);
  });
});
