/** What undo, redo and rewind may touch: the rules of the ledger, one by one. */
import { describe, expect, it } from 'vitest';
import type { Cause, Edit, Epoch, NoteEdit, PartEdit, RangeEdit, Revocation } from '../../src/core/edit.ts';
import type { History } from '../../src/core/history.ts';
import { dropping, editsInForce, hidesNewestUser, isProved, Ledger, rewindGroup } from '../../src/core/ledger.ts';
import { build, historyOf } from './support.ts';

const talk = (count: number): object[] =>
  Array.from({ length: count }, (_, index) =>
    index % 2 === 0 ? build.user(`question ${index}`) : build.assistant({ text: `answer ${index}` }),
  );

const history = historyOf(talk(10));

const base = (from: number, until: number) => ({
  until,
  proof: history.digest(from, until),
  addresses: ['s_1'],
  reason: 'test',
});

const range = (from: number, to: number, more: Partial<RangeEdit> = {}): RangeEdit => ({
  kind: 'range',
  layer: 'summary',
  from,
  to,
  ...base(from, to),
  pieces: ['short'],
  ...more,
});

const part = (at: number, more: Partial<PartEdit> = {}): PartEdit => ({
  kind: 'part',
  layer: 'micro',
  at,
  part: 0,
  ...base(at, at + 1),
  text: 'gone',
  becomesText: false,
  ...more,
});

const note = (at: number, more: Partial<NoteEdit> = {}): NoteEdit => ({
  kind: 'note',
  layer: 'attach',
  at,
  ...base(at, at + 1),
  text: 'remember',
  ...more,
});

const epoch = (seq: number, cause: Cause, ...edits: readonly Edit[]): Epoch => ({ seq, at: 10, cause, edits });

const undo = (seq: number, target: number): Revocation => ({ seq, at: 10, cause: 'undo', target });

function ledgerOf(...groups: Parameters<Ledger['append']>[0]): Ledger {
  const ledger = new Ledger();
  ledger.append(groups);
  return ledger;
}

describe('pins', () => {
  it('are the live ones, oldest first, and their numbers are never used again', () => {
    const ledger = ledgerOf(
      { seq: 1, at: 1, cause: 'pin', id: 1, text: 'one' },
      { seq: 2, at: 1, cause: 'pin', id: 2, text: 'two' },
      { seq: 3, at: 1, cause: 'unpin', id: 2 },
    );
    expect(ledger.pins).toEqual([{ id: 1, text: 'one' }]);
    expect(ledger.newestPin).toBe(2);
    expect(new Ledger().newestPin).toBe(0);
    expect(new Ledger().pins).toEqual([]);
  });
});

describe('what a log lacks', () => {
  const ledger = ledgerOf(epoch(1, 'manual', range(0, 2)), epoch(2, 'manual', range(2, 4)), undo(3, 2));

  it('is behind the number where it ends', () => {
    expect([0, 1, 2, 3, 9].map((seq) => ledger.since(seq).map((group) => group.seq))).toEqual([
      [1, 2, 3],
      [2, 3],
      [3],
      [],
      [],
    ]);
  });
});

describe('undo', () => {
  it('steps over notes, repairs and what an undo took back', () => {
    const ledger = ledgerOf(
      epoch(1, 'threshold', range(0, 2)),
      epoch(2, 'manual', range(2, 4)),
      epoch(3, 'every-turn', note(5), note(7)),
      epoch(4, 'repair', part(3)),
    );
    expect(ledger.newestRevocable(history)?.seq).toBe(2);
    ledger.append([undo(5, 2)]);
    expect(ledger.newestRevocable(history)?.seq).toBe(1);
    ledger.append([undo(6, 1)]);
    expect(ledger.newestRevocable(history)).toBeUndefined();
  });

  it('takes back an epoch that adds a note beside what it takes out', () => {
    expect(ledgerOf(epoch(1, 'manual', note(1), range(2, 4))).newestRevocable(history)?.seq).toBe(1);
  });

  it('steps over an epoch of which nothing is in force, not over one of which something is', () => {
    const other = { proof: history.digest(0, 1) };
    const ledger = ledgerOf(epoch(1, 'manual', part(3)), epoch(2, 'manual', part(5, other)));
    expect(ledger.newestRevocable(history)?.seq).toBe(1);
    ledger.append([epoch(3, 'manual', part(5, other), part(7))]);
    expect(ledger.newestRevocable(history)?.seq).toBe(3);
  });

  it('knows which epochs stand', () => {
    const one = epoch(1, 'manual', range(0, 2));
    const two = epoch(2, 'manual', range(2, 4));
    const ledger = ledgerOf(one, two, undo(3, 2));
    expect([one, two].map((each) => ledger.isStanding(each))).toEqual([true, false]);
    ledger.append([undo(4, 3)]);
    expect([one, two].map((each) => ledger.isStanding(each))).toEqual([true, true]);
  });
});

