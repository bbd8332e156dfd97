import type { Archive } from '../core/archive.ts';
export function memoryArchive(): Archive {
  const texts = new Map<string, string>();
  return {
    name: 'memory',
    async put(address, text) {
      texts.set(address, text);
    },
    get: async (address) => texts.get(address),
  };
}
