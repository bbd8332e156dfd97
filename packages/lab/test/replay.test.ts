import { expect, it } from 'vitest';
import { measure } from '../src/measured.ts';
import { policyOf } from '../src/policies/by-name.ts';
import { pricesOf } from '../src/prices.ts';
import { replay } from '../src/replay.ts';
import { parseSession } from '../src/session/read.ts';

const line = (record: object): string => JSON.stringify(record);

const SESSION = [
  line({ type: 'session', id: 's', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/w' }),
  line({ type: 'message', message: { role: 'user', content: 'Read it.', timestamp: 0 } }),
  line({
    type: 'message',
    message: {
      role: 'assistant',
      content: [{ type: 'toolCall', id: 'a', name: 'read', arguments: { path: 'main.ts' } }],
      timestamp: 1_000,
    },
  }),
  line({
    type: 'message',
    message: {
      role: 'toolResult',
      toolCallId: 'a',
      toolName: 'read',
      content: [{ type: 'text', text: 'const one = 1;\n  const twoHundred = 2;\n' }],
    },
  }),
  line({
    type: 'message',
    message: {
      role: 'assistant',
      content: [
        {
          type: 'toolCall',
          id: 'b',
          name: 'edit',
          arguments: { path: 'main.ts', oldText: '  const twoHundred = 2;', newText: '  const newName = 3;' },
        },
      ],
      timestamp: 2_000,
    },
  }),
].join('\n');

it('bills an unbroken prefix by the closed formula', async () => {
  const measured = measure(parseSession(`${SESSION}\n`));
  const { blocksOf } = {
    blocksOf: (index: number) => measured.table.blocksOf(measured.session.messages[index] as object),
  };
  const tokens = (index: number): number => 1.22 * blocksOf(index).reduce((sum, block) => sum + block.tokens, 0);
  const first = tokens(0);
  const second = first + tokens(1) + tokens(2);
  const figures = await replay(measured, policyOf('append-only'), { prices: pricesOf('anthropic') });
  expect(figures.bill).toBeCloseTo(1.25 * second + 0.1 * first, 6);
  expect(figures.penalty).toBe(0);
  expect(figures.score).toBe(figures.bill);
  expect(figures.epochs).toBe(0);
});

it('finds what the edit of an unanswered call used to be nothing, since the call is left out', () => {
  const measured = measure(parseSession(SESSION));
  expect(measured.session.calls.map(({ hasReply }) => hasReply)).toEqual([true, false]);
  expect(measured.found).toEqual({ 'edit-line': 0, identifier: 0 });
});
