/**
 * Standing instructions: the user's own file and the project's `AGENTS.md`, read once when a session opens and part of the system prompt, so that
 * no compaction can lose them. They are text for the model; they grant no permission and run nothing.
 */
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { openConfined } from '../workspace/confined-files.ts';
import type { Workspace } from '../workspace/workspace.ts';

export interface Instructions {
  /** Where it was read, as shown to people and the model. */
  readonly source: string;
  readonly text: string;
}

export interface InstructionsOptions {
  readonly workspace: Workspace;
  /** The user's folder of settings; absent: only the project's file is read. */
  readonly userFolder?: string | undefined;
}

export const INSTRUCTIONS_FILE = 'AGENTS.md';

/** A longer file is cut, and says so: about 10,000 tokens, in a system prompt that is paid with every request. */
export const MAX_INSTRUCTIONS_BYTES = 40_000;

async function readText(path: string): Promise<string | undefined> {
  const opened = await openConfined(path);
  if (!opened.ok) return undefined;
  try {
    const buffer = Buffer.alloc(Math.min(opened.sizeBytes, MAX_INSTRUCTIONS_BYTES));
    const { bytesRead } = await opened.handle.read(buffer, 0, buffer.length, 0);
    const text = new TextDecoder('utf-8').decode(buffer.subarray(0, bytesRead)).replaceAll('\0', '').trim();
    if (text === '') return undefined;
    return opened.sizeBytes > bytesRead ? `${text}\n(${opened.sizeBytes - bytesRead} more bytes were left out)` : text;
  } finally {
    await opened.handle.close();
  }
}

/** The user's own file may stand behind links, as folders of settings often do. */
async function ownFile(userFolder: string | undefined): Promise<string | undefined> {
  return userFolder === undefined ? undefined : realpath(join(userFolder, INSTRUCTIONS_FILE)).catch(() => undefined);
}

/** The files that are there, the user's first. A link out of the workspace, a folder or an unreadable file counts as none. */
export async function readInstructions({
  workspace,
  userFolder,
}: InstructionsOptions): Promise<readonly Instructions[]> {
  const project = workspace.resolve(INSTRUCTIONS_FILE, 'read');
  const own = await ownFile(userFolder);
  const places = [
    ...(own === undefined ? [] : [{ path: own, source: "the user's AGENTS.md" }]),
    ...(project.ok ? [{ path: project.path, source: "the project's AGENTS.md" }] : []),
  ];
  const found = await Promise.all(places.map(async ({ path, source }) => ({ source, text: await readText(path) })));
  return found.flatMap(({ source, text }) => (text === undefined ? [] : [{ source, text }]));
}
