import { describe, expect, it } from 'vitest';
import type { Epoch, PartEdit, RangeEdit } from '../../src/core/edit.ts';
import type { History } from '../../src/core/history.ts';
import { rangeEdit } from '../../src/core/layers/range-edits.ts';
import { editsInForce, hidesNewestUser, Ledger, rewindGroup } from '../../src/core/ledger.ts';
import { build, historyOf } from './support.ts';

const talk = (count: number): object[] =>
  Array.from({ length: count }, (_, index) =>
    index % 2 === 0 ? build.user(`question ${index}`) : build.assistant({ text: `answer ${index}` }),
  );

function range(history: History, from: number, to: number): RangeEdit {
  return rangeEdit(
    { from, to, layer: 'summary', reason: 'test', pieces: ['short'], addresses: [history.address(from, to)] },
    history,
  );
}

const epoch = (seq: number, ...edits: readonly (RangeEdit | PartEdit)[]): Epoch => ({
  seq,
  at: 10,
  cause: 'manual',
  edits,
});

describe('ledger', () => {
  const history = historyOf(talk(10));

  it('numbers groups from 1', () => {
    const ledger = new Ledger();
    expect(ledger.nextSeq).toBe(1);
    ledger.append([epoch(1, range(history, 0, 2))]);
    expect(ledger.nextSeq).toBe(2);
  });

  it('takes back the newest epoch that stands, and never a repair', () => {
    const ledger = new Ledger();
    ledger.append([
      epoch(1, range(history, 0, 2)),
      epoch(2, range(history, 2, 4)),
      { ...epoch(3, range(history, 4, 6)), cause: 'repair' },
    ]);
    expect(ledger.newestRevocable(history)?.seq).toBe(2);
    ledger.append([{ seq: 4, at: 10, cause: 'undo', target: 2 }]);
    expect(ledger.newestRevocable(history)?.seq).toBe(1);
    expect(ledger.held(history)).toHaveLength(1);
    expect(editsInForce(ledger.groups, history).map((edit) => edit.kind === 'range' && edit.from)).toEqual([0, 4]);
  });

  it('keeps an edit in force only over the bytes it was made for', () => {
    const groups = [epoch(1, range(history, 2, 5))];
    const amended = (at: number): History => historyOf(talk(10).with(at, build.user('other')));
    expect(editsInForce(groups, history)).toHaveLength(1);
    expect(editsInForce(groups, amended(1))).toHaveLength(1);
    expect(editsInForce(groups, amended(3))).toHaveLength(0);
    // It hides a message of the user, so the newer one that allowed it is evidence too.
    expect(editsInForce(groups, amended(8))).toHaveLength(0);
    expect(editsInForce(groups, historyOf(talk(4)))).toHaveLength(0);
  });

  it('drops for good what a rewind left without proof, even when the same bytes come again', () => {
    const ledger = new Ledger();
    ledger.append([epoch(1, range(history, 2, 5))]);
    const short = historyOf(talk(4));
    const rewind = rewindGroup(ledger, short);
    expect(rewind).toMatchObject({ seq: 2, cause: 'rewind', drops: [[1, 0]] });
    ledger.append(rewind === undefined ? [] : [rewind]);
    expect(editsInForce(ledger.groups, history)).toEqual([]);
    expect(rewindGroup(ledger, history)).toBeUndefined();
  });

  it('knows what hides the newest user message', () => {
    expect(hidesNewestUser(range(history, 6, 10), history)).toBe(true);
    expect(hidesNewestUser({ ...range(history, 6, 10), capped: 8 }, history)).toBe(false);
    expect(hidesNewestUser({ ...range(history, 6, 10), pieces: ['s', { entry: 8, part: 0 }] }, history)).toBe(false);
    expect(hidesNewestUser(range(history, 0, 8), history)).toBe(false);
  });
});
