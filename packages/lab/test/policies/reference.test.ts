import { expect, it } from 'vitest';
import type { Contestant } from '../../src/policies/contestant.ts';
import { clearInBatches, compactAt, maskEveryTurn } from '../../src/policies/reference.ts';
import { PRICES, pricesOf } from '../../src/prices.ts';
import type { Message } from '../../src/session/recorded.ts';

/** `rounds` rounds after the user's words, each of a call and a result of 10 tokens. */
function historyOf(rounds: number): readonly Message[] {
  const list: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }];
  for (let round = 0; round < rounds; round += 1)
    list.push(
      { role: 'assistant', content: [{ type: 'tool_use', id: `c${round}`, name: 'read', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: `c${round}`, content: `result ${round}` }] },
    );
  return list;
}

const HISTORY = historyOf(6);

/** Ten tokens a message, one a cleared result. */
function tokensOf(message: object): number {
  return JSON.stringify(message).includes('was cleared') ? 1 : 10;
}

function start(contestant: Contestant): (length: number) => Promise<readonly string[]> {
  const course = contestant.start({
    format: 'pi',
    prices: PRICES['anthropic'] ?? pricesOf('anthropic'),
    windowTokens: 200_000,
    maxOutputTokens: 8_000,
    model: '',
    headTokens: 0,
    count: (text) => text.length,
    tokensOf,
  });
  return async (length) => {
    const view = (await course.view({ history: HISTORY.slice(0, length), atMs: 0 })) as readonly Message[];
    return view.map(({ content: [block] }) => String(block?.['content'] ?? block?.['text'] ?? block?.['id']));
  };
}

const CLEARED = 'The result was cleared to save room.';

it('masks all but the newest rounds at every call', async () => {
  const view = start(maskEveryTurn(2));
  expect(await view(5)).toEqual(['Go.', 'c0', 'result 0', 'c1', 'result 1']);
  expect(await view(7)).toEqual(['Go.', 'c0', CLEARED, 'c1', 'result 1', 'c2', 'result 2']);
});

it('clears in batches, and leaves alone what it sent until the next', async () => {
  const view = start(clearInBatches('b', { triggerTokens: 70, keep: 1, atLeastTokens: 15 }));
  expect(await view(5)).toEqual(['Go.', 'c0', 'result 0', 'c1', 'result 1']);
  const batch = ['Go.', 'c0', CLEARED, 'c1', CLEARED, 'c2', 'result 2'];
  expect(await view(7)).toEqual(batch);
  // 72 tokens, but only 9 to be freed.
  expect(await view(9)).toEqual([...batch, 'c3', 'result 3']);
  expect(await view(11)).toEqual(['Go.', 'c0', CLEARED, 'c1', CLEARED, 'c2', CLEARED, 'c3', CLEARED, 'c4', 'result 4']);
});

it('replaces all but whole rounds at the end by a summary', async () => {
  const view = start(compactAt('c', { triggerTokens: 70, tailTokens: 25 }));
  expect(await view(5)).toHaveLength(5);
  const [summary, ...tail] = await view(7);
  expect(summary).toMatch(/^Summary of the conversation so far\./);
  expect(tail).toEqual(['c2', 'result 2']);
  expect(await view(9)).toEqual([summary, 'c2', 'result 2', 'c3', 'result 3']);
});
