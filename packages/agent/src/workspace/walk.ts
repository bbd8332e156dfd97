/** Listing a folder tree: in path order, bounded, never through a symbolic link. */
import { AGENT_FOLDERS } from './agent-folders.ts';
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { entryBase, openFolder } from './confined-files.ts';

/** `path` is relative to the walked folder, with `/` separators and no trailing one. */
export interface WalkEntry {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link';
}

export interface WalkOptions {
  readonly signal: AbortSignal;
  /** Names of entries left out wherever they occur. @default .git, node_modules and the agent's own folders */
  readonly ignoredNames?: readonly string[];
  /** The walk stops after this many entries. 1 or more. @default 500000 */
  readonly maxEntries?: number;
  /** Called once when `maxEntries` ended the walk. */
  readonly onTruncated?: () => void;
}

export const DEFAULT_WALK_OPTIONS: Required<Pick<WalkOptions, 'ignoredNames' | 'maxEntries'>> = {
  ignoredNames: ['.git', 'node_modules', ...AGENT_FOLDERS],
  maxEntries: 500_000,
};

interface Walk {
  readonly signal: AbortSignal;
  readonly ignored: ReadonlySet<string>;
  remaining: number;
  truncated: boolean;
}

/**
 * Entries below `folder` (a real path), ordered by code unit of the full path. Folders that cannot be listed
 * are skipped. Ends early, without an error, when the signal is aborted or `maxEntries` is reached.
 */
export async function* walk(folder: string, options: WalkOptions): AsyncGenerator<WalkEntry, void, undefined> {
  const state: Walk = {
    signal: options.signal,
    ignored: new Set(options.ignoredNames ?? DEFAULT_WALK_OPTIONS.ignoredNames),
    remaining: options.maxEntries ?? DEFAULT_WALK_OPTIONS.maxEntries,
    truncated: false,
  };
  yield* walkFolder(folder, '', state);
  if (state.truncated) options.onTruncated?.();
}

async function* walkFolder(folder: string, prefix: string, state: Walk): AsyncGenerator<WalkEntry, void, undefined> {
  for (const entry of await listFolder(folder, state)) {
    if (state.remaining === 0) state.truncated = true;
    if (state.signal.aborted || state.truncated) return;
    state.remaining -= 1;
    const path = prefix + entry.name;
    const kind = kindOf(entry);
    if (kind === undefined) continue;
    yield { path, kind };
    if (kind === 'folder') yield* walkFolder(join(folder, entry.name), `${path}/`, state);
  }
}

async function listFolder(folder: string, state: Walk): Promise<readonly Dirent[]> {
  const handle = await openFolder(folder);
  if (handle === undefined) return [];
  try {
    const entries = await readdir(await entryBase(handle, folder), { withFileTypes: true });
    return entries.filter((entry) => !state.ignored.has(entry.name)).sort(byPath);
  } catch {
    return [];
  } finally {
    await handle.close();
  }
}

/** A folder sorts as `name/`, which is how the paths of its entries begin. */
function byPath(left: Dirent, right: Dirent): number {
  const a = left.isDirectory() ? `${left.name}/` : left.name;
  const b = right.isDirectory() ? `${right.name}/` : right.name;
  return a < b ? -1 : Number(a > b);
}

function kindOf(entry: Dirent): WalkEntry['kind'] | undefined {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : undefined;
}
