import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createGlobTool } from '../../src/tools/glob.ts';
import { createGrepTool } from '../../src/tools/grep.ts';
import { createWorkspace } from '../../src/workspace/workspace.ts';
import { tempFolder } from '../workspace/temp-folder.ts';
import { errorOf, runner, textOf } from './context.ts';

const globTool = createGlobTool();
const grepTool = createGrepTool();

describe('glob', () => {
  it('lists files in order, without .git and node_modules', async () => {
    const files = { 'b.ts': '', 'a.ts': '', 'src/c.ts': '', '.git/x.ts': '', 'node_modules/m/i.ts': '', '.env': '' };
    const glob = runner(globTool, tempFolder(files));
    expect(await textOf(glob({ pattern: '**/*.ts' }))).toBe('a.ts\nb.ts\nsrc/c.ts');
    expect(await textOf(glob({ pattern: '*' }))).toBe('.env\na.ts\nb.ts');
    expect(await textOf(glob({ pattern: './src/*' }))).toBe('src/c.ts');
    expect(await textOf(glob({ pattern: 'src/c.ts' }))).toBe('src/c.ts');
    expect(await textOf(glob({ pattern: '*/' }))).toBe('src/');
    expect(await textOf(glob({ pattern: 'node_modules/**/*.ts' }))).toBe('node_modules/m/i.ts');
    expect(await textOf(glob({ pattern: '*.md' }))).toBe('(no matches)');
    expect(await textOf(glob({ pattern: 'missing/**' }))).toBe('(no matches)');
  });

  it('stops at 200 and counts the others', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 205 }, (_, index) => [`f${String(index).padStart(3, '0')}`, '']),
    );
    const lines = (await textOf(runner(globTool, tempFolder(files))({ pattern: '**' }))).split('\n');
    expect(lines).toHaveLength(201);
    expect(lines[199]).toBe('f199');
    expect(lines[200]).toBe('(5 more matches omitted)');
  });

  it('never leaves the workspace', async () => {
    const other = tempFolder({ 'secret.txt': '' });
    const root = tempFolder({ 'in/a.txt': '' });
    symlinkSync(other, join(root, 'out'));
    symlinkSync(join(other, 'secret.txt'), join(root, 'file'));
    symlinkSync('in/a.txt', join(root, 'fine'));
    const glob = runner(globTool, root);
    expect(await textOf(glob({ pattern: '**' }))).toBe('fine\nin/a.txt');
    for (const pattern of ['../**', '/etc/*', '/**', 'out/*', 'in/../../*', `${other}/*`]) {
      expect(await errorOf(glob({ pattern }))).toMatch(/is outside the workspace/);
    }
    expect(await errorOf(glob({ pattern: '*/../../*' }))).toContain('".." cannot follow');
    expect(await errorOf(glob({ pattern: '~/*' }))).toContain('"~"');
    expect(await textOf(glob({ pattern: '{..,in}/*' }))).toBe('in/a.txt');
    const granted = runner(globTool, root, { workspace: createWorkspace(root, { extraRoots: [other] }) });
    expect(await textOf(granted({ pattern: `${other}/*` }))).toBe(join(other, 'secret.txt'));
    expect(await textOf(granted({ pattern: `${root}/in/*` }))).toBe('in/a.txt');
  });

  it('asks the gates about the folder it walks', () => {
    const access = (pattern: string): unknown => globTool.access({ pattern });
    expect(access('src/**/*.ts')).toEqual([{ kind: 'read', path: 'src' }]);
    expect(access('*')).toEqual([{ kind: 'read', path: '.' }]);
    expect(access('/etc/*')).toEqual([{ kind: 'read', path: '/etc' }]);
    expect(access('/*')).toEqual([{ kind: 'read', path: '/' }]);
    expect(access('secrets/')).toEqual([{ kind: 'read', path: '.' }]);
  });

  it('leaves out what the rules hide', async () => {
    const root = tempFolder({ 'a.txt': '', 'secret/b.txt': '' });
    const glob = runner(globTool, root, { mayRead: (path) => !path.startsWith('secret/') });
    expect(await textOf(glob({ pattern: '**' }))).toBe('a.txt');
  });

  it('an interrupt is an error', async () => {
    const glob = runner(globTool, tempFolder({ a: '' }), { signal: AbortSignal.abort() });
    expect(await errorOf(glob({ pattern: '**' }))).toBe('glob: interrupted');
  });
});

