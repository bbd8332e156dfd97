import { expect, it } from 'vitest';
import { parseSession } from '../../src/session/read.ts';
import { jsonLines } from '../support/logs.ts';

function chained(records: readonly object[]): readonly object[] {
  return records.map((record, index) => ({
    v: 1,
    id: `r${index + 1}`,
    parent: index === 0 ? null : `r${index}`,
    ...record,
  }));
}

const HEADER = { type: 'session', sessionId: 's', createdAt: '1970-01-01T00:00:01.000Z', model: 'm' };
const message = (value: object, more: object = {}): object => ({ type: 'message', message: value, ...more });

it('reads a log in the format of Anthropic, with a rewind and an epoch', () => {
  const session = parseSession(
    jsonLines(
      chained([
        { ...HEADER, provider: 'anthropic' },
        message({ role: 'user', content: 'Go.' }),
        message({ role: 'assistant', content: [{ type: 'text', text: 'Not so.' }] }),
        { type: 'rewind', length: 1 },
        { type: 'ledger', groups: [{ seq: 1, at: 1, cause: 'threshold', edits: [] }] },
        message({ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'ls', input: {} }] }),
        message({ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'one' }] }),
        { type: 'state', state: {} },
      ]),
    ),
  );
  expect(session.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  expect(session.compactions).toEqual([{ at: 1, atMs: 21_000, tokensBefore: undefined }]);
  expect(session.calls).toEqual([
    { promptLength: 1, hasReply: true, atMs: 21_000, model: 'm', usage: undefined, reasoning: '' },
  ]);
});

it('reads a log in the format of OpenAI, with times and usage', () => {
  const { messages, calls } = parseSession(
    jsonLines(
      chained([
        { ...HEADER, provider: 'openai-chat' },
        message({ role: 'user', content: 'Go.' }, { at: 5_000 }),
        message(
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'a', type: 'function', function: { name: 'ls', arguments: '{"path":"."}' } }],
          },
          { at: 7_000, usage: { inputTokens: 9, cacheReadTokens: 4, cacheWriteTokens: 0, outputTokens: 3 } },
        ),
        message({ role: 'tool', tool_call_id: 'a', content: 'one' }, { at: 8_000 }),
        message({ role: 'assistant', content: 'Done.' }, { at: 9_000 }),
      ]),
    ),
  );
  expect(messages).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'Go.' }] },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'ls', input: { path: '.' } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'one' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
  ]);
  expect(calls.map(({ atMs, usage }) => [atMs, usage?.inputTokens])).toEqual([
    [5_000, 9],
    [8_000, undefined],
  ]);
});
