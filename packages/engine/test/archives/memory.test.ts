import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryArchive } from '../../src/archives/memory.ts';
import { contentAddress } from '../../src/core/archive.ts';
import { sha256Hex } from '../../src/core/sha256.ts';
import { archiveConformance } from '../../src/testing/archive-conformance.ts';
import { anyText } from './any-text.ts';

describe('memoryArchive', () => {
  it.each(archiveConformance({ create: async () => memoryArchive() }))('$name', ({ run }) => run());

  it('gives back any text', async () => {
    const archive = memoryArchive();
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const address = contentAddress(text, sha256Hex);
        await archive.put(address, text);
        expect(await archive.get(address)).toBe(text);
      }),
    );
  });
});

describe('archiveConformance', () => {
  it.each([
    ['forgets', { put: async () => undefined, get: async () => undefined }, 'expected "", got nothing'],
    ['makes things up', { put: async () => undefined, get: async () => 'x' }, 'an empty archive gave a text'],
    ['never refuses', { put: async () => undefined, get: async () => undefined }, 'but it was accepted'],
    ['has another hash', { ...memoryArchive(), hash: () => 'ab'.repeat(32) }, 'hash differs'],
  ])('fails an archive that %s', async (_name, flaw, message) => {
    const cases = archiveConformance({ create: async () => ({ name: 'flawed', ...flaw }) });
    const failures = await Promise.allSettled(cases.map(({ run }) => run()));
    const reasons = failures.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
    expect(reasons.some((reason) => reason.includes(message))).toBe(true);
  });
});
