import fc from 'fast-check';
import { describe, it } from 'vitest';
import { wireBuilders } from '../../src/testing/wire-builder.ts';
import { anySession } from './support/ops.ts';
import { runSession } from './support/machine.ts';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 2_000);

describe.each(wireBuilders)('random histories, $name', (builder) => {
  it('keep every invariant', async () => {
    await fc.assert(
      fc.asyncProperty(anySession(40), async (session) => {
        await runSession(builder, session);
      }),
      { seed: Number(process.env['PROPERTY_SEED'] ?? 20261130), numRuns: RUNS },
    );
  });
});
