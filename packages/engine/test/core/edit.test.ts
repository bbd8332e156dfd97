/** Where edits lie: half-open, so that neighbours do not touch. */
import { describe, expect, it } from 'vitest';
import { type Edit, endOf, type Epoch, isEpoch, isNotes, overlaps, startOf } from '../../src/core/edit.ts';

const base = { layer: 'micro', until: 9, proof: '0', addresses: [], reason: 'test' } as const;
const range = (from: number, to: number): Edit => ({ ...base, kind: 'range', from, to, pieces: [] });
const part = (at: number): Edit => ({ ...base, kind: 'part', at, part: 3, text: '', becomesText: false });
const note = (at: number): Edit => ({ ...base, kind: 'note', at, text: 'x' });

describe('the place of an edit', () => {
  it('ends in front of the next entry', () => {
    expect([range(2, 5), part(2), note(2)].map((edit) => [startOf(edit), endOf(edit)])).toEqual([
      [2, 5],
      [2, 3],
      [2, 3],
    ]);
  });

  it('is not that of its neighbour', () => {
    expect(overlaps(range(0, 2), range(2, 4))).toBe(false);
    expect(overlaps(range(2, 4), range(0, 2))).toBe(false);
    expect(overlaps(part(1), part(2))).toBe(false);
    expect(overlaps(range(0, 2), part(1))).toBe(true);
    expect(overlaps(range(1, 2), range(0, 4))).toBe(true);
    expect(overlaps(range(0, 4), range(1, 2))).toBe(true);
  });
});

describe('an epoch', () => {
  const epoch = (...edits: Edit[]): Epoch => ({ seq: 1, at: 9, cause: 'manual', edits });

  it('is a group with edits', () => {
    expect(isEpoch(epoch())).toBe(true);
    expect(isEpoch({ seq: 2, at: 9, cause: 'undo', target: 1 })).toBe(false);
  });

  it('is one of notes where all its edits are', () => {
    expect(isNotes(epoch(note(1), note(2)))).toBe(true);
    expect(isNotes(epoch(note(1), part(2)))).toBe(false);
  });
});
