/** The property over random histories; a file for each wire format runs it, so that they run beside each other. */
import fc from 'fast-check';
import type { WireBuilder } from '../../../src/testing/wire-builder.ts';
import { runSession } from './machine.ts';
import { anySession } from './ops.ts';

const RUNS = 2_000;
/** One in so many is run twice: a replay gives the same bytes. */
const REPLAY_EVERY = 10;
const SEED = 20_261_130;

/** Fixed seed; a failure prints the smallest counterexample found. `PROPERTY_RUNS` and `PROPERTY_SEED` change both. */
export async function checkHistories(builder: WireBuilder): Promise<void> {
  const numRuns = Number(process.env['PROPERTY_RUNS'] ?? RUNS);
  const seed = Number(process.env['PROPERTY_SEED'] ?? SEED);
  let runs = 0;
  const property = fc.asyncProperty(anySession({ ops: 15, longEvery: 60 }), async (session) => {
    const { fingerprint } = await runSession(builder, session);
    runs += 1;
    if (runs % REPLAY_EVERY !== 0) return;
    const again = await runSession(builder, session);
    if (again.fingerprint !== fingerprint) throw new Error('a replay of the same operations gives other bytes');
  });
  await fc.assert(property, { seed, numRuns });
}
