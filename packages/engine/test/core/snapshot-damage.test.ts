/** A snapshot damaged in one place is refused whole; texts the archive lost cost the edit, and nothing else. */
import { describe, expect, it } from 'vitest';
import type { Edit, NoteEdit, PartEdit, RangeEdit } from '../../src/core/edit.ts';
import {
  checkSnapshot,
  INLINE_CHARS,
  loadGroup,
  longTexts,
  type StoredGroup,
  storeGroup,
} from '../../src/core/snapshot.ts';
import { hash } from './support.ts';

const base = { layer: 'summary', until: 4, proof: 'p', addresses: ['s_1'], reason: 'r' } as const;

const range: RangeEdit = {
  ...base,
  kind: 'range',
  from: 0,
  to: 2,
  pieces: ['short', { entry: 1, part: 0 }],
  pins: [[0, 1]],
  notes: [0],
  narrative: { piece: 0, from: 0, chars: 5, generation: 1 },
};
const part: PartEdit = { ...base, kind: 'part', at: 2, part: 0, text: 'gone', becomesText: false };
const note: NoteEdit = { ...base, kind: 'note', at: 3, text: 'remember', pin: 1 };

/** A snapshot with a group of each kind. */
const sound = () => ({
  v: 1,
  groups: [
    { seq: 1, at: 4, cause: 'manual', edits: [range, part, note, { ...part, text: { at: 's_2' } }] },
    { seq: 2, at: 4, cause: 'undo', target: 1 },
    { seq: 3, at: 4, cause: 'rewind', drops: [[1, 0]] },
    { seq: 4, at: 4, cause: 'pin', id: 1, text: 'keep' },
    { seq: 5, at: 4, cause: 'unpin', id: 1 },
    { seq: 6, at: 4, cause: 'manual', edits: [{ ...range, pieces: [{ at: 's_3' }], pins: undefined }] },
  ],
  meter: { ratio: 1.1, reports: 2 },
  breaker: { failures: 0, target: '' },
  holdLength: -1,
  learnedWindows: [['m', 200_000]],
});

/** `sound` with another value at `path`. */
function damaged(path: string, value: unknown): unknown {
  const snapshot = structuredClone(sound()) as unknown;
  const names = path.split('.');
  const last = names.pop()!;
  const place = names.reduce((at, name) => (at as Record<string, unknown>)[name], snapshot);
  (place as Record<string, unknown>)[last] = value;
  return snapshot;
}

const EDITS = 'groups.0.edits';

const DAMAGES: readonly (readonly [path: string, value: unknown])[] = [
  ['groups', {}],
  ['groups.1', []],
  ['groups.1.seq', '2'],
  ['groups.1.seq', 1],
  ['groups.1.at', -1],
  ['groups.1.at', 0.5],
  ['groups.1.target', undefined],
  ['groups.2.drops', undefined],
  ['groups.2.drops', [[1, 0], [1]]],
  ['groups.2.drops.0', [1, 0, 0]],
  ['groups.2.drops.0', [1, 'x']],
  ['groups.2.drops.0', { 0: 1, 1: 0, length: 2 }],
  ['groups.2.drops.0', 7],
  ['groups.3.id', '1'],
  ['groups.3.text', 7],
  ['groups.4.id', undefined],
  ['groups.0.cause', 7],
  [EDITS, undefined],
  [EDITS, {}],
  [`${EDITS}.1`, null],
  [`${EDITS}.1`, 'x'],
  [`${EDITS}.0.until`, -1],
  [`${EDITS}.0.proof`, 7],
  [`${EDITS}.0.layer`, undefined],
  [`${EDITS}.0.addresses`, 's_1'],
  [`${EDITS}.0.kind`, 'other'],
  [`${EDITS}.0.kind`, ['part']],
  [`${EDITS}.0.kind`, undefined],
  [`${EDITS}.0.from`, -1],
  [`${EDITS}.0.to`, '2'],
  [`${EDITS}.0.pieces`, 'short'],
  [`${EDITS}.0.pieces`, { every: true }],
  [`${EDITS}.0.pieces.1`, 7],
  [`${EDITS}.0.pieces.1`, { entry: 1 }],
  [`${EDITS}.0.pieces.1`, { part: 0 }],
  [`${EDITS}.0.pieces.1`, { at: 7 }],
  [`${EDITS}.0.pieces.1`, ['short']],
  [`${EDITS}.0.pins`, 7],
  [`${EDITS}.0.pins`, [[1]]],
  [`${EDITS}.0.notes`, 7],
  [`${EDITS}.0.notes`, ['x']],
  [`${EDITS}.0.narrative`, 7],
  [`${EDITS}.0.narrative`, null],
  [`${EDITS}.0.narrative.piece`, undefined],
  [`${EDITS}.0.narrative.from`, -1],
  [`${EDITS}.0.narrative.chars`, undefined],
  [`${EDITS}.0.narrative.generation`, '1'],
  [`${EDITS}.1.at`, undefined],
  [`${EDITS}.1.part`, undefined],
  [`${EDITS}.1.text`, 7],
  [`${EDITS}.1.text`, {}],
  [`${EDITS}.2.at`, undefined],
  [`${EDITS}.2.text`, undefined],
  [`${EDITS}.2.pin`, 'x'],
  [`${EDITS}.3.text.at`, 7],
  ['meter', 7],
  ['meter.ratio', 0],
  ['meter.ratio', -1],
  ['meter.ratio', '1'],
  ['meter.reports', -1],
  ['breaker.failures', -1],
  ['breaker.target', 7],
  ['holdLength', 0.5],
  ['learnedWindows', {}],
  ['learnedWindows.0', 'm'],
  ['learnedWindows.0', { 0: 'm', 1: 200_000 }],
  ['learnedWindows.0.0', 7],
  ['learnedWindows.0.1', '200000'],
  ['learnedWindows.0.1', 999],
];

