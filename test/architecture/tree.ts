import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, type Source } from './sources.ts';

const STUB = /^\s*(?:export\s*\{\s*\}\s*;?)?\s*$/;

/** Folders that hold nothing at all. */
export function emptyFolders(folders: readonly string[]): string[] {
  return folders.filter((folder) => existsSync(join(ROOT, folder))).flatMap((folder) => emptyWithin(folder));
}

function emptyWithin(folder: string): string[] {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true });
  if (entries.length === 0) return [folder];
  return entries
    .filter(
      (entry) =>
        entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules' && entry.name !== 'dist',
    )
    .flatMap((entry) => emptyWithin(`${folder}/${entry.name}`));
}

/** Files that say nothing but `export {}`. */
export function stubFiles(sources: readonly Source[]): string[] {
  return sources.filter((source) => STUB.test(source.code)).map((source) => source.path);
}

export function medianLines(sources: readonly Source[]): number {
  const sorted = sources.map((source) => source.lines).sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
