import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AgentError } from '../../src/errors.ts';
import { createWorkspace, isInside } from '../../src/workspace/workspace.ts';
import { tempFolder } from './temp-folder.ts';

const OUTSIDE = /is outside the workspace/;

function refused(root: string, path: string): string {
  const resolved = createWorkspace(root).resolve(path);
  return resolved.ok ? `allowed as ${resolved.path}` : resolved.reason;
}

describe('paths inside', () => {
  it('resolves existing and new files', () => {
    const root = tempFolder({ 'src/a.ts': '' });
    const workspace = createWorkspace(root);
    expect(workspace.resolve('src/a.ts')).toEqual({
      ok: true,
      path: join(root, 'src/a.ts'),
      relative: 'src/a.ts',
      named: 'src/a.ts',
    });
    expect(workspace.resolve('./new/deep/b.ts')).toMatchObject({ ok: true, relative: 'new/deep/b.ts' });
    expect(workspace.resolve('.')).toMatchObject({ ok: true, path: root, relative: '.' });
    expect(workspace.resolve('src/../src/a.ts')).toMatchObject({ ok: true, relative: 'src/a.ts' });
  });

  it('takes an absolute path that lands inside, also through a linked root', () => {
    const root = tempFolder({ 'a.txt': '' });
    const other = tempFolder();
    symlinkSync(root, join(other, 'link'));
    const workspace = createWorkspace(join(other, 'link'));
    expect(workspace.root).toBe(root);
    expect(workspace.resolve(join(root, 'a.txt'))).toMatchObject({ ok: true, relative: 'a.txt' });
    expect(workspace.resolve(join(other, 'link/a.txt'))).toMatchObject({ ok: true, relative: 'a.txt' });
  });

  it('takes names that only look like tricks', () => {
    const root = tempFolder({ '..hidden': '', '~file': '', 'a..b/c': '' });
    for (const name of ['..hidden', '~file', 'a..b/c', '...', '$HOME']) {
      expect(createWorkspace(root).resolve(name)).toMatchObject({ ok: true, relative: name });
    }
  });

  it('follows a link inside to its real path and remembers the name', () => {
    const root = tempFolder({ 'real/a.txt': '' });
    symlinkSync('real', join(root, 'alias'));
    expect(createWorkspace(root).resolve('alias/a.txt')).toMatchObject({
      ok: true,
      relative: 'real/a.txt',
      named: 'alias/a.txt',
    });
  });
});

describe('ways out', () => {
  it('refuses .. and absolute paths', () => {
    const root = tempFolder({ 'src/a.ts': '' });
    for (const path of ['..', '../x', 'src/../../x', '/etc/passwd', '/', dirname(root), `${root}-sibling/x`]) {
      expect(refused(root, path)).toMatch(OUTSIDE);
    }
  });

  it('refuses NUL, tilde, empty and endless paths', () => {
    const root = tempFolder();
    expect(refused(root, 'a\0b')).toContain('NUL');
    expect(refused(root, '~/.ssh/id_rsa')).toContain('"~"');
    expect(refused(root, '~')).toContain('"~"');
    expect(refused(root, '')).toContain('empty');
    expect(refused(root, 'a/'.repeat(5000))).toContain('4096');
  });

  it('refuses links to files and folders outside, and new files below them', () => {
    const root = tempFolder();
    const other = tempFolder({ 'secret.txt': 'x' });
    symlinkSync(join(other, 'secret.txt'), join(root, 'file'));
    symlinkSync(other, join(root, 'folder'));
    symlinkSync('folder', join(root, 'twice'));
    for (const path of ['file', 'folder', 'folder/secret.txt', 'folder/new.txt', 'folder/a/b/new.txt', 'twice/x']) {
      expect(refused(root, path)).toMatch(OUTSIDE);
    }
  });

  it('refuses dangling links and loops, wherever they point', () => {
    const root = tempFolder();
    const other = tempFolder();
    symlinkSync(join(other, 'missing'), join(root, 'dangling'));
    symlinkSync('missing', join(root, 'inner'));
    symlinkSync('loop', join(root, 'loop'));
    expect(refused(root, 'dangling')).toContain('to nowhere');
    expect(refused(root, 'dangling/x')).toContain('to nowhere');
    expect(refused(root, 'inner')).toContain('to nowhere');
    expect(refused(root, 'loop')).toContain('ELOOP');
  });

  it('does not confuse spellings that differ in case', () => {
    const root = tempFolder({ 'Src/a.ts': '' });
    expect(refused(root, root.toUpperCase())).toMatch(OUTSIDE);
    expect(createWorkspace(root).resolve('Src/a.ts')).toMatchObject({ ok: true, relative: 'Src/a.ts' });
  });
});

describe('extra roots', () => {
  it('opens them for reading only', () => {
    const root = tempFolder();
    const extra = tempFolder({ 'lib.d.ts': '' });
    const workspace = createWorkspace(root, { extraRoots: [extra] });
    const path = join(extra, 'lib.d.ts');
    expect(workspace.resolve(path)).toMatchObject({ ok: true, path, relative: path });
    expect(workspace.resolve(path, 'write')).toMatchObject({ ok: false });
    expect(workspace.resolve(dirname(extra))).toMatchObject({ ok: false });
  });
});

describe('createWorkspace', () => {
  it('needs an existing folder', () => {
    const root = tempFolder({ file: '' });
    mkdirSync(join(root, 'ok'));
    expect(createWorkspace(join(root, 'ok')).root).toBe(join(root, 'ok'));
    for (const bad of [join(root, 'missing'), join(root, 'file')]) {
      expect(() => createWorkspace(bad)).toThrow(AgentError);
    }
  });
});

describe('isInside', () => {
  it('knows folders from prefixes', () => {
    expect(isInside('/a', '/a/b')).toBe(true);
    expect(isInside('/a', '/a')).toBe(true);
    expect(isInside('/a', '/ab')).toBe(false);
    expect(isInside('/', '/a')).toBe(true);
    expect(isInside('/a', '/a/..b')).toBe(true);
  });
});
