import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEditFileTool } from '../../src/tools/edit-file.ts';
import { createWriteFileTool } from '../../src/tools/write-file.ts';
import { createWorkspace } from '../../src/workspace/workspace.ts';
import { tempFolder } from '../workspace/temp-folder.ts';
import { errorOf, runner, textOf } from './context.ts';

const writeTool = createWriteFileTool();
const editTool = createEditFileTool();

describe('write_file', () => {
  it('creates, replaces and reports the length', async () => {
    const root = tempFolder();
    const write = runner(writeTool, root);
    expect(await textOf(write({ path: 'a/b.txt', content: 'héllo' }))).toBe('created a/b.txt (5 characters written)');
    expect(await textOf(write({ path: 'a/b.txt', content: '' }))).toBe('replaced a/b.txt (0 characters written)');
    expect(readFileSync(join(root, 'a/b.txt'), 'utf8')).toBe('');
    expect(readdirSync(join(root, 'a'))).toEqual(['b.txt']);
  });

  it('writes through a link that stays inside, and keeps the link', async () => {
    const root = tempFolder({ 'real.txt': 'old' });
    symlinkSync('real.txt', join(root, 'alias'));
    await textOf(runner(writeTool, root)({ path: 'alias', content: 'new' }));
    expect(readFileSync(join(root, 'real.txt'), 'utf8')).toBe('new');
    expect(readFileSync(join(root, 'alias'), 'utf8')).toBe('new');
  });

  it('writes nothing outside, not even below an extra root', async () => {
    const other = tempFolder();
    const root = tempFolder();
    symlinkSync(other, join(root, 'folder'));
    symlinkSync(join(other, 'missing'), join(root, 'dangling'));
    const workspace = createWorkspace(root, { extraRoots: [other] });
    const write = runner(writeTool, root, { workspace });
    for (const path of ['../x', 'folder/x', 'folder/a/b', 'dangling', join(other, 'x'), '/tmp/x', '~/x', 'a\0b']) {
      await errorOf(write({ path, content: 'x' }));
    }
    expect(readdirSync(other)).toEqual([]);
  });

  it('refuses folders, read-only files, bad input and interrupts', async () => {
    const root = tempFolder({ 'd/x': '', locked: 'keep' });
    chmodSync(join(root, 'locked'), 0o444);
    const write = runner(writeTool, root);
    expect(await errorOf(write({ path: 'd', content: '' }))).toContain('is a folder');
    expect(await errorOf(write({ path: 'new/', content: '' }))).toContain('is a folder');
    expect(await errorOf(write({ path: 'locked', content: '' }))).toContain('is read-only');
    expect(await errorOf(write({ path: 'x'.repeat(300), content: '' }))).toContain('name too long');
    expect(await errorOf(write({ path: 'a', content: 5 }))).toBe('write_file: "content" must be a string; got 5');
    expect(
      await errorOf(runner(writeTool, root, { signal: AbortSignal.abort() })({ path: 'a', content: '' })),
    ).toContain('interrupted');
    expect(existsSync(join(root, 'a'))).toBe(false);
  });
});

