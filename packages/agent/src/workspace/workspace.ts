/** Path confinement: which paths a session may touch, decided on real paths (symbolic links followed). */
import { lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { AgentError } from '../errors.ts';

export type Purpose = 'read' | 'write';

/**
 * `path` is absolute and free of symbolic links up to the deepest entry that exists; open it, never the text
 * the model wrote. `relative` is `path` seen from the root with `/` separators (`.` for the root itself), or
 * `path` unchanged below an extra root. `named` is what was written, normalised but with links left in place:
 * rules that forbid look at both.
 */
export type ResolvedPath =
  | { readonly ok: true; readonly path: string; readonly relative: string; readonly named: string }
  | { readonly ok: false; readonly reason: string };

export interface Workspace {
  /** Absolute real path. */
  readonly root: string;
  readonly extraRoots: readonly string[];
  /** Never throws: a refusal is a return value. `purpose` defaults to `read`; extra roots are never writable. */
  resolve(path: string, purpose?: Purpose): ResolvedPath;
}

export interface WorkspaceOptions {
  /** Folders outside the root that may be read, never written. @default [] */
  readonly extraRoots?: readonly string[];
}

export const DEFAULT_WORKSPACE_OPTIONS: Required<WorkspaceOptions> = { extraRoots: [] };

/** Linux PATH_MAX; longer paths fail in the kernel anyway, less clearly. */
export const MAX_PATH_CHARS: number = 4096;
const MAX_QUOTED_CHARS = 200;

/** @throws AgentError `invalid_workspace` when a root is not an existing folder. */
export function createWorkspace(root: string, options: WorkspaceOptions = {}): Workspace {
  const realRoot = realFolder(root);
  const extraRoots = (options.extraRoots ?? DEFAULT_WORKSPACE_OPTIONS.extraRoots).map(realFolder);
  return {
    root: realRoot,
    extraRoots,
    resolve: (path, purpose = 'read') => resolveInside(path, realRoot, purpose === 'read' ? extraRoots : []),
  };
}

/** True when `path` is `folder` or lies below it. Both absolute and normalised. */
export function isInside(folder: string, path: string): boolean {
  const step = relative(folder, path);
  return step === '' || (step !== '..' && !step.startsWith(`..${sep}`) && !isAbsolute(step));
}

/** `path` as seen from `root`: `/` separators, `.` for the root; absolute when it lies outside. */
export function relativeTo(root: string, path: string): string {
  if (!isInside(root, path)) return path;
  const step = relative(root, path);
  return step === '' ? '.' : step.split(sep).join('/');
}

/** Where Linux shows what processes hold, their environment with its keys among it: no file of anybody's, even where `/` is the workspace. */
export function isProcess(path: string): boolean {
  return path === '/proc' || path.startsWith('/proc/');
}

function resolveInside(path: string, root: string, extraRoots: readonly string[]): ResolvedPath {
  const problem = textProblem(path);
  if (problem !== undefined) return { ok: false, reason: problem };
  const named = resolve(root, path);
  const real = realPath(named);
  if (!real.ok) return { ok: false, reason: `${quote(path)} ${real.reason}` };
  const inside = isInside(root, real.path) || extraRoots.some((extra) => isInside(extra, real.path));
  if (!inside) return { ok: false, reason: `${quote(path)} is outside the workspace ${root}` };
  if (isProcess(real.path)) return { ok: false, reason: `${quote(path)} shows the inside of processes, not files` };
  return { ok: true, path: real.path, relative: relativeTo(root, real.path), named: relativeTo(root, named) };
}

function textProblem(path: string): string | undefined {
  if (path === '') return 'the path is empty';
  if (path.includes('\0')) return 'the path contains a NUL character';
  if (path.length > MAX_PATH_CHARS) return `the path is ${path.length} characters long; at most ${MAX_PATH_CHARS}`;
  if (path === '~' || path.startsWith('~/')) return `${quote(path)} starts with "~", which is not expanded here`;
  return undefined;
}

type RealPath = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly reason: string };

/**
 * Real path of the deepest existing ancestor plus the missing tail. A dangling link counts as existing and is
 * refused, because writing through it would create its target wherever that is.
 */
function realPath(path: string): RealPath {
  let existing = path;
  const missing: string[] = [];
  while (existing !== dirname(existing)) {
    const code = errorCodeOf(() => lstatSync(existing));
    if (code === undefined) break;
    if (code === 'ENAMETOOLONG') return { ok: false, reason: 'has a name too long for the file system' };
    if (code !== 'ENOENT' && code !== 'ENOTDIR') return { ok: false, reason: `cannot be looked up (${code})` };
    missing.unshift(basename(existing));
    existing = dirname(existing);
  }
  try {
    // native: also gives the true spelling on file systems that ignore case
    return { ok: true, path: join(realpathSync.native(existing), ...missing) };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return { ok: false, reason: 'goes through a symbolic link to nowhere' };
    return { ok: false, reason: `cannot be resolved (${code})` };
  }
}

function realFolder(path: string): string {
  try {
    const real = realpathSync.native(resolve(path));
    if (statSync(real).isDirectory()) return real;
  } catch (cause) {
    throw new AgentError('invalid_workspace', `workspace root ${quote(path)} does not exist`, { cause });
  }
  throw new AgentError('invalid_workspace', `workspace root ${quote(path)} is not a folder`);
}

function errorCodeOf(action: () => unknown): string | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return errorCode(error);
  }
}

/** The system error code (`ENOENT`, …), or `unknown error`. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error';
}

/** JSON quoting: control characters, quotes and length of a name cannot disturb the message around it. */
export function quote(text: string): string {
  return JSON.stringify(text.length <= MAX_QUOTED_CHARS ? text : `${text.slice(0, MAX_QUOTED_CHARS)}…`);
}