describe('grep', () => {
  it('prints file, line and text', async () => {
    const files = { 'a.ts': 'one\nTwo\r\nthree two\n', 'src/b.ts': 'two', 'src/c.md': 'two', 'node_modules/x': 'two' };
    const grep = runner(grepTool, tempFolder(files));
    expect(await textOf(grep({ pattern: 'two' }))).toBe('a.ts:3:three two\nsrc/b.ts:1:two\nsrc/c.md:1:two');
    expect(await textOf(grep({ pattern: '^two$', ignore_case: true }))).toBe(
      'a.ts:2:Two\nsrc/b.ts:1:two\nsrc/c.md:1:two',
    );
    expect(await textOf(grep({ pattern: 'two', path: 'src' }))).toBe('src/b.ts:1:two\nsrc/c.md:1:two');
    expect(await textOf(grep({ pattern: 'two', path: 'a.ts' }))).toBe('a.ts:3:three two');
    expect(await textOf(grep({ pattern: 'two', glob: '*.ts' }))).toBe('a.ts:3:three two\nsrc/b.ts:1:two');
    expect(await textOf(grep({ pattern: 'two', glob: 'src/*.md' }))).toBe('src/c.md:1:two');
    expect(await textOf(grep({ pattern: 'two', path: 'src', glob: 'src/**' }))).toContain('src/b.ts');
    expect(await textOf(grep({ pattern: 'two', path: 'node_modules' }))).toBe('node_modules/x:1:two');
    expect(await textOf(grep({ pattern: 'absent' }))).toBe('(no matches)');
  });

  it('cuts lines, counts what it leaves out, passes over binary and large files', async () => {
    const root = tempFolder({ 'a.txt': `${'x'.repeat(299)}😀\n`.repeat(205), 'large.txt': 'x'.repeat(200_000) });
    writeFileSync(join(root, 'b.bin'), Buffer.from('xxx\0xxx'));
    const grep = runner(createGrepTool({ maxFileBytes: 150_000 }), root);
    const lines = (await textOf(grep({ pattern: 'x' }))).split('\n');
    expect(lines).toHaveLength(202);
    expect(lines[0]).toBe(`a.txt:1:${'x'.repeat(299)}…`);
    expect(lines[200]).toBe('(5 more matches omitted)');
    expect(lines[201]).toBe('(1 files over 150000 bytes not searched)');
  });

  it('does not hang on an expression made to', async () => {
    const grep = runner(grepTool, tempFolder({ a: `${'a'.repeat(50_000)}\n` }));
    expect(await textOf(grep({ pattern: '^(a+)+$x' }))).toBe('(no matches)');
    expect(await textOf(grep({ pattern: '(a|a)*b' }))).toBe('(no matches)');
    expect(await textOf(grep({ pattern: '(a|b)*a(a|b){200}c' }))).toBe('(no matches)');
  });

  it('searches the beginning of endless lines, and says so', async () => {
    const grep = runner(grepTool, tempFolder({ a: `first${'a'.repeat(200_000)}last\n` }));
    expect(await textOf(grep({ pattern: 'first' }))).toMatch(/^a:1:firsta+…\n\(1 lines searched in their first 100000/);
    expect(await textOf(grep({ pattern: 'last' }))).toMatch(/^\(no matches\)\n\(1 lines searched/);
  });

  it('explains what RE2 does not know', async () => {
    const grep = runner(grepTool, tempFolder({ a: 'x' }));
    expect(await errorOf(grep({ pattern: '(?=x)' }))).toContain('Look-around and back-references are not supported');
    expect(await errorOf(grep({ pattern: '(' }))).toContain('is not a valid RE2 expression');
    expect(await errorOf(grep({ pattern: 'x', ignore_case: 'yes' }))).toContain('"ignore_case" must be true or false');
    expect(await errorOf(grep({ pattern: 'x'.repeat(1001) }))).toContain('at most 1000 characters');
  });

  it('never leaves the workspace', async () => {
    const other = tempFolder({ 'secret.txt': 'secret' });
    const root = tempFolder({ 'a.txt': 'none' });
    symlinkSync(other, join(root, 'folder'));
    symlinkSync(join(other, 'secret.txt'), join(root, 'file'));
    const grep = runner(grepTool, root);
    expect(await textOf(grep({ pattern: 'secret' }))).toBe('(no matches)');
    for (const path of ['..', '/etc', 'folder', 'file', other]) {
      expect(await errorOf(grep({ pattern: 'secret', path }))).toMatch(/is outside the workspace/);
    }
    expect(await errorOf(grep({ pattern: 'x', path: 'b.txt' }))).toContain('similar names: a.txt');
  });

  it('leaves out what the rules hide, and stops in time', async () => {
    const root = tempFolder({ 'a.txt': 'two\n'.repeat(2000), 'secret.txt': 'two' });
    const hidden = runner(grepTool, root, { mayRead: (path) => path !== 'secret.txt' });
    expect(await textOf(hidden({ pattern: 'two' }))).not.toContain('secret');
    let nowMs = 0;
    const late = runner(createGrepTool({ timeoutMs: 1000 }), root, { now: () => (nowMs += 600) });
    expect(await textOf(late({ pattern: 'none' }))).toContain('(stopped after 1 s');
    const aborted = runner(grepTool, root, { signal: AbortSignal.abort() });
    expect(await errorOf(aborted({ pattern: 'two' }))).toBe('grep: interrupted');
  });
});
