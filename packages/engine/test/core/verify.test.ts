/** What the verifier says of views no layer would make: each of its sentences, word for word, since they are what a bug report holds. */
import { describe, expect, it } from 'vitest';
import type { Edit, NoteEdit, PartEdit, RangeEdit } from '../../src/core/edit.ts';
import type { History } from '../../src/core/history.ts';
import { assertView, pinFailures, verifyView } from '../../src/core/verify.ts';
import { EMPTY_VIEW, extend, type View, type ViewEntry } from '../../src/core/view.ts';
import { build, call, historyOf, result } from './support.ts';

const history = historyOf([
  build.user('first'),
  build.assistant({ text: 'one' }),
  call('a'),
  result('a'),
  build.host('a rule'),
  build.user('second'),
  build.assistant({ text: 'two' }),
  build.user('newest'),
]);

const viewOf = (of: History = history): View => extend(EMPTY_VIEW, of);

const proofOf = (from: number, until: number) => ({ until, proof: history.digest(from, until) });

const range = (from: number, to: number, more: Partial<RangeEdit> = {}): RangeEdit => ({
  kind: 'range',
  layer: 'summary',
  from,
  to,
  ...proofOf(from, to),
  pieces: ['short'],
  addresses: ['h_1'],
  reason: 'test',
  ...more,
});

const part = (at: number, more: Partial<PartEdit> = {}): PartEdit => ({
  kind: 'part',
  layer: 'micro',
  at,
  part: 0,
  ...proofOf(at, at + 1),
  text: 'gone',
  becomesText: false,
  addresses: ['s_1'],
  reason: 'test',
  ...more,
});

const note = (at: number, text = 'remember', more: Partial<NoteEdit> = {}): NoteEdit => ({
  kind: 'note',
  layer: 'attach',
  at,
  ...proofOf(at, at + 1),
  text,
  addresses: [],
  reason: 'test',
  ...more,
});

/** The whole history with `edit` at its place. */
function viewWith(edit: Edit): View {
  const { entries, ...rest } = viewOf();
  const verbatim = [...entries];
  if (edit.kind === 'range') {
    const size = { tokens: 1, bytes: 1 };
    verbatim.splice(edit.from, edit.to - edit.from, { from: edit.from, to: edit.to, ...size, range: edit });
  } else {
    const entry = verbatim[edit.at]!;
    verbatim[edit.at] =
      edit.kind === 'part' ? { ...entry, patches: new Map([[edit.part, edit]]) } : { ...entry, notes: [edit] };
  }
  return { ...rest, entries: verbatim };
}

const failuresOf = (edit: Edit): readonly string[] => verifyView(viewWith(edit), history);

describe('a view that does not cover the history', () => {
  const { entries } = viewOf();
  const of = (list: readonly ViewEntry[]): readonly string[] =>
    verifyView({ entries: list, tokens: 0, bytes: 0 }, history);

  it('covers everything, once', () => {
    expect(of(entries)).toEqual([]);
  });

  it('is short at its end', () => {
    expect(of(entries.slice(0, 7))).toEqual(['the view covers 7 of 8 entries']);
    expect(of([])).toEqual(['the view covers 0 of 8 entries']);
  });

  it('has a hole', () => {
    expect(of(entries.toSpliced(0, 1))).toEqual(['view entry [1, 2) stands where 0 is due']);
  });

  it('says the same twice', () => {
    expect(of(entries.toSpliced(1, 0, entries[0]!))).toEqual(['view entry [0, 1) stands where 1 is due']);
  });

  it('has a verbatim entry that claims more than one message', () => {
    expect(of(entries.toSpliced(0, 2, { ...entries[0]!, to: 2 }))).toEqual(['view entry [0, 2) stands where 0 is due']);
  });

  it('has a range that is not the one its edit was made for', () => {
    const entry: ViewEntry = { from: 0, to: 2, tokens: 1, bytes: 1, range: range(0, 1) };
    expect(of(entries.toSpliced(0, 2, entry))).toEqual(['view entry [0, 2) stands where 0 is due']);
  });
});

