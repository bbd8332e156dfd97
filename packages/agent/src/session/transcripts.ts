/** `.transcripts/`: the messages a summary is about to replace, as JSON Lines, before any model is asked. */
import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { notWritten } from './not-written.ts';
import { ensureFolder, TRANSCRIPTS_FOLDER } from './sessions.ts';

/** Writes one transcript; its name is the range's own address, so two never collide. Written aside and renamed, owner-only. */
export async function writeTranscript(root: string, name: string, messages: readonly object[]): Promise<string> {
  const folder = await ensureFolder(root, TRANSCRIPTS_FOLDER);
  const path = join(folder, `transcript_${name.replace(/[^A-Za-z0-9._-]/g, '_')}.jsonl`);
  const aside = `${path}.${randomUUID()}.tmp`;
  const lines = messages.map((message) => `${JSON.stringify(message)}\n`).join('');
  try {
    await writeFile(aside, lines, { mode: 0o600, flag: 'wx' });
    await rename(aside, path);
  } catch (error) {
    await rm(aside, { force: true }).catch(() => undefined);
    throw notWritten(path, error);
  }
  return path;
}