describe('what was taken back', () => {
  it('is held until it is made again, by the same layer at the same place', () => {
    const ledger = ledgerOf(epoch(1, 'manual', part(1), part(3), range(4, 6)), undo(2, 1));
    const held = (): readonly (number | undefined)[] =>
      ledger.held(history).map((edit) => (edit.kind === 'range' ? edit.from : edit.at));
    expect(held()).toEqual([1, 3, 4]);
    ledger.append([epoch(3, 'manual', part(3), part(4, { layer: 'budget' }))]);
    expect(held()).toEqual([1, 4]);
    ledger.append([epoch(4, 'manual', range(5, 6))]);
    expect(held()).toEqual([1]);
  });

  it('is held by what came after it only', () => {
    const ledger = ledgerOf(epoch(1, 'manual', part(1)), epoch(2, 'manual', part(1, { text: 'again' })), undo(3, 2));
    expect(ledger.held(history)).toEqual([part(1, { text: 'again' })]);
    // Of two epochs at one place only the last is taken back; what the first made, the second had made again.
    ledger.append([epoch(4, 'manual', part(3)), undo(5, 1)]);
    expect(ledger.held(history)).toEqual([part(1), part(1, { text: 'again' })]);
    ledger.append([undo(6, 3)]);
    expect(ledger.held(history)).toEqual([]);
  });

  it('is held over the bytes it was made for only', () => {
    const ledger = ledgerOf(epoch(1, 'manual', part(1), part(3)), undo(2, 1));
    expect(ledger.held(historyOf(talk(10).with(3, build.user('other'))))).toEqual([part(1)]);
  });
});

describe('redo', () => {
  const taken = (...later: Parameters<Ledger['append']>[0]): Ledger =>
    ledgerOf(epoch(1, 'manual', range(2, 4)), undo(2, 1), ...later);

  it('brings back the newest undo', () => {
    expect(taken().newestRedoable(history)?.seq).toBe(2);
    expect(ledgerOf(epoch(1, 'manual', range(2, 4))).newestRedoable(history)).toBeUndefined();
  });

  it('ends with a decision about what was sent', () => {
    for (const cause of ['manual', 'every-turn', 'threshold', 'cold', 'overflow'] as const)
      expect(taken(epoch(3, cause, range(6, 8))).newestRedoable(history)).toBeUndefined();
  });

  it('goes on over what arrived, was noted or was repaired elsewhere', () => {
    for (const cause of ['arrival', 'repair'] as const) {
      expect(taken(epoch(3, cause, part(5))).newestRedoable(history)?.seq).toBe(2);
      expect(taken(epoch(3, cause, part(5), part(3))).newestRedoable(history)).toBeUndefined();
    }
  });

  it('ends where one of several edits that would come back is touched', () => {
    const two = [epoch(1, 'manual', range(2, 4), part(7)), undo(2, 1)];
    expect(ledgerOf(...two, epoch(3, 'arrival', part(3))).newestRedoable(history)).toBeUndefined();
    expect(ledgerOf(...two, epoch(3, 'arrival', part(7))).newestRedoable(history)).toBeUndefined();
    expect(ledgerOf(...two, epoch(3, 'arrival', part(5))).newestRedoable(history)?.seq).toBe(2);
  });

  it('goes on over an epoch that was taken back itself', () => {
    const ledger = taken(epoch(3, 'manual', range(6, 8)), undo(4, 3));
    expect(ledger.newestRedoable(history)?.seq).toBe(4);
    ledger.append([undo(5, 4)]);
    // Epoch 3 stands again: the undo of epoch 1 is older than a decision.
    expect(ledger.newestUndo?.seq).toBe(2);
    expect(ledger.newestRedoable(history)).toBeUndefined();
  });

  it('brings back nothing that is not proved any more', () => {
    expect(taken().newestRedoable(historyOf(talk(10).with(3, build.user('other'))))).toBeUndefined();
    const two = ledgerOf(epoch(1, 'manual', range(2, 4), part(7)), undo(2, 1));
    expect(two.newestRedoable(historyOf(talk(10).with(7, build.user('other'))))).toBeUndefined();
    expect(two.newestRedoable(history)?.seq).toBe(2);
  });

  it('brings back nothing where all of it was dropped', () => {
    const drops = { seq: 3, at: 10, cause: 'rewind' as const, drops: [[1, 0] as const] };
    expect(taken(drops).newestRedoable(history)).toBeUndefined();
  });

  it('is not asked of an undo of an undo', () => {
    expect(taken(undo(3, 2)).newestUndo).toBeUndefined();
  });
});

