/**
 * Makes a folder and its missing parents, owner-only. Node's own recursive form never ends where a parent can neither be made nor is there, such as
 * below `/proc`, which is where some services put the home of their users.
 */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

type Outcome = { readonly code?: string; readonly error?: unknown };

function tryMake(path: string): Outcome {
  try {
    mkdirSync(path, { mode: 0o700 });
    return {};
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isThere = code === 'EEXIST' && statSync(path).isDirectory();
    return isThere ? {} : { code: code ?? 'unknown', error };
  }
}

/** A folder that is there already is left as it is, also behind a link. Throws the system's error where one cannot be made. */
export function makeFolder(path: string): void {
  const first = tryMake(path);
  if (first.code === undefined) return;
  const parent = dirname(path);
  if (first.code !== 'ENOENT' || parent === path) throw first.error;
  makeFolder(parent);
  const second = tryMake(path);
  if (second.code !== undefined) throw second.error;
}
