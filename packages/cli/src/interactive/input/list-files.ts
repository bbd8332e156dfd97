/** Paths of a folder for completion: breadth first, bounded, without what nobody names. */
import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const IGNORED = ['.git', 'node_modules', '.holdover', '.transcripts', '.task_outputs'] as const;
const MOST_PATHS = 20_000;
/** A list this old is made anew. */
const FRESH_MS = 5_000;

/** Of a .gitignore at most; longer ones are cut. */
const MOST_IGNORE_BYTES = 100_000;

/** The folder may be a stranger's: a pipe or a device in this place would never end. */
async function readBeginning(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) return '';
    const room = Buffer.alloc(MOST_IGNORE_BYTES);
    const { bytesRead } = await file.read(room, 0, MOST_IGNORE_BYTES, 0);
    return room.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Plain names of the folder's own .gitignore; patterns are left to git. */
async function ignoredNames(root: string): Promise<ReadonlySet<string>> {
  const text = await readBeginning(join(root, '.gitignore')).catch(() => '');
  const names = text.split('\n').flatMap((line) => /^\/?([\w.-]+)\/?$/.exec(line.trim())?.[1] ?? []);
  return new Set([...IGNORED, ...names]);
}

/** Folders end in `/`. Links are not followed. */
async function walk(root: string, signal: AbortSignal): Promise<readonly string[]> {
  const ignored = await ignoredNames(root);
  const paths: string[] = [];
  let folders = [''];
  while (folders.length > 0 && paths.length < MOST_PATHS && !signal.aborted) {
    const next: string[] = [];
    for (const folder of folders) {
      const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
      const known = entries.filter(({ name }) => !ignored.has(name));
      const found = known.map((entry) => `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`);
      paths.push(...found);
      next.push(...found.filter((path) => path.endsWith('/')));
    }
    folders = next;
  }
  return paths.slice(0, MOST_PATHS);
}

export type ListFiles = (signal: AbortSignal) => Promise<readonly string[]>;

/** The same list for a few seconds, so that typing does not walk the tree at every letter. */
export function createFileList(root: string): ListFiles {
  let atMs = 0;
  let listed: Promise<readonly string[]> | undefined;
  return (signal) => {
    if (listed === undefined || Date.now() - atMs > FRESH_MS) {
      atMs = Date.now();
      listed = walk(root, new AbortController().signal);
    }
    return signal.aborted ? Promise.resolve([]) : listed;
  };
}