describe('a rewind', () => {
  it('drops by number and index', () => {
    const groups = [epoch(1, 'manual', part(1), part(3)), epoch(2, 'manual', part(5), part(7))];
    const drops = { seq: 3, at: 10, cause: 'rewind' as const, drops: [[1, 1] as const, [2, 0] as const] };
    expect(editsInForce([...groups, drops], history)).toEqual([part(1), part(7)]);
    const ledger = ledgerOf(...groups, drops);
    expect(groups.map((group) => [...ledger.droppedOf(group)])).toEqual([[1], [0]]);
  });

  it('takes over what one that waits drops, and drops it once', () => {
    const ledger = ledgerOf(epoch(1, 'manual', part(1), part(3), part(5)));
    const changed = historyOf(talk(10).with(3, build.user('other')));
    const pending = { seq: 2, at: 10, cause: 'rewind' as const, drops: [[1, 0] as const] };
    expect(rewindGroup(ledger, changed, [pending])).toEqual({
      seq: 2,
      at: 10,
      cause: 'rewind',
      drops: [
        [1, 0],
        [1, 1],
      ],
    });
    expect(rewindGroup(ledger, history, [pending])?.drops).toEqual([[1, 0]]);
    expect(rewindGroup(ledger, history)).toBeUndefined();
  });

  it('drops further edits under its own number', () => {
    const [one, two] = [part(1), part(3)];
    const groups = [epoch(1, 'manual', one, two)];
    expect(dropping([], groups, { seq: 2, at: 10 })).toBeUndefined();
    const rewind = dropping([two], groups, { seq: 2, at: 10 });
    expect(rewind).toEqual({ seq: 2, at: 10, cause: 'rewind', drops: [[1, 1]] });
    expect(dropping([], groups, { rewind, seq: 9, at: 9 })).toBe(rewind);
    expect(dropping([one], groups, { rewind, seq: 9, at: 9 })).toEqual({
      seq: 2,
      at: 10,
      cause: 'rewind',
      drops: [
        [1, 1],
        [1, 0],
      ],
    });
  });
});

describe('a repair', () => {
  it('is remembered, whatever comes later', () => {
    const ledger = ledgerOf(epoch(1, 'manual', part(1)));
    expect(ledger.hasRepairs).toBe(false);
    ledger.append([epoch(2, 'manual', part(3)), epoch(3, 'repair', part(5))]);
    expect(ledger.hasRepairs).toBe(true);
    ledger.append([epoch(4, 'manual', part(7))]);
    expect(ledger.hasRepairs).toBe(true);
  });
});

describe('a proof', () => {
  it('needs the history it speaks of, and an end behind the edit', () => {
    const whole = range(2, 10);
    expect(isProved(whole, history)).toBe(true);
    expect(isProved(whole, historyOf(talk(9)))).toBe(false);
    expect(isProved(range(2, 6, base(2, 4)), history)).toBe(false);
    expect(isProved(part(4, base(4, 4)), history)).toBe(false);
  });
});

describe('the newest message of the user', () => {
  // Two texts and a picture around the result of a call, which is no word of the user.
  const [mixed = {}] = build.results([{ callId: 'a', text: 'result' }], 'and this');
  const asked: History = historyOf([
    build.user('go'),
    build.assistant({ calls: [{ id: 'a', name: 'bash', input: {} }] }),
    mixed,
    build.assistant({ text: 'done' }),
  ]);

  it('may lose the result it carries, not its words', () => {
    expect(hidesNewestUser(part(2), asked)).toBe(false);
    expect(hidesNewestUser(part(2, { part: 1 }), asked)).toBe(true);
    expect(hidesNewestUser(part(2, { part: 1, layer: 'fit' }), asked)).toBe(false);
    expect(hidesNewestUser(part(2, { part: 1, layer: 'repair' }), asked)).toBe(false);
    expect(hidesNewestUser(part(2, { part: 2 }), asked)).toBe(false);
  });

  it('may have a note behind it', () => {
    expect(hidesNewestUser(note(2), asked)).toBe(false);
  });

  it('is hidden by a range over it, unless all its words are carried', () => {
    expect(hidesNewestUser(range(0, 3), asked)).toBe(true);
    expect(hidesNewestUser(range(0, 2), asked)).toBe(false);
    expect(hidesNewestUser(range(3, 4), asked)).toBe(false);
    expect(hidesNewestUser(range(0, 3, { pieces: [{ entry: 2, part: 1 }] }), asked)).toBe(false);
    // The part of that number, of another message.
    expect(hidesNewestUser(range(0, 3, { pieces: [{ entry: 0, part: 1 }] }), asked)).toBe(true);
    expect(hidesNewestUser(range(0, 3, { capped: 0 }), asked)).toBe(true);
    expect(hidesNewestUser(range(0, 3, { layer: 'repair' }), asked)).toBe(false);
  });

  it('is hidden nowhere where the user said nothing', () => {
    const alone = historyOf([build.assistant({ text: 'hello' })]);
    expect(hidesNewestUser(range(0, 1), alone)).toBe(false);
  });
});
