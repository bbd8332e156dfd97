/** Error texts of the file tools: what went wrong and what to do instead. */
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { entryBase, openFolder } from '../workspace/confined-files.ts';
import { relativeTo } from '../workspace/workspace.ts';
import { similarity } from './similarity.ts';
import { failure, type ToolContext, type ToolOutput } from './tool.ts';

/** More suggestions would be noise. */
const MAX_SUGGESTIONS = 5;
/** Below this two names have little in common. 0–1. */
const MIN_SIMILARITY = 0.4;
/** Names compared in one folder; a folder of a million files is not worth it. */
const MAX_COMPARED = 5000;

const CODE_TEXTS: Readonly<Record<string, string>> = {
  EISDIR: 'is a folder; list it with glob',
  ENOTFILE: 'is not a regular file (a pipe, a device or a socket)',
  EMOVED: 'changed while it was being opened; try again',
  ECHANGED: 'was changed by someone else meanwhile; read it again',
  EACCES: 'may not be accessed: permission denied by the operating system',
  EPERM: 'may not be accessed: permission denied by the operating system',
  EROFS: 'is read-only',
  ENOTDIR: 'cannot exist: a part of the path before it is a file',
  ENAMETOOLONG: 'has a name too long for the file system',
  ENOSPC: 'cannot be written: the disk is full',
  ENOENT: 'does not exist',
};

export interface FileProblem {
  /** Name of the tool that reports. */
  readonly tool: string;
  /** Workspace-relative path, as shown to the model. */
  readonly path: string;
  /** A system error code or one of `OpenResult`. */
  readonly code: string;
}

export function fileFailure(problem: FileProblem): ToolOutput {
  const text = CODE_TEXTS[problem.code] ?? `cannot be used (${problem.code})`;
  return failure(`${problem.tool}: ${problem.path} ${text}`, { code: problem.code });
}

/** A file is not what the model believes it to be. */
export function changedFailure(tool: string, path: string): ToolOutput {
  return failure(
    `${tool}: ${path} changed on disk since you last read or wrote it; nothing was changed. Read it again`,
    {
      code: 'ECHANGED',
    },
  );
}

/** Names files of the same folder that resemble the missing one. */
export async function missingFailure(tool: string, realPath: string, context: ToolContext): Promise<ToolOutput> {
  const shown = relativeTo(context.workspace.root, realPath);
  const folder = dirname(realPath);
  const names = await namesIn(folder);
  const shownFolder = relativeTo(context.workspace.root, folder);
  const details = { code: 'ENOENT' };
  if (names === undefined)
    return failure(`${tool}: ${shown} does not exist, nor does the folder ${shownFolder}`, details);
  const nearby = nearestNames(basename(realPath), names)
    .map((name) => relativeTo(context.workspace.root, join(folder, name)))
    .filter((path) => context.mayRead?.(path) ?? true);
  const hint = nearby.length === 0 ? '' : `; similar names: ${nearby.join(', ')}`;
  return failure(`${tool}: ${shown} does not exist${hint}`, details);
}

async function namesIn(folder: string): Promise<readonly string[] | undefined> {
  const handle = await openFolder(folder);
  if (handle === undefined) return undefined;
  try {
    return await readdir(await entryBase(handle, folder));
  } finally {
    await handle.close();
  }
}

function nearestNames(wanted: string, names: readonly string[]): readonly string[] {
  return names
    .slice(0, MAX_COMPARED)
    .map((name) => ({ name, score: similarity(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ score }) => score >= MIN_SIMILARITY)
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => name);
}
