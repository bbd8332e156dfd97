/** The short addresses a digest names are redeemed like whole ones, and by no other history. */
import { describe, expect, it } from 'vitest';
import { TestSession } from '../golden/session.ts';

const LONG = 'word '.repeat(4_000);

async function digested(words: string): Promise<{ session: TestSession; addresses: readonly string[] }> {
  const session = new TestSession().user(`${words} ${LONG}`).round(LONG, LONG).user('and now?');
  session.context.compact();
  const turn = await session.prepare();
  const text = JSON.stringify(turn.request);
  await turn.accept(session.builder.reply({ text: 'Done.' }));
  return { session, addresses: [...text.matchAll(/\[(h_\d+\.\d+_[0-9a-f]{4})\]/g)].map(([, address = '']) => address) };
}

describe('an address in a digest', () => {
  it('gives the exact part', async () => {
    const { session, addresses } = await digested('Do this.');
    expect(addresses.length).toBe(3);
    const [user = '', command = ''] = addresses;
    expect(await session.context.recall(user)).toEqual({ kind: 'content', address: user, text: `Do this. ${LONG}` });
    expect(await session.context.recall(command)).toMatchObject({ text: '{"command":"step 1"}' });
  });

  it('of another history is unknown, and so is one without enough proof', async () => {
    const { addresses } = await digested('Do this.');
    const { session } = await digested('Do that.');
    const [user = ''] = addresses;
    await expect(session.context.recall(user)).rejects.toMatchObject({ code: 'UNKNOWN_ADDRESS' });
    for (const short of ['h_0.0', 'h_0.0_', 'h_0.0_abc']) {
      await expect(session.context.recall(short)).rejects.toMatchObject({ code: 'UNKNOWN_ADDRESS' });
    }
  });
});
