/** What an epoch changed, with the words of both sides. */
import { describe, expect, it } from 'vitest';
import { wireBuilders } from '../../src/testing/wire-builder.ts';
import { TestSession } from '../golden/session.ts';

const writer = { name: 'stub', write: async () => ({ text: 'THE SUMMARY', stop: 'end' as const }) };

async function compactTo(session: TestSession, length: number): Promise<void> {
  session.context.compact({ span: { upTo: length } });
  await (await session.prepare()).keep();
}

describe.each(wireBuilders)('diff, $name', (builder) => {
  it('of a summary is the head of what it covers and the whole of what stands there', async () => {
    const session = new TestSession({ builder, writer }).talk(9, 900);
    await compactTo(session, 4);
    const diff = session.context.diff();
    expect(diff).toMatchObject({ epochId: 1, cause: 'manual', isInForce: true });
    expect(diff?.changes).toHaveLength(1);
    const [change] = diff?.changes ?? [];
    expect(change).toMatchObject({ layer: 'summary', what: 'messages 0 to 3', from: 0, to: 4, beforeChars: 3_603 });
    expect(change?.before).toHaveLength(2_000);
    expect(change?.before.slice(0, 12)).toBe('0 word word ');
    expect(change?.after).toContain('THE SUMMARY');
    expect(change?.after).toContain(change?.addresses[0]);
    expect(diff?.tokensAfter).toBe(session.context.view().tokens);
  });

  it('of a result that left is the result and its marker', async () => {
    const session = new TestSession({ builder }).user('go');
    for (let i = 0; i < 4; i += 1) session.round(`${i} `.repeat(400));
    await session.send();
    const [change] = session.context.diff()?.changes ?? [];
    expect(change).toMatchObject({ layer: 'micro', what: 'bash step 1', part: 0, beforeChars: 800 });
    expect(change?.before).toBe('0 '.repeat(400));
    expect(change?.after).toMatch(/^\[Earlier tool result compacted/);
  });

  it('tells of any epoch by number, with what earlier ones had left', async () => {
    const session = new TestSession({ builder, writer }).talk(9, 900);
    await compactTo(session, 2);
    await compactTo(session, 4);
    expect(session.context.diff(1)?.changes[0]).toMatchObject({ from: 0, to: 2, beforeChars: 1_801 });
    const second = session.context.diff(2)?.changes[0];
    expect(second).toMatchObject({ from: 0, to: 4 });
    expect(second?.before).toContain('THE SUMMARY');
    await session.context.undo();
    expect(session.context.diff(2)).toMatchObject({ epochId: 2, isInForce: false });
    expect(session.context.diff()).toMatchObject({ epochId: 1, isInForce: true });
  });

  it('is undefined where there is no such epoch, and where a move dropped all of it', async () => {
    const session = new TestSession({ builder, writer }).talk(9, 900);
    expect(session.context.diff()).toBeUndefined();
    expect(session.context.diff(7)).toBeUndefined();
    await compactTo(session, 6);
    session.context.rewind(3);
    expect(session.context.diff(1)).toBeUndefined();
  });
});