describe('a snapshot', () => {
  it('is taken as it is where all of it is sound', () => {
    const snapshot = sound();
    expect(checkSnapshot(snapshot)).toBe(snapshot);
  });

  it.each(DAMAGES)('is refused with another %s: %j', (path, value) => {
    const member = path.split('.')[0]!;
    expect(() => checkSnapshot(damaged(path, value))).toThrow(
      expect.objectContaining({ code: 'SNAPSHOT_UNREADABLE', message: expect.stringContaining(member) }),
    );
  });

  it('may name no pins, notes or narrative', () => {
    for (const name of ['pins', 'notes', 'narrative'])
      expect(() => checkSnapshot(damaged(`${EDITS}.0.${name}`, undefined))).not.toThrow();
    expect(() => checkSnapshot(damaged(`${EDITS}.2.pin`, undefined))).not.toThrow();
  });
});

describe('long texts', () => {
  const inline = 'x'.repeat(INLINE_CHARS);
  const long = `${inline}y`;
  const edits: readonly Edit[] = [
    { ...range, pieces: [long, inline, { entry: 1, part: 0 }] },
    { ...part, text: long },
    { ...part, text: inline },
    { ...note, text: long },
  ];
  const stored = storeGroup({ seq: 1, at: 4, cause: 'manual', edits }, hash) as StoredGroup & {
    edits: readonly object[];
  };

  it('are named from the 257th character on', () => {
    const [address] = [...longTexts(edits, hash).keys()];
    expect([...longTexts(edits, hash)]).toEqual([[address, long]]);
    expect(stored.edits).toEqual([
      { ...range, pieces: [{ at: address }, inline, { entry: 1, part: 0 }] },
      { ...part, text: { at: address } },
      { ...part, text: inline },
      { ...note, text: { at: address } },
    ]);
  });

  it('come back from the archive', async () => {
    const loaded = await loadGroup(stored, async () => long);
    expect(loaded).toEqual({ seq: 1, at: 4, cause: 'manual', edits });
  });

  it('that are lost take their edits out of force, and no other', async () => {
    const loaded = await loadGroup(stored, async () => undefined);
    expect(loaded).toEqual({
      seq: 1,
      at: 4,
      cause: 'manual',
      edits: [
        { ...range, pieces: [], proof: '' },
        { ...part, text: '', proof: '' },
        { ...part, text: inline },
        { ...note, text: '', proof: '' },
      ],
    });
  });

  it('are not looked for in a group without edits', async () => {
    const undo = { seq: 2, at: 4, cause: 'undo' as const, target: 1 };
    expect(storeGroup(undo, hash)).toBe(undo);
    expect(await loadGroup(undo, async () => undefined)).toBe(undo);
  });
});
