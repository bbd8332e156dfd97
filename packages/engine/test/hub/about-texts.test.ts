/** An archive that can search is told where each text came from. */
import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import { sqliteArchive } from '../../src/archives/sqlite.ts';
import { classic } from '../../src/core/policies/classic.ts';
import { wireBuilders } from '../../src/testing/wire-builder.ts';
import { TestSession } from '../golden/session.ts';

describe.each(wireBuilders)('what an archive is told, $name', (builder) => {
  it('tool, path, session and time of a result that was put away', async () => {
    const archive = sqliteArchive(new Database(':memory:'));
    const session = new TestSession({ builder, policy: classic, archive, sessionId: 'session-7', now: () => 1_234 });
    session.user('Go.');
    const calls = [
      { id: 'one', name: 'read_file', input: { path: 'src/core/plan.ts' } },
      { id: 'two', name: 'bash', input: { command: 'npm test' } },
    ];
    session.context.append([
      builder.assistant({ calls }),
      ...builder.results([
        { callId: 'one', text: `export const answer = 42;\n${'// filler\n'.repeat(60)}` },
        { callId: 'two', text: `TypeError: planStep is no function\n${'at line\n'.repeat(60)}` },
      ]),
    ]);
    session.round('a').round('b').round('c');
    await session.send();
    const told = { session: 'session-7', atMs: 1_234 };
    expect(await archive.search('plan.ts')).toEqual([
      expect.objectContaining({ ...told, tool: 'read_file', path: 'src/core/plan.ts' }),
    ]);
    const [failure] = await archive.search('planStep');
    expect(failure).toMatchObject({ ...told, tool: 'bash' });
    expect(failure).not.toHaveProperty('path');
  });
});