describe('edit_file', () => {
  it('replaces the first occurrence and nothing else', async () => {
    const root = tempFolder({ 'a.ts': 'one\ntwo two\ntwo\n' });
    chmodSync(join(root, 'a.ts'), 0o755);
    const edit = runner(editTool, root);
    expect(await textOf(edit({ path: 'a.ts', old_text: 'two', new_text: 'TWO' }))).toBe(
      'edited a.ts at line 2, the first of 3 occurrences',
    );
    expect(readFileSync(join(root, 'a.ts'), 'utf8')).toBe('one\nTWO two\ntwo\n');
    expect(statSync(join(root, 'a.ts')).mode & 0o777).toBe(0o755);
    expect(await textOf(edit({ path: 'a.ts', old_text: 'one\n', new_text: '' }))).toBe('edited a.ts at line 1');
  });

  it('takes replacement patterns literally', async () => {
    const root = tempFolder({ 'a.ts': 'const x = 1;' });
    const strange = "$& $1 $$ $` $' $<n> \\n";
    await textOf(runner(editTool, root)({ path: 'a.ts', old_text: 'x', new_text: strange }));
    expect(readFileSync(join(root, 'a.ts'), 'utf8')).toBe(`const ${strange} = 1;`);
  });

  it('takes regular expression characters literally', async () => {
    const root = tempFolder({ 'a.ts': 'a.b(c)* axb' });
    await textOf(runner(editTool, root)({ path: 'a.ts', old_text: 'a.b(c)*', new_text: '' }));
    expect(readFileSync(join(root, 'a.ts'), 'utf8')).toBe(' axb');
  });

  it('names the closest line when the text is absent', async () => {
    const edit = runner(editTool, tempFolder({ 'a.ts': 'import x;\n  const total = 1;\nreturn total;\n' }));
    expect(await errorOf(edit({ path: 'a.ts', old_text: '\tconst total = 1;', new_text: '' }))).toBe(
      'edit_file: "old_text" does not occur in a.ts; the closest line is 2, which differs in white space only:   const total = 1;',
    );
    expect(await errorOf(edit({ path: 'a.ts', old_text: 'return totals;', new_text: '' }))).toContain(
      'line is 3: return',
    );
    expect(await errorOf(edit({ path: 'a.ts', old_text: 'ZZZZ', new_text: '' }))).toBe(
      'edit_file: "old_text" does not occur in a.ts',
    );
  });

  it('keeps Windows line ends', async () => {
    const root = tempFolder({ 'a.txt': 'one\r\ntwo\r\nthree\r\n' });
    await textOf(runner(editTool, root)({ path: 'a.txt', old_text: 'one\ntwo', new_text: '1\n2\n2b' }));
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('1\r\n2\r\n2b\r\nthree\r\n');
  });

  it('keeps a byte order mark and refuses what it would damage', async () => {
    const root = tempFolder({ 'bom.txt': '\uFEFFabc' });
    writeFileSync(join(root, 'latin1.txt'), Buffer.from([0x61, 0xe9, 0x62]));
    writeFileSync(join(root, 'binary'), Buffer.from([0x61, 0, 0x62]));
    const edit = runner(editTool, root);
    await textOf(edit({ path: 'bom.txt', old_text: 'abc', new_text: 'x' }));
    expect(readFileSync(join(root, 'bom.txt'), 'utf8')).toBe('\uFEFFx');
    expect(await errorOf(edit({ path: 'latin1.txt', old_text: 'a', new_text: 'x' }))).toContain('is not UTF-8 text');
    expect(await errorOf(edit({ path: 'binary', old_text: 'a', new_text: 'x' }))).toContain('is a binary file');
    expect(readFileSync(join(root, 'latin1.txt'))).toEqual(Buffer.from([0x61, 0xe9, 0x62]));
  });

  it('refuses missing files, folders, large files, empty and equal texts', async () => {
    const root = tempFolder({ 'a.ts': 'abc', 'd/x': '' });
    const edit = runner(editTool, root);
    expect(await errorOf(edit({ path: 'b.ts', old_text: 'a', new_text: 'b' }))).toContain('similar names: a.ts');
    expect(await errorOf(edit({ path: 'd', old_text: 'a', new_text: 'b' }))).toContain('is a folder');
    expect(await errorOf(edit({ path: 'a.ts', old_text: '', new_text: 'b' }))).toContain(
      '"old_text" must be a non-empty',
    );
    expect(await errorOf(edit({ path: 'a.ts', old_text: 'a', new_text: 'a' }))).toContain('are the same');
    expect(await errorOf(edit({ path: '../a.ts', old_text: 'a', new_text: 'b' }))).toContain('outside the workspace');
    const small = runner(createEditFileTool({ maxBytes: 2 }), root);
    expect(await errorOf(small({ path: 'a.ts', old_text: 'a', new_text: 'b' }))).toContain('has 3 bytes; at most 2');
  });

  it('reads and writes, for the permission gates', () => {
    expect(editTool.access({ path: 'a', old_text: 'x', new_text: '' })).toEqual([
      { kind: 'read', path: 'a' },
      { kind: 'write', path: 'a' },
    ]);
    expect(writeTool.access({ path: 'a', content: '' })).toEqual([{ kind: 'write', path: 'a' }]);
  });
});
