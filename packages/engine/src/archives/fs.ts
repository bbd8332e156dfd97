import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Archive, isContentAddress } from '../core/archive.ts';
let n = 0;
export function fsArchive(directory: string): Archive {
  return {
    name: 'fs',
    hash: (text) => createHash('sha256').update(text).digest('hex'),
    async put(address, text) {
      if (!isContentAddress(address)) throw new Error(address);
      await mkdir(directory, { recursive: true, mode: 0o700 });
      n += 1;
      const path = join(directory, `${address}.txt`);
      const aside = `${path}.${n}.tmp`;
      await writeFile(aside, text, { mode: 0o600 });
      await rename(aside, path);
    },
    get: (address) => readFile(join(directory, `${address}.txt`), 'utf8').catch(() => undefined),
  };
}
