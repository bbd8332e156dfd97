/** Where a search starts and which names it passes over; shared by `glob` and `grep`. */
import { isAbsolute } from 'node:path';
import { relativeTo, type Workspace } from '../workspace/workspace.ts';
import { splitGlob } from '../workspace/glob-pattern.ts';
import { DEFAULT_WALK_OPTIONS } from '../workspace/walk.ts';

export type SearchBase =
  | {
      readonly ok: true;
      /** Real path of the folder to walk. */
      readonly folder: string;
      /** Put before a walked path to show it: `''`, or ends in `/`. */
      readonly prefix: string;
      /** The pattern left to match, relative to `folder`. */
      readonly rest: string;
    }
  | { readonly ok: false; readonly reason: string };

/** Where the fixed folders of a pattern lead, as written, and the pattern left. Pure. */
export function searchStart(pattern: string): { readonly start: string; readonly rest: string } {
  const { folder, rest } = splitGlob(pattern.replace(/^(\.\/+)+/, ''));
  if (folder !== '') return { start: folder, rest };
  return { start: isAbsolute(pattern) ? '/' : '.', rest };
}

/** Confines the start of a search. */
export function searchBase(pattern: string, workspace: Workspace): SearchBase {
  const { start, rest } = searchStart(pattern);
  if (rest.split('/').includes('..')) return { ok: false, reason: '".." cannot follow a pattern character' };
  const resolved = workspace.resolve(start, 'read');
  if (!resolved.ok) return resolved;
  return { ok: true, folder: resolved.path, prefix: prefixOf(resolved.path, workspace), rest };
}

/** `''` for the root, `src/` for a folder in it, an absolute path for one below an extra root. */
export function prefixOf(folder: string, workspace: Workspace): string {
  const relative = relativeTo(workspace.root, folder);
  if (relative === '.') return '';
  return relative.endsWith('/') ? relative : `${relative}/`;
}

/** The default ignored names, without those the caller names: who asks for `node_modules` gets it. */
export function ignoredNamesFor(...texts: readonly string[]): readonly string[] {
  const named = new Set(texts.flatMap((text) => text.split('/')));
  return DEFAULT_WALK_OPTIONS.ignoredNames.filter((name) => !named.has(name));
}
