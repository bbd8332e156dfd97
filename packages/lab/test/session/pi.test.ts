import { describe, expect, it } from 'vitest';
import { parseSession, readSession } from '../../src/session/read.ts';
import { dataFile } from '../support/data.ts';
import { jsonLines, PI_HEADER, piReply, piResult, piUser } from '../support/logs.ts';

const CALLS = [
  ['a', 'read', { path: 'one.ts' }],
  ['b', 'read', { path: 'two.ts' }],
] as const;

describe('a pi session in one course', () => {
  const session = parseSession(
    jsonLines([
      PI_HEADER,
      piUser('Read both.'),
      piReply({ calls: CALLS, atMs: 1_000, usage: [3, 10, 20, 7] }),
      piResult('b', 'two'),
      piResult('a', 'one'),
      { type: 'model_change', provider: 'anthropic', modelId: 'other' },
      { type: 'compaction', timestamp: 2_000, summary: 'Both.', firstKeptEntryIndex: 2, tokensBefore: 900 },
      { type: 'message', message: { role: 'bashExecution', command: 'ls', output: 'one.ts\n', exitCode: 2 } },
      piReply({ text: 'Done.', atMs: 3_000 }),
    ]),
  );

  it('merges the results of one reply into one message, in the order of its calls', () => {
    expect(session.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Read both.' }] },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'a', name: 'read', input: { path: 'one.ts' } },
          { type: 'tool_use', id: 'b', name: 'read', input: { path: 'two.ts' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'one' }] },
          { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: 'two' }] },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'I ran: ls\none.ts\n\n(exit status 2)' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
    ]);
  });

  it('tells each call with its prompt, its time and its usage', () => {
    expect(session.calls).toEqual([
      {
        promptLength: 1,
        hasReply: true,
        atMs: 1_000,
        model: 'claude-test',
        usage: { inputTokens: 33, cacheReadTokens: 10, cacheWriteTokens: 20, outputTokens: 7 },
        reasoning: '',
      },
      { promptLength: 4, hasReply: true, atMs: 3_000, model: 'claude-test', usage: undefined, reasoning: '' },
    ]);
  });

  it('lists compactions and leaves the history whole', () => {
    expect(session.compactions).toEqual([{ at: 3, atMs: 2_000, tokensBefore: 900 }]);
    expect(session.problems).toEqual([]);
  });
});

it('follows the newest leaf of a tree', () => {
  const entry = (id: string, parentId: string | null, record: object): object => ({ ...record, id, parentId });
  const { messages } = parseSession(
    jsonLines([
      { ...PI_HEADER, version: 3 },
      entry('1', null, piUser('Start.')),
      entry('2', '1', piReply({ text: 'The first way.', atMs: 1 })),
      entry('3', '1', { type: 'branch_summary', summary: 'The first way failed.', fromId: '2' }),
      entry('4', '3', piReply({ text: 'The second way.', atMs: 2 })),
    ]),
  );
  expect(messages.map(({ content }) => content[0]?.['text'])).toEqual([
    'Start.',
    'The first way failed.',
    'The second way.',
  ]);
});

it('leaves out reasoning, and calls an interrupted reply left unanswered', () => {
  const { messages, calls } = parseSession(
    jsonLines([
      PI_HEADER,
      piUser('Go.'),
      {
        type: 'message',
        message: {
          role: 'assistant',
          timestamp: 5,
          content: [
            { type: 'thinking', thinking: 'Let me see.', thinkingSignature: 'x' },
            { type: 'toolCall', id: 'a', name: 'bash', arguments: { command: 'l' }, partialJson: '{"command":"l' },
          ],
        },
      },
      piUser('Again.'),
    ]),
  );
  expect(messages).toHaveLength(2);
  expect(calls).toEqual([
    { promptLength: 1, hasReply: false, atMs: 5, model: '', usage: undefined, reasoning: 'Let me see.' },
  ]);
});

it('names what it skips by its line', () => {
  const { messages, problems } = parseSession(
    `${jsonLines([PI_HEADER])}{"broken\n${jsonLines([piUser('Go.'), { type: 'novelty' }, piResult('z', 'of nothing')])}{"type":"mess`,
  );
  expect(messages).toHaveLength(1);
  expect(problems).toEqual([
    { line: 2, what: 'not a JSON object' },
    { line: 4, what: 'unknown record novelty' },
    { line: 5, what: 'a result of z, which no call before it has' },
    { line: 6, what: 'torn last line' },
  ]);
});

it('refuses a file of nobody it knows', () => {
  expect(() => parseSession('{"hello":1}\n')).toThrow(/none of 1 records is of a known agent/);
});

const REAL = dataFile('pi/before-compaction.jsonl');

describe.skipIf(REAL.isAbsent)(`a real session (${REAL.reason} where skipped)`, () => {
  it('has the calls and the bill the file has', async () => {
    const { calls, compactions, problems } = await readSession(REAL.path);
    const sum = (of: (usage: NonNullable<(typeof calls)[number]['usage']>) => number): number =>
      calls.reduce((total, { usage }) => total + (usage === undefined ? 0 : of(usage)), 0);
    expect(calls).toHaveLength(484);
    expect(sum((usage) => usage.cacheReadTokens)).toBe(54_693_675);
    expect(sum((usage) => usage.cacheWriteTokens)).toBe(1_685_320);
    expect(compactions.map(({ tokensBefore }) => tokensBefore)).toEqual([175_004, 185_014]);
    expect(problems).toEqual([]);
  });
});
