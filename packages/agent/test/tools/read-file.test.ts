import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createReadFileTool } from '../../src/tools/read-file.ts';
import { createWorkspace } from '../../src/workspace/workspace.ts';
import { tempFolder } from '../workspace/temp-folder.ts';
import { errorOf, runner, textOf } from './context.ts';

const tool = createReadFileTool();

describe('reading', () => {
  it('returns the text exactly', async () => {
    const text = '\uFEFFone\r\n\ttwo  \n\nthré😀e';
    const read = runner(tool, tempFolder({ 'a.txt': text }));
    expect(await textOf(read({ path: 'a.txt' }))).toBe(text);
  });

  it('picks lines and counts the others', async () => {
    const read = runner(tool, tempFolder({ 'a.txt': '1\n2\n3\n4\n', 'b.txt': '1\n2\n3' }));
    expect(await textOf(read({ path: 'a.txt', limit: 2 }))).toBe('1\n2\n(2 more lines)');
    expect(await textOf(read({ path: 'a.txt', limit: 2, offset: 2 }))).toBe('3\n4\n');
    expect(await textOf(read({ path: 'a.txt', offset: 3 }))).toBe('4\n');
    expect(await textOf(read({ path: 'a.txt', limit: 4 }))).toBe('1\n2\n3\n4\n');
    expect(await textOf(read({ path: 'b.txt', limit: 2 }))).toBe('1\n2\n(1 more lines)');
    expect(await textOf(read({ path: 'b.txt', limit: 1, offset: 2 }))).toBe('3');
    expect(await textOf(read({ path: 'b.txt', limit: null, offset: null }))).toBe('1\n2\n3');
    expect(await errorOf(read({ path: 'a.txt', offset: 4 }))).toContain('"offset" is 4, but a.txt has 4 lines');
  });

  it('reads across chunk borders', async () => {
    const lines = Array.from({ length: 60_000 }, (_, index) => `line ${index} é😀`);
    const read = runner(tool, tempFolder({ 'a.txt': lines.join('\n') }));
    expect(await textOf(read({ path: 'a.txt' }))).toBe(lines.join('\n'));
    expect(await textOf(read({ path: 'a.txt', offset: 30_000, limit: 20_000 }))).toBe(
      `${lines.slice(30_000, 50_000).join('\n')}\n(10000 more lines)`,
    );
  });

  it('says when a file is empty', async () => {
    expect(await textOf(runner(tool, tempFolder({ a: '' }))({ path: 'a' }))).toBe('(empty file)');
  });

  it('caps the size and says what to do', async () => {
    const read = runner(createReadFileTool({ maxBytes: 100 }), tempFolder({ 'a.txt': 'x\n'.repeat(100) }));
    expect(await errorOf(read({ path: 'a.txt' }))).toMatch(
      /has 200 bytes; .* at most 100.*"offset" and "limit", or use bash/,
    );
    expect(await textOf(read({ path: 'a.txt', limit: 1, offset: 99 }))).toBe('x\n');
    expect(await errorOf(read({ path: 'a.txt', limit: 90 }))).toContain('exceed 100 bytes');
    expect(await errorOf(read({ path: 'a.txt', offset: 10 }))).toContain('exceed 100 bytes');
  });
});

describe('refusals', () => {
  it('binary files, folders, pipes', async () => {
    const root = tempFolder({ 'd/x': '' });
    writeFileSync(join(root, 'image.png'), Buffer.from([0x89, 0x50, 0, 1]));
    execFileSync('mkfifo', [join(root, 'pipe')]);
    const read = runner(tool, root);
    expect(await errorOf(read({ path: 'image.png' }))).toContain('is a binary file (4 bytes)');
    expect(await errorOf(read({ path: 'd' }))).toBe('read_file: d is a folder; list it with glob');
    expect(await errorOf(read({ path: 'pipe' }))).toContain('not a regular file');
  });

  it('names files with similar names', async () => {
    const read = runner(tool, tempFolder({ 'src/Config.ts': '', 'src/config.test.ts': '', 'src/zebra.md': '' }));
    const text = await errorOf(read({ path: 'src/config.ts' }));
    expect(text).toBe('read_file: src/config.ts does not exist; similar names: src/Config.ts, src/config.test.ts');
    expect(await errorOf(read({ path: 'nowhere/a.ts' }))).toBe(
      'read_file: nowhere/a.ts does not exist, nor does the folder nowhere',
    );
  });

  it('does not name files the rules hide', async () => {
    const root = tempFolder({ 'secret1.txt': '' });
    const read = runner(tool, root, { mayRead: () => false });
    expect(await errorOf(read({ path: 'secret2.txt' }))).toBe('read_file: secret2.txt does not exist');
  });

  it('nothing outside the workspace, by name or by link', async () => {
    const other = tempFolder({ 'secret.txt': 'secret' });
    const root = tempFolder();
    symlinkSync(join(other, 'secret.txt'), join(root, 'link'));
    const read = runner(tool, root);
    for (const path of ['/etc/passwd', '../secret.txt', 'link', join(other, 'secret.txt'), '/proc/self/environ']) {
      expect(await errorOf(read({ path }))).toMatch(/is outside the workspace/);
    }
    const granted = runner(tool, root, { workspace: createWorkspace(root, { extraRoots: [other] }) });
    expect(await textOf(granted({ path: 'link' }))).toBe('secret');
  });

  it('bad input, field by field', async () => {
    const read = runner(tool, tempFolder({ a: 'x' }));
    expect(await errorOf(read({ path: 'a', limit: 0 }))).toBe(
      'read_file: "limit" must be an integer of at least 1; got 0',
    );
    expect(await errorOf(read({ path: 'a', limit: 1.5 }))).toContain('got 1.5');
    expect(await errorOf(read({ path: 'a', offset: -1 }))).toContain('"offset" must be an integer of at least 0');
    expect(await errorOf(read({ path: 'a', limit: '5' }))).toContain('got "5"');
    expect(await errorOf(read({ limit: 5 }))).toContain('"path" is missing');
  });

  it('an interrupted read', async () => {
    const read = runner(tool, tempFolder({ a: 'x' }), { signal: AbortSignal.abort() });
    expect(await errorOf(read({ path: 'a' }))).toContain('interrupted');
  });
});