describe('an edit', () => {
  it('is good where it stands on what it was made from', () => {
    expect([range(0, 2), part(3), note(5), note(3)].flatMap(failuresOf)).toEqual([]);
  });

  it('names no address', () => {
    expect(failuresOf(range(0, 2, { addresses: [] }))).toEqual(['summary edit at [0, 2): it names no address']);
    expect(failuresOf(part(3, { addresses: [] }))).toEqual(['micro edit at 3.0: it names no address']);
    expect(failuresOf(part(3, { addresses: [], layer: 'repair' }))).toEqual([]);
  });

  it('was made for other bytes', () => {
    expect(failuresOf(note(5, 'remember', { proof: history.digest(0, 1) }))).toEqual([
      'attach edit at 5: its proof does not match the history',
    ]);
  });

  it('hides the newest message of the user', () => {
    expect(failuresOf(part(7))).toEqual(['micro edit at 7.0: it hides the newest user message']);
    expect(failuresOf(range(7, 8))).toEqual(['summary edit at [7, 8): it hides the newest user message']);
  });

  it('parts a round at its start or at its end', () => {
    const fault = 'summary edit at [0, 3): it parts a round';
    expect(failuresOf(range(0, 3))).toContain(fault);
    expect(failuresOf(range(3, 4))).toContain('summary edit at [3, 4): it parts a round');
    expect(failuresOf(range(2, 4))).toEqual([]);
  });

  it('covers what has to stay', () => {
    expect(failuresOf(range(4, 6))).toEqual(['summary edit at [4, 6): it covers entry 4, which has to stay']);
  });

  it('covers what has to stay, as only a repair may', () => {
    expect(failuresOf(range(4, 6, { layer: 'repair' }))).toEqual([]);
  });

  it('adds to what the model or the host said', () => {
    expect(failuresOf(note(1))).toEqual(['attach edit at 1: it adds to a message of the model']);
    expect(failuresOf(note(4))).toEqual(['attach edit at 4: it adds to a message of the host']);
  });

  it('adds nothing', () => {
    expect(failuresOf(note(5, ' \n'))).toEqual([
      'attach edit at 5: its text is empty',
      'empty-text in view entry 5, part 1',
    ]);
  });
});

it('a view that parts a call from its result is named by entry and part', () => {
  const answered = historyOf([build.user('go'), call('a'), build.user('and?')]);
  expect(verifyView(viewOf(answered), answered)).toEqual(['unanswered-call in view entry 1, part 0']);
});

it('names each pin that is not in view', () => {
  const pinned = viewWith(note(5, 'keep this', { pin: 2 }));
  const pins = [1, 2, 3].map((id) => ({ id, text: 'keep this' }));
  expect(pinFailures(pinned, pins)).toEqual(['pin 1 is not in view', 'pin 3 is not in view']);
});

describe('assertView', () => {
  const pointing = part(3, { layer: 'arrival', pointsAt: { entry: 1, part: 0 } });

  it('lets a good view pass, asked for nothing more', () => {
    expect(() => assertView(viewOf(), history)).not.toThrow();
  });

  it('throws every failure in one sentence', () => {
    expect(() => assertView(viewWith(note(1, ' ')), history)).toThrow(
      'the new view failed its proof and was not used: attach edit at 1: it adds to a message of the model; attach edit at 1: its text is empty',
    );
    expect(() => assertView(viewWith(note(1, ' ')), history)).toThrow(
      expect.objectContaining({ code: 'INVARIANT_BROKEN' }),
    );
  });

  it('throws where a pin is missing', () => {
    expect(() => assertView(viewOf(), history, { pins: [{ id: 4, text: 'keep' }] })).toThrow('pin 4 is not in view');
  });

  it('throws where a pointer points at what is not in view, of what is about to be sent only', () => {
    const broken = viewWith(pointing);
    const entries = [{ ...broken.entries[0]!, to: 2, range: range(0, 2) }, ...broken.entries.slice(2)];
    const stale: View = { ...broken, entries };
    expect(() => assertView(stale, history)).not.toThrow();
    expect(() => assertView(stale, history, { hasPointers: true })).toThrow(
      'arrival edit at 3.0: it points at what is not in view',
    );
    expect(() => assertView(broken, history, { hasPointers: true })).not.toThrow();
  });

  it('throws where an edit changes what reasoning stands behind', () => {
    const thinking = historyOf([
      build.user('first'),
      call('a'),
      result('a'),
      build.assistant({ text: 'two', thought: 'hm' }),
      build.user('newest'),
    ]);
    const edit = part(2, { until: 3, proof: thinking.digest(2, 3) });
    expect(() => assertView(viewOf(thinking), thinking, { bound: [edit] })).toThrow(
      'micro edit at 2: the reasoning in entry 3 is bound to what it changes',
    );
  });
});
