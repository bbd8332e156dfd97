import { describe, expect, it } from 'vitest';
import { codePointTokens } from '../../src/core/estimate.ts';
import { checkSnapshot, INLINE_CHARS, loadGroup, longTexts, storeGroup } from '../../src/core/snapshot.ts';
import { memoryArchive } from '../properties/support/doubles.ts';
import { TestSession } from '../golden/session.ts';
import { hash, historyOf } from './support.ts';

async function saved(): Promise<TestSession> {
  const session = new TestSession({ windowTokens: 8_000, maxOutputTokens: 1_000 })
    .user('task '.repeat(200))
    .assistant('ok')
    .user('go');
  for (let i = 0; i < 8; i += 1) session.round(`${i} ${'x'.repeat(3_000)}`);
  await session.send();
  return session;
}

const SOUND = {
  v: 1,
  groups: [],
  meter: { ratio: 1, reports: 0 },
  breaker: { failures: 0, target: '' },
  holdLength: -1,
  learnedWindows: [],
};

function noteOf(pin: unknown, kind = 'note'): object {
  const edit = { kind, layer: 'attach', at: 0, until: 1, proof: 'x', text: 'x', pin, addresses: [], reason: 'x' };
  return { seq: 1, at: 1, cause: 'arrival', edits: [edit] };
}

function undoOf(seq: number): object {
  return { seq, at: 0, cause: 'undo', target: 1 };
}

describe('snapshot', () => {
  it.each([
    ['nothing', undefined, 'is an object'],
    ['a text', 'x', 'is an object'],
    ['a newer version', { v: 2 }, 'version 2 is not 1'],
    ['no version', {}, 'version undefined is not 1'],
    ['a group that is none', { ...SOUND, groups: [null] }, 'groups is missing or changed'],
    ['groups out of order', { ...SOUND, groups: [undoOf(2), undoOf(1)] }, 'groups is missing or changed'],
    [
      'a pin without a text',
      { ...SOUND, groups: [{ seq: 1, at: 0, cause: 'pin', id: 1 }] },
      'groups is missing or changed',
    ],
    ['no pin taken off', { ...SOUND, groups: [{ seq: 1, at: 0, cause: 'unpin' }] }, 'groups is missing or changed'],
    ['a note of a pin that is none', { ...SOUND, groups: [noteOf('1')] }, 'groups is missing or changed'],
    ['an edit of no known kind', { ...SOUND, groups: [noteOf(1, 'toString')] }, 'groups is missing or changed'],
    ['a ratio that is none', { ...SOUND, meter: { ratio: Number.NaN, reports: 1 } }, 'meter is missing or changed'],
    ['no breaker', { ...SOUND, breaker: null }, 'breaker is missing or changed'],
    ['a window below the smallest', { ...SOUND, learnedWindows: [['m', 1]] }, 'learnedWindows is missing or changed'],
    ['half of one', { v: 1, groups: [] }, 'meter is missing or changed'],
  ])('refuses %s', (_, value, message) => {
    expect(() => checkSnapshot(value)).toThrow(
      expect.objectContaining({ code: 'SNAPSHOT_UNREADABLE', message: expect.stringContaining(message) }),
    );
  });

  it('takes a note of a pin', () => {
    const sound = { ...SOUND, groups: [noteOf(1)] };
    expect(checkSnapshot(sound)).toBe(sound);
  });

  it('survives JSON, long texts in the archive and short ones inline', async () => {
    const session = await saved();
    const { archive, context } = session;
    for (const group of context.groups()) {
      const stored = JSON.parse(JSON.stringify(storeGroup(group, hash))) as ReturnType<typeof storeGroup>;
      expect(await loadGroup(stored, (address) => archive.get(address))).toEqual(group);
      for (const text of 'edits' in group ? longTexts(group.edits, hash).values() : [])
        expect(text.length).toBeGreaterThan(INLINE_CHARS);
    }
  });

  it('drops the edit whose text the archive lost, and sends what it replaced', async () => {
    const session = await saved();
    session.context.compact();
    await session.send();
    const before = session.context.view();
    expect(before.entries.some((entry) => entry.range !== undefined)).toBe(true);
    const after = new TestSession({ archive: memoryArchive() });
    await after.context.restore(session.context.snapshot(), session.context.history());
    expect(after.context.view().entries.some((entry) => entry.range !== undefined)).toBe(false);
    expect(after.context.history()).toEqual(session.context.history());
  });

  it('carries the ratio over and leaves the anchor behind', async () => {
    const session = new TestSession().user('go');
    await session.send({ text: 'ok', usageTokens: 100 });
    const { meter } = session.context.snapshot();
    expect(meter.anchor).toBeDefined();
    const after = new TestSession();
    await after.context.restore(session.context.snapshot(), session.context.history());
    expect(after.context.snapshot().meter).toEqual({ ratio: meter.ratio, reports: 1 });
    expect(historyOf(after.context.history()).tokens).toBe(
      session.context.history().reduce((sum, message) => sum + historyOf([message]).tokens, 0),
    );
    expect(codePointTokens('go')).toBe(1);
  });
});
