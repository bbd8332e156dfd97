/** An archive in memory: for tests, and for sessions that need not outlive their process. */

import { type Archive, archiveConflict, requireContentAddress } from '../core/archive.ts';

/** Keeps texts as long as the archive itself is kept; nothing is ever dropped. */
export function memoryArchive(): Archive {
  const texts = new Map<string, string>();
  return {
    name: 'memory',
    async put(address, text) {
      requireContentAddress(address);
      const stored = texts.get(address);
      if (stored !== undefined && stored !== text) throw archiveConflict('memory', address);
      texts.set(address, text);
    },
    async get(address) {
      return texts.get(address);
    },
  };
}
