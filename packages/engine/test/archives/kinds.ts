/** Archives on disk by name, for processes that are ended and for those that look at what they left. */
import { join } from 'node:path';
import Database from 'libsql';
import { fsArchive } from '../../src/archives/fs.ts';
import { sqliteArchive } from '../../src/archives/sqlite.ts';
import type { Archive } from '../../src/core/archive.ts';

export type Kind = 'fs' | 'sqlite';

export const KINDS: readonly Kind[] = ['fs', 'sqlite'];

/** The archive of a kind in `folder`, as a process opens it. */
export async function openKind(kind: Kind, folder: string): Promise<Archive> {
  if (kind === 'fs') return fsArchive(join(folder, 'texts'));
  return sqliteArchive(new Database(join(folder, 'texts.db')));
}

/** The text of a number: of every size up to `most`, compressible and not, and now and then one UTF-8 cannot hold. */
export function numbered(number: number, most = 60_000): string {
  let state = (number + 1) * 2_654_435_761;
  const next = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state;
  };
  const length = next() % most;
  let text = `text ${number}${number % 9 === 0 ? '\ud800' : ''}\n`;
  while (text.length < length)
    text += number % 2 === 0 ? `line ${next() % 50} of a log\n` : `${next().toString(36)} 漢`;
  return text;
}
