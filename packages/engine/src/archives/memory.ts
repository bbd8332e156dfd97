/** An archive in memory: for tests, and for sessions that need not outlive their process. */

import { type Address, type Archive, archiveConflict, requireContentAddress } from '../core/archive.ts';

interface Stored {
  readonly text: string;
  usedMs: number;
}

/** Keeps texts as long as the archive itself is kept, but for what is removed. */
export function memoryArchive(): Archive {
  const texts = new Map<Address, Stored>();
  return {
    name: 'memory',
    async put(address, text) {
      requireContentAddress(address);
      const stored = texts.get(address);
      if (stored !== undefined && stored.text !== text) throw archiveConflict('memory', address);
      texts.set(address, { text, usedMs: Date.now() });
    },
    async get(address) {
      return texts.get(address)?.text;
    },
    async list() {
      // At two bytes a character, as strings take at most.
      return [...texts].map(([address, { text, usedMs }]) => ({ address, bytes: text.length * 2, usedMs }));
    },
    async remove(address, { usedBeforeMs }) {
      const stored = texts.get(address);
      return stored !== undefined && stored.usedMs < usedBeforeMs && texts.delete(address);
    },
  };
}
