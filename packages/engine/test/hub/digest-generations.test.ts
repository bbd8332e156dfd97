/** A digest reads the history, so that the tenth says of the beginning what the first said. */
import { describe, expect, it } from 'vitest';
import { isEpoch } from '../../src/core/edit.ts';
import { wireBuilders } from '../../src/testing/wire-builder.ts';
import { TestSession } from '../golden/session.ts';

const LONG = 'word '.repeat(800);

describe.each(wireBuilders)('after ten compactions without a model, $name', (builder) => {
  it('the first task, the files and what still fails are there', async () => {
    const session = new TestSession({ builder }).user('Never touch the tests of the first task.');
    const did = (id: string, name: string, input: object, text: string): void => {
      session.context.append([
        builder.assistant({ calls: [{ id, name, input }] }),
        ...builder.results([{ callId: id, text }]),
      ]);
    };
    did('first', 'edit_file', { path: 'src/first.ts', old_text: 'a', new_text: 'b' }, 'edited src/first.ts at line 1');
    did('fails', 'bash', { command: 'npm test' }, `${LONG}\n FAIL  a.test.ts > first > breaks\n(exit code 1)`);
    for (let i = 0; i < 10; i += 1) {
      did(`read_${i}`, 'read_file', { path: `src/file-${i}.ts` }, LONG);
      session.user(`Go on, ${i}.`);
      session.context.compact();
      await session.send();
    }
    const edits = session.context.groups().flatMap((group) => (isEpoch(group) ? group.edits : []));
    const digests = edits.flatMap((edit) =>
      edit.kind === 'range' ? edit.pieces.filter((piece) => typeof piece === 'string') : [],
    );
    expect(digests.length).toBe(10);
    for (const [i, digest] of digests.entries()) {
      expect(digest).toContain('- "Never touch the tests of the first task."');
      expect(digest).toContain('- "src/first.ts" edited');
      expect(digest).toContain('- "npm test": "a.test.ts > first > breaks"');
      for (let file = 0; file <= i; file += 1) expect(digest).toContain(`- "src/file-${file}.ts" read`);
    }
  });
});
