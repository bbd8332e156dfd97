import { describe, it } from 'vitest';
import type { Writer } from '../../src/core/summary/writer.ts';
import { writerConformance } from '../../src/testing/writer-conformance.ts';

const hanging: Writer = {
  name: 'hanging',
  write: (_, signal) =>
    new Promise((_resolve, reject) => {
      if (signal?.aborted) reject(signal.reason as Error);
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
    }),
};

describe('writer conformance, a stub', () => {
  const cases = writerConformance({
    create: ({ text, stop }) => ({
      name: 'stub',
      write: async () => ({ text, stop, inputTokens: 10, outputTokens: 2 }),
    }),
    createFailing: () => ({ name: 'failing', write: () => Promise.reject(new Error('down')) }),
    createHanging: () => hanging,
  });
  for (const { name, run } of cases) it(name, run);
});
