/** Where the text of a summary stands when the conversation cannot be replaced in one piece. */
import { describe, expect, it } from 'vitest';
import { messagesOf, type Options, TestSession, textsOf } from '../golden/session.ts';

const LONG = 'word '.repeat(800);

/** Two stretches around a message of the host. */
async function stretches(
  writes: string,
  older: string,
  newer: string,
  options: Options = {},
): Promise<readonly string[]> {
  const writer = { name: 'stub', write: async () => ({ text: writes, stop: 'end' as const }) };
  const session = new TestSession({ writer, ...options }).user(`old ${older}`).assistant(older).user('and?');
  session.context.append([session.builder.host('rule')]);
  session.assistant('Noted.').user(`new ${newer}`).assistant(newer).user('go');
  session.context.compact();
  const turn = await session.prepare();
  return messagesOf(turn, session.builder).map((message) => textsOf(message)[0] ?? '');
}

const ADDRESS = /\n\nThe original messages: recall: h_\S+$/;
const headOf = (text: string | undefined): string | undefined => text?.replace(ADDRESS, '').slice(0, 70);

describe('a summary around a message that has to stay', () => {
  it('stands in the newest stretch, and the older one says so', async () => {
    const texts = await stretches('THE SUMMARY', LONG, LONG);
    expect(texts.map(headOf)).toEqual([
      '[Compacted]\n\nSummarised in a later message.',
      'rule',
      'Noted.',
      expect.stringMatching(/^\[Compacted\]\n\nTHE SUMMARY/),
    ]);
  });

  it('whose newest stretch it would not make smaller stands in the older one, and nothing points to a later message', async () => {
    const texts = await stretches('THE SUMMARY', LONG, 'short');
    expect(texts.map(headOf)).toEqual([
      expect.stringMatching(/^\[Compacted\]\n\nTHE SUMMARY/),
      'rule',
      'Noted.',
      'new short',
      'short',
      'go',
    ]);
  });

  it('is named by the newest stretch where only a pointer makes that one smaller', async () => {
    const texts = await stretches('THE SUMMARY '.repeat(100), LONG, 'some words '.repeat(50));
    expect(texts.map(headOf)).toEqual([
      expect.stringMatching(/^\[Compacted\]\n\nTHE SUMMARY/),
      'rule',
      'Noted.',
      '[Compacted]\n\nSummarised in an earlier message.',
    ]);
  });

  it('of a model that no stretch has room for gives way to the code writer', async () => {
    const texts = await stretches('THE SUMMARY '.repeat(2_000), LONG, 'some words '.repeat(50));
    expect(texts[0]).toMatch(/^\[Compacted\]\n\nMessages of the user:/);
    expect(texts.join()).not.toContain('THE SUMMARY');
  });
});
