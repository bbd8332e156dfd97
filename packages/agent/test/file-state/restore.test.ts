import { openaiChat } from '@holdover/engine/codecs/openai-chat';
import type { Codec } from '@holdover/engine';
import { describe, expect, it } from 'vitest';
import { createFileState, fileDigest, type FileState } from '../../src/file-state/file-state.ts';
import { type HistoryCall, historyCalls } from '../../src/file-state/history-calls.ts';
import { restoreFileState } from '../../src/file-state/restore.ts';
import { createEditFileTool } from '../../src/tools/edit-file.ts';
import { createReadFileTool } from '../../src/tools/read-file.ts';
import { createWriteFileTool } from '../../src/tools/write-file.ts';
import { createWorkspace } from '../../src/workspace/workspace.ts';
import { contextFor, errorOf, textOf } from '../tools/context.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

const LONG = `${'a line of some length\r\n'.repeat(40)}end\r\n`;

function call(name: string, input: Record<string, unknown>, text: string): HistoryCall {
  return { id: `${name}_${JSON.stringify(input).length}`, name, input, text, isError: false };
}

function restored(root: string, calls: readonly HistoryCall[]): FileState {
  const files = createFileState({ showsResult: () => true });
  restoreFileState(files, calls, createWorkspace(root));
  return files;
}

const edit = createEditFileTool();
const write = createWriteFileTool();

describe('the state of files after a resume', () => {
  it('is exact after a whole read, a write and the edits that follow', async () => {
    const root = tempFolder({ 'a.txt': LONG.replace('end', 'END'), 'b.txt': 'one two' });
    const files = restored(root, [
      call('read_file', { path: 'a.txt' }, LONG),
      call('edit_file', { path: 'a.txt', old_text: 'length\nend', new_text: 'length\nEND' }, 'edited a.txt at line 41'),
      call('write_file', { path: 'b.txt', content: 'one' }, 'created b.txt (3 characters written)'),
      call('edit_file', { path: 'b.txt', old_text: 'one', new_text: 'one two' }, 'edited b.txt at line 1'),
    ]);
    const context = contextFor(root, { files });
    expect(await textOf(write.run({ path: 'a.txt', content: 'x' }, context))).toContain('replaced');
    expect(await textOf(write.run({ path: 'b.txt', content: 'x' }, context))).toContain('replaced');
  });

  it('tells that somebody changed a file while the session was closed', async () => {
    const root = tempFolder({ 'a.txt': `${LONG}theirs` });
    const context = contextFor(root, { files: restored(root, [call('read_file', { path: 'a.txt' }, LONG)]) });
    expect(await errorOf(edit.run({ path: 'a.txt', old_text: 'end', new_text: 'x' }, context))).toContain(
      'changed on disk',
    );
  });

  it('stubs a read whose result is still in view', async () => {
    const root = tempFolder({ 'a.txt': LONG });
    const context = contextFor(root, { files: restored(root, [call('read_file', { path: 'a.txt' }, LONG)]) });
    expect(await textOf(createReadFileTool().run({ path: 'a.txt' }, context))).toContain('(Unchanged: a.txt');
  });

  it('known failure 85488, edits refused because bookkeeping was lost: an edit goes through and says so, a write is refused', async () => {
    const root = tempFolder({ 'a.txt': LONG, 'b.txt': 'caf\uFFFD' });
    const files = restored(root, [
      call('read_file', { path: 'a.txt', limit: 1 }, 'a line of some length\r\n(40 more lines)'),
      call('read_file', { path: 'b.txt' }, 'caf\uFFFD'),
    ]);
    const context = contextFor(root, { files });
    expect(await errorOf(write.run({ path: 'b.txt', content: 'x' }, context))).toContain('cannot be checked any more');
    expect(await textOf(edit.run({ path: 'a.txt', old_text: 'end', new_text: 'END' }, context))).toBe(
      'edited a.txt at line 41 (whether it changed since you last saw it could not be checked)',
    );
    expect(await textOf(edit.run({ path: 'a.txt', old_text: 'END', new_text: 'end' }, context))).toBe(
      'edited a.txt at line 41',
    );
  });

  it('takes no state from calls that failed, were refused, or lead out of the workspace', () => {
    const root = tempFolder({ 'a.txt': LONG });
    const path = `${createWorkspace(root).root}/a.txt`;
    const files = restored(root, [
      call('read_file', { path: 'a.txt' }, 'read_file: a.txt is a folder; list it with glob'),
      call('read_file', { path: 'a.txt' }, 'The user declined to run read_file.'),
      call('write_file', { path: 'a.txt', content: 'x' }, 'write_file was not run: no rule allows it.'),
      { ...call('read_file', { path: 'a.txt' }, 'blocked by a hook'), isError: true },
      call('read_file', { path: '../../etc/passwd' }, 'root:x:0:0'),
    ]);
    expect(files.standing(path, fileDigest(LONG))).toBe('never');
  });
});

describe('the calls of a history', () => {
  it('go with their results, also where an id is used twice', () => {
    const codec = openaiChat() as unknown as Codec;
    const ask = (path: string) => ({
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'call_0', type: 'function', function: { name: 'read_file', arguments: JSON.stringify({ path }) } },
      ],
    });
    const answer = (content: string) => ({ role: 'tool', tool_call_id: 'call_0', content });
    const calls = historyCalls(
      [{ role: 'user', content: 'go' }, ask('a'), answer('A'), ask('b'), answer('B'), ask('c')],
      codec,
    );
    expect(calls).toEqual([
      { id: 'call_0', name: 'read_file', input: { path: 'a' }, text: 'A', isError: false },
      { id: 'call_0', name: 'read_file', input: { path: 'b' }, text: 'B', isError: false },
    ]);
  });
});
