/** What one entry of a view says to the provider. */
import { describe, expect, it } from 'vitest';
import type { PartEdit, RangeEdit } from '../../src/core/edit.ts';
import { effectiveEntry, effectiveParts } from '../../src/core/effective.ts';
import type { ViewEntry } from '../../src/core/view.ts';
import { build, call, historyOf } from './support.ts';

const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
const content = [
  { type: 'text', text: 'seen' },
  { type: 'image', source },
];
const history = historyOf([
  build.user('go'),
  call('a'),
  build.results([{ callId: 'a', text: '', content }], 'and words')[0] ?? {},
]);

const base = { layer: 'micro', until: 3, proof: '0', addresses: [], reason: 'test' } as const;
const entry = (at: number, more: Partial<ViewEntry> = {}): ViewEntry => ({
  from: at,
  to: at + 1,
  tokens: 1,
  bytes: 1,
  ...more,
});
const patch = (part: number, text: string, becomesText = false): [number, PartEdit] => [
  part,
  { ...base, kind: 'part', at: 2, part, text, becomesText },
];

it('a verbatim entry says what it said', () => {
  expect(effectiveEntry(entry(2), history)).toEqual(history.at(2));
});

describe('a patched entry', () => {
  const patched = (...patches: [number, PartEdit][]) =>
    effectiveParts(entry(2, { patches: new Map(patches) }), history);

  it('keeps a result a result, without its pictures', () => {
    expect(patched(patch(0, 'gone'))).toEqual([
      { kind: 'result', callId: 'a', text: 'gone', content: 'gone', mediaCount: 0, isError: false },
      { kind: 'text', text: 'and words' },
    ]);
  });

  it('makes a text of what a repair turned into one, and of what is no result', () => {
    expect(patched(patch(0, 'lost', true), patch(1, 'cut'))).toEqual([
      { kind: 'text', text: 'lost' },
      { kind: 'text', text: 'cut' },
    ]);
    const ofCall = effectiveParts(entry(1, { patches: new Map([patch(0, 'called')]) }), history);
    expect(ofCall).toEqual([{ kind: 'text', text: 'called' }]);
  });
});

it('notes stand behind everything else, in order', () => {
  const note = (text: string) => ({ ...base, kind: 'note' as const, at: 0, text });
  expect(effectiveParts(entry(0, { notes: [note('one'), note('two')] }), history)).toEqual([
    { kind: 'text', text: 'go' },
    { kind: 'text', text: 'one' },
    { kind: 'text', text: 'two' },
  ]);
});

describe('the message that stands for a range', () => {
  const range: RangeEdit = {
    ...base,
    kind: 'range',
    from: 1,
    to: 3,
    pieces: ['a summary', { entry: 2, part: 1 }, { entry: 0, part: 7 }],
  };

  it('is the user’s, whoever spoke first in it', () => {
    expect(history.at(1).origin).toBe('model');
    expect(effectiveEntry(entry(1, { to: 3, range }), history).origin).toBe('user');
    expect(effectiveEntry(entry(1), history).origin).toBe('model');
  });

  it('says its texts, and parts of the history as the same objects; what is not there it leaves out', () => {
    const parts = effectiveParts(entry(1, { to: 3, range }), history);
    expect(parts).toEqual([
      { kind: 'text', text: 'a summary' },
      { kind: 'text', text: 'and words' },
    ]);
    expect(parts[1]).toBe(history.at(2).parts[1]);
  });
});
