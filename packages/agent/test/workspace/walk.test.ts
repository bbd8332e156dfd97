import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { walk, type WalkOptions } from '../../src/workspace/walk.ts';
import { tempFolder } from './temp-folder.ts';

async function paths(folder: string, options: Partial<WalkOptions> = {}): Promise<string[]> {
  const found: string[] = [];
  for await (const { path, kind } of walk(folder, { signal: new AbortController().signal, ...options })) {
    found.push(`${kind} ${path}`);
  }
  return found;
}

describe('walk', () => {
  it('goes in path order and passes over .git and node_modules', async () => {
    const root = tempFolder({ 'a/b': '', 'a-b': '', 'a.c': '', 'z/.git/x': '', 'node_modules/m/x': '', '.env': '' });
    expect(await paths(root)).toEqual(['file .env', 'file a-b', 'file a.c', 'folder a', 'file a/b', 'folder z']);
  });

  it('reports links and never follows them', async () => {
    const other = tempFolder({ secret: '' });
    const root = tempFolder({ 'd/x': '' });
    symlinkSync(other, join(root, 'out'));
    symlinkSync('.', join(root, 'd/loop'));
    expect(await paths(root)).toEqual(['folder d', 'link d/loop', 'file d/x', 'link out']);
    expect(await paths(join(root, 'out'))).toEqual([]);
  });

  it('is bounded and says so', async () => {
    const root = tempFolder({ a: '', b: '', c: '' });
    let truncated = 0;
    const onTruncated = (): void => {
      truncated += 1;
    };
    expect(await paths(root, { maxEntries: 3, onTruncated })).toHaveLength(3);
    expect(truncated).toBe(0);
    expect(await paths(root, { maxEntries: 2, onTruncated })).toHaveLength(2);
    expect(truncated).toBe(1);
  });

  it('ends when aborted and for folders that are not there', async () => {
    const root = tempFolder({ a: '' });
    expect(await paths(root, { signal: AbortSignal.abort() })).toEqual([]);
    expect(await paths(join(root, 'missing'))).toEqual([]);
  });
});
