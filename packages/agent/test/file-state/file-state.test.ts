import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFileState, type FileState } from '../../src/file-state/file-state.ts';
import { createEditFileTool } from '../../src/tools/edit-file.ts';
import { createReadFileTool } from '../../src/tools/read-file.ts';
import { createWriteFileTool } from '../../src/tools/write-file.ts';
import { contextFor, errorOf, textOf } from '../tools/context.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

const LONG = `${'a line of some length\n'.repeat(40)}end\n`;
const tools = { read: createReadFileTool(), write: createWriteFileTool(), edit: createEditFileTool() };

/** The three file tools over one folder and one state; `inView` holds the ids of the calls whose results are in view. */
function stage(content: Readonly<Record<string, string>>) {
  const root = tempFolder(content);
  const inView = new Set<string>();
  const files: FileState = createFileState({ showsResult: (callId) => inView.has(callId) });
  let calls = 0;
  const run = (tool: keyof typeof tools, input: unknown) => {
    const callId = `call_${(calls += 1)}`;
    inView.add(callId);
    return tools[tool].run(input, contextFor(root, { files, callId }));
  };
  return { root, inView, run, put: (name: string, text: string) => writeFileSync(join(root, name), text) };
}

const STUB =
  '(Unchanged: a.txt is on disk as you read it before, and the result of that read_file call, with lines 1 to 41 of 41, is still above. They are not repeated here.)';

describe('a repeated read', () => {
  it('of an unchanged file in view is a stub that names the earlier read', async () => {
    const { run } = stage({ 'a.txt': LONG });
    expect(await textOf(run('read', { path: 'a.txt' }))).toBe(LONG);
    expect(await textOf(run('read', { path: 'a.txt' }))).toBe(STUB);
    expect(await textOf(run('read', { path: './a.txt', limit: 5000 }))).toBe(STUB);
  });

  it('known failure 46749, a stub for text that is gone: out of view gives the text, once, and stubs again', async () => {
    const { run, inView } = stage({ 'a.txt': LONG });
    await run('read', { path: 'a.txt' });
    await run('read', { path: 'a.txt' });
    inView.delete('call_1');
    expect(await textOf(run('read', { path: 'a.txt' }))).toBe(LONG);
    expect(await textOf(run('read', { path: 'a.txt' }))).toBe(STUB);
  });

  it('of another range, of a changed file, or of a short one is the text', async () => {
    const { run, put } = stage({ 'a.txt': LONG, 'b.txt': 'short\n' });
    await run('read', { path: 'a.txt' });
    expect(await textOf(run('read', { path: 'a.txt', offset: 40 }))).toBe('end\n');
    put('a.txt', LONG.replace('end', 'END'));
    expect(await textOf(run('read', { path: 'a.txt' }))).toBe(LONG.replace('end', 'END'));
    await run('read', { path: 'b.txt' });
    expect(await textOf(run('read', { path: 'b.txt' }))).toBe('short\n');
  });

  it('goes by content: a new time alone changes nothing, new content under the old time does', async () => {
    const { run, root, put } = stage({ 'a.txt': LONG });
    utimesSync(join(root, 'a.txt'), 1_000, 1_000);
    await run('read', { path: 'a.txt' });
    utimesSync(join(root, 'a.txt'), 2_000, 2_000);
    expect(await textOf(run('read', { path: 'a.txt' }))).toBe(STUB);
    put('a.txt', LONG.replace('end', 'END'));
    utimesSync(join(root, 'a.txt'), 1_000, 1_000);
    expect(await textOf(run('read', { path: 'a.txt' }))).toContain('END');
  });

  it('after an edit of its own gives the new text', async () => {
    const { run } = stage({ 'a.txt': LONG });
    await run('read', { path: 'a.txt' });
    await run('edit', { path: 'a.txt', old_text: 'end', new_text: 'END' });
    expect(await textOf(run('read', { path: 'a.txt' }))).toBe(LONG.replace('end', 'END'));
  });

  it('forgets a read whose call id a provider uses again', async () => {
    const root = tempFolder({ 'a.txt': LONG });
    const files = createFileState({ showsResult: () => true });
    const context = contextFor(root, { files, callId: 'call_0' });
    await tools.read.run({ path: 'a.txt' }, context);
    files.begin('call_0');
    expect(await textOf(tools.read.run({ path: 'a.txt' }, context))).toBe(LONG);
  });

  it('of an interrupted call is not remembered: its result may say something else', async () => {
    const { root } = stage({ 'a.txt': LONG });
    const files = createFileState({ showsResult: () => true });
    const controller = new AbortController();
    const read = tools.read.run({ path: 'a.txt' }, contextFor(root, { files, callId: 'x', signal: controller.signal }));
    controller.abort();
    await read;
    expect(await textOf(tools.read.run({ path: 'a.txt' }, contextFor(root, { files, callId: 'y' })))).toBe(LONG);
  });
});

describe('a write or an edit', () => {
  const EDIT = { path: 'a.txt', old_text: 'end', new_text: 'END' };
  const CHANGED = 'a.txt changed on disk since you last read or wrote it; nothing was changed. Read it again';

  it('of a file that changed since it was read is refused, and allowed after another read', async () => {
    const { run, put, root } = stage({ 'a.txt': LONG });
    await run('read', { path: 'a.txt' });
    put('a.txt', `mine\n${LONG}`);
    expect(await errorOf(run('edit', EDIT))).toBe(`edit_file: ${CHANGED}`);
    expect(await errorOf(run('write', { path: 'a.txt', content: 'x' }))).toBe(`write_file: ${CHANGED}`);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe(`mine\n${LONG}`);
    await run('read', { path: 'a.txt' });
    expect(await textOf(run('edit', EDIT))).toBe('edited a.txt at line 42');
  });

  it('is what the file is from then on', async () => {
    const { run, put } = stage({});
    expect(await textOf(run('write', { path: 'a.txt', content: 'end' }))).toContain('created');
    expect(await textOf(run('edit', EDIT))).toContain('edited');
    expect(await textOf(run('write', { path: 'a.txt', content: 'other' }))).toContain('replaced');
    put('a.txt', 'theirs');
    expect(await errorOf(run('write', { path: 'a.txt', content: 'x' }))).toBe(`write_file: ${CHANGED}`);
  });

  it('over a file never read is refused, an edit of one is not', async () => {
    const { run, root } = stage({ 'a.txt': LONG, 'empty.txt': '', 'same.txt': 'x' });
    expect(await errorOf(run('write', { path: 'a.txt', content: 'x' }))).toBe(
      'write_file: a.txt exists, and you have not read it; nothing was changed. Read it first, or change it with edit_file',
    );
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe(LONG);
    expect(await textOf(run('edit', EDIT))).toBe('edited a.txt at line 41');
    expect(await textOf(run('write', { path: 'empty.txt', content: 'x' }))).toContain('replaced');
    expect(await textOf(run('write', { path: 'same.txt', content: 'x' }))).toContain('replaced');
  });

  it('over a file of which a part was read is refused until the rest was read', async () => {
    const { run } = stage({ 'a.txt': LONG });
    await run('read', { path: 'a.txt', limit: 30 });
    expect(await errorOf(run('write', { path: 'a.txt', content: 'x' }))).toContain('read only a part of it');
    await run('read', { path: 'a.txt', offset: 30 });
    expect(await textOf(run('write', { path: 'a.txt', content: 'x' }))).toContain('replaced');
  });
});
