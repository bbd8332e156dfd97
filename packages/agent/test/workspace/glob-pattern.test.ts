import picomatch from 'picomatch';
import { describe, expect, it } from 'vitest';
import { compileGlob, escapeGlob, MAX_GLOB_CHARS, splitGlob } from '../../src/workspace/glob-pattern.ts';

function matches(pattern: string, path: string, ignoreCase = false): boolean {
  const compiled = compileGlob(pattern, { ignoreCase });
  if (!compiled.ok) throw new Error(compiled.reason);
  return compiled.matches(path);
}

const PATTERNS = [
  '*.ts',
  '**/*.ts',
  'src/**',
  'src/*/x.ts',
  'src/**/x.ts',
  '**',
  '*',
  'a?c.txt',
  '[a-c]x',
  '[^a-c]x',
  '{a,b}/*.{js,ts}',
  'src/{a,b/c}/x.ts',
  'file.ts',
  '.*',
  '**/.env',
];
const PATHS = [
  'a.ts',
  'src/a.ts',
  'src/a/x.ts',
  'src/b/c/x.ts',
  'src/x.ts',
  'abc.txt',
  'ac.txt',
  'ax',
  'dx',
  'a/b.js',
  'b/c.ts',
  'c/d.ts',
  'file.ts',
  'fileXts',
  '.env',
  'deep/er/.env',
  'srcs/a.ts',
];

describe('patterns', () => {
  it.each(PATTERNS)('%s agrees with picomatch', (pattern) => {
    const expected = picomatch(pattern, { dot: true });
    expect(PATHS.filter((path) => matches(pattern, path))).toEqual(PATHS.filter((path) => expected(path)));
  });

  it('takes everything else literally', () => {
    expect(matches('a+(b)|$^.txt', 'a+(b)|$^.txt')).toBe(true);
    expect(matches('a\\*b', 'a*b')).toBe(true);
    expect(matches('a\\*b', 'axb')).toBe(false);
    expect(matches('{1..3}', '{1..3}')).toBe(true);
    expect(matches('[x', '[x')).toBe(true);
    expect(matches('\\😀?', '😀a')).toBe(true);
    expect(matches('[^a]b', '/b')).toBe(false);
  });

  it('negates classes as a shell does', () => {
    expect(PATHS.filter((path) => matches('[!a-c]x', path))).toEqual(['dx']);
  });

  it('can ignore case', () => {
    expect(matches('SRC/*.TS', 'src/a.ts')).toBe(false);
    expect(matches('SRC/*.TS', 'src/a.ts', true)).toBe(true);
  });

  it('stays linear where backtracking would hang', () => {
    const path = `${'a'.repeat(5000)}b`;
    expect(matches(`${'*a'.repeat(100)}*c`, path)).toBe(false);
    expect(matches(`{${'a,'.repeat(50)}a}*{a,aa,aaa}*c`, path)).toBe(false);
  });

  it('refuses empty and endless patterns', () => {
    expect(compileGlob('')).toMatchObject({ ok: false });
    expect(compileGlob('a'.repeat(MAX_GLOB_CHARS + 1))).toMatchObject({ ok: false });
  });

  it('escapes any path', () => {
    for (const path of ['a*b', 'x[1].ts', '{a,b}', 'back\\slash', 'plain']) {
      expect(matches(escapeGlob(path), path)).toBe(true);
    }
  });
});

describe('splitGlob', () => {
  it('parts the fixed folders from the pattern', () => {
    expect(splitGlob('src/a/*.ts')).toEqual({ folder: 'src/a', rest: '*.ts' });
    expect(splitGlob('*.ts')).toEqual({ folder: '', rest: '*.ts' });
    expect(splitGlob('src/a.ts')).toEqual({ folder: 'src', rest: 'a.ts' });
    expect(splitGlob('src/{a,b/c}/x')).toEqual({ folder: 'src', rest: '{a,b/c}/x' });
  });
});
