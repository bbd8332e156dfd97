import { describe, expect, it } from 'vitest';
import { parseSession, readSession } from '../../src/session/read.ts';
import { dataFile } from '../support/data.ts';
import { jsonLines } from '../support/logs.ts';

interface Node {
  readonly uuid: string;
  readonly parent: string | null;
  readonly at: string;
  readonly more?: object;
}

function user({ uuid, parent, at, more = {} }: Node, content: unknown): object {
  return { type: 'user', uuid, parentUuid: parent, timestamp: at, message: { role: 'user', content }, ...more };
}

function reply({ uuid, parent, at, more = {} }: Node, message: object): object {
  return {
    type: 'assistant',
    uuid,
    parentUuid: parent,
    timestamp: at,
    message: { role: 'assistant', model: 'claude-test', ...message },
    ...more,
  };
}

const time = (second: number): string => new Date(1_000 * second).toISOString();
const call = (id: string): object => ({ type: 'tool_use', id, name: 'Read', input: { file_path: `${id}.ts` } });
const result = (id: string): object => ({ type: 'tool_result', tool_use_id: id, content: id });
const usage = (output: number): object => ({
  input_tokens: 4,
  cache_creation_input_tokens: 100,
  cache_read_input_tokens: 50,
  output_tokens: output,
});

describe('a Claude Code session', () => {
  const session = parseSession(
    jsonLines([
      { type: 'summary', summary: 'A title', leafUuid: 'gone' },
      { type: 'file-history-snapshot', messageId: 'u1' },
      user({ uuid: 'u1', parent: null, at: time(1) }, 'Read two.'),
      reply({ uuid: 'a1', parent: 'u1', at: time(3) }, { id: 'm1', content: [call('x')], usage: usage(2) }),
      reply({ uuid: 'a2', parent: 'a1', at: time(4) }, { id: 'm1', content: [call('y')], usage: usage(9) }),
      user({ uuid: 'r1', parent: 'a1', at: time(5) }, [result('x')]),
      user({ uuid: 'r2', parent: 'a2', at: time(6) }, [result('y')]),
      user({ uuid: 's1', parent: null, at: time(6), more: { isSidechain: true } }, 'A sub-agent.'),
      reply({ uuid: 'b1', parent: 'r2', at: time(8) }, { id: 'm2', content: [{ type: 'text', text: 'A way left.' }] }),
      user({ uuid: 'u2', parent: 'r2', at: time(20) }, 'Rather so.'),
      {
        type: 'system',
        subtype: 'compact_boundary',
        uuid: 'c1',
        parentUuid: null,
        logicalParentUuid: 'u2',
        timestamp: time(21),
        compactMetadata: { trigger: 'auto', preTokens: 167_000 },
      },
      user({ uuid: 'u3', parent: 'c1', at: time(22), more: { isCompactSummary: true } }, 'A summary.'),
      reply({ uuid: 'e1', parent: 'u3', at: time(23), more: { isApiErrorMessage: true } }, { content: [] }),
      reply({ uuid: 'd1', parent: 'e1', at: time(24) }, { id: 'm3', content: [{ type: 'text', text: 'Done.' }] }),
      { type: 'novelty', uuid: 'n1', parentUuid: 'd1' },
    ]),
  );

  it('is the branch in use, with split replies and parallel results merged', () => {
    expect(session.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Read two.' }] },
      { role: 'assistant', content: [call('x'), call('y')] },
      { role: 'user', content: [result('x'), result('y')] },
      { role: 'user', content: [{ type: 'text', text: 'Rather so.' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
    ]);
  });

  it('counts the usage of a split reply once, and dates a call by what it answers', () => {
    expect(session.calls).toEqual([
      {
        promptLength: 1,
        hasReply: true,
        atMs: 1_000,
        model: 'claude-test',
        usage: { inputTokens: 154, cacheReadTokens: 50, cacheWriteTokens: 100, outputTokens: 9 },
        reasoning: '',
      },
      { promptLength: 4, hasReply: true, atMs: 23_000, model: 'claude-test', usage: undefined, reasoning: '' },
    ]);
  });

  it('lists compactions and goes on over them', () => {
    expect(session.compactions).toEqual([{ at: 4, atMs: 21_000, tokensBefore: 167_000 }]);
  });
});

const REAL = dataFile('claude-code/sample-small.jsonl');

describe.skipIf(REAL.isAbsent)(`a real session (${REAL.reason} where skipped)`, () => {
  it('is read without the sub-agents in it', async () => {
    const { calls, messages, problems } = await readSession(REAL.path);
    expect(calls).toHaveLength(10);
    expect(messages).toHaveLength(21);
    expect(calls[0]?.usage).toMatchObject({ inputTokens: 18_768, cacheWriteTokens: 18_764 });
    expect(problems).toEqual([]);
  });
});
