import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openConfined, writeConfined } from '../../src/workspace/confined-files.ts';
import { createWorkspace } from '../../src/workspace/workspace.ts';
import { tempFolder } from './temp-folder.ts';

function resolved(root: string, path: string): string {
  const result = createWorkspace(root).resolve(path, 'write');
  if (!result.ok) throw new Error(result.reason);
  return result.path;
}

describe('opening', () => {
  it('opens a regular file and nothing else', async () => {
    const root = tempFolder({ 'a.txt': 'hello', 'd/x': '' });
    execFileSync('mkfifo', [join(root, 'pipe')]);
    const opened = await openConfined(join(root, 'a.txt'));
    expect(opened).toMatchObject({ ok: true, sizeBytes: 5 });
    if (opened.ok) await opened.handle.close();
    expect(await openConfined(join(root, 'd'))).toEqual({ ok: false, code: 'EISDIR' });
    expect(await openConfined(join(root, 'pipe'))).toEqual({ ok: false, code: 'ENOTFILE' });
    expect(await openConfined(join(root, 'none'))).toEqual({ ok: false, code: 'ENOENT' });
  });

  it('refuses a file replaced by a link after the check', async () => {
    const root = tempFolder({ 'a.txt': 'inside' });
    const other = tempFolder({ 'a.txt': 'secret' });
    const path = resolved(root, 'a.txt');
    renameSync(path, join(root, 'gone'));
    symlinkSync(join(other, 'a.txt'), path);
    expect(await openConfined(path)).toEqual({ ok: false, code: 'EMOVED' });
  });

  it('refuses a file whose parent was swapped for a link after the check', async () => {
    const root = tempFolder({ 'd/a.txt': 'inside' });
    const other = tempFolder({ 'a.txt': 'secret' });
    const path = resolved(root, 'd/a.txt');
    renameSync(join(root, 'd'), join(root, 'gone'));
    symlinkSync(other, join(root, 'd'));
    expect(await openConfined(path)).toEqual({ ok: false, code: 'EMOVED' });
  });
});

describe('writing', () => {
  it('makes parents, keeps the mode and leaves no temporary file', async () => {
    const root = tempFolder({ 'run.sh': 'old' });
    chmodSync(join(root, 'run.sh'), 0o750);
    expect(await writeConfined({ root, path: resolved(root, 'run.sh'), text: 'new é' })).toMatchObject({
      ok: true,
      created: false,
      bytes: 6,
    });
    expect(statSync(join(root, 'run.sh')).mode & 0o777).toBe(0o750);
    expect(await writeConfined({ root, path: resolved(root, 'a/b/c.txt'), text: 'x' })).toMatchObject({
      created: true,
    });
    expect(readFileSync(join(root, 'a/b/c.txt'), 'utf8')).toBe('x');
    expect(readdirSync(root).sort()).toEqual(['a', 'run.sh']);
    expect(readdirSync(join(root, 'a/b'))).toEqual(['c.txt']);
  });

  it('refuses folders, read-only files and files in the way of a folder', async () => {
    const root = tempFolder({ 'd/x': '', locked: 'keep', file: '' });
    chmodSync(join(root, 'locked'), 0o444);
    expect(await writeConfined({ root, path: join(root, 'd'), text: '' })).toEqual({ ok: false, code: 'EISDIR' });
    expect(await writeConfined({ root, path: join(root, 'locked'), text: '' })).toEqual({ ok: false, code: 'EROFS' });
    expect(await writeConfined({ root, path: join(root, 'file/x'), text: '' })).toEqual({ ok: false, code: 'ENOTDIR' });
    expect(readFileSync(join(root, 'locked'), 'utf8')).toBe('keep');
    expect(readdirSync(root).sort()).toEqual(['d', 'file', 'locked']);
  });

  it('does not write through a parent swapped for a link after the check', async () => {
    const root = tempFolder({ 'd/a.txt': 'inside' });
    const other = tempFolder();
    const paths = [resolved(root, 'd/new.txt'), resolved(root, 'd/sub/new.txt')];
    renameSync(join(root, 'd'), join(root, 'gone'));
    symlinkSync(other, join(root, 'd'));
    for (const path of paths) expect(await writeConfined({ root, path, text: 'x' })).toMatchObject({ ok: false });
    expect(readdirSync(other)).toEqual([]);
  });

  it('does not write through a file replaced by a link after the check', async () => {
    const root = tempFolder({ 'a.txt': 'inside' });
    const other = tempFolder({ 'target.txt': 'untouched' });
    const path = resolved(root, 'a.txt');
    renameSync(path, join(root, 'gone'));
    symlinkSync(join(other, 'target.txt'), path);
    expect(await writeConfined({ root, path, text: 'x' })).toEqual({ ok: false, code: 'EMOVED' });
    expect(readFileSync(join(other, 'target.txt'), 'utf8')).toBe('untouched');
  });

  it('never creates the root or anything above it', async () => {
    const root = join(tempFolder(), 'removed');
    expect(await writeConfined({ root, path: join(root, 'a.txt'), text: 'x' })).toMatchObject({ ok: false });
    expect(existsSync(root)).toBe(false);
  });

  it('notices a change since the file was read', async () => {
    const root = tempFolder({ 'a.txt': 'one' });
    const path = join(root, 'a.txt');
    const modifiedMs = statSync(path).mtimeMs;
    const stale = { root, path, text: 'two', unlessModifiedSinceMs: modifiedMs - 1000 };
    expect(await writeConfined(stale)).toEqual({ ok: false, code: 'ECHANGED' });
    expect(await writeConfined({ ...stale, unlessModifiedSinceMs: modifiedMs })).toMatchObject({ ok: true });
  });
});
