/** One history by its number: the same session on every machine. */
import fc from 'fast-check';
import { wireBuilders } from '../../src/testing/wire-builder.ts';
import { runSession, type Stats } from '../properties/support/machine.ts';
import { anySession, type Session } from '../properties/support/ops.ts';

/** One in so many is run twice, to compare the bytes. */
const REPLAY_EVERY = 10;

export const sessions: fc.Arbitrary<Session> = anySession({ ops: 24, longEvery: 25 });

export interface SeedViolation {
  readonly seed: number;
  readonly codec: string;
  readonly what: string;
}

export interface SeedResult {
  readonly stats: Stats;
  readonly violations: readonly SeedViolation[];
}

export function sessionOf(seed: number): Session {
  const session = fc.sample(sessions, { seed, numRuns: 1 })[0];
  if (session === undefined) throw new Error(`no session for seed ${seed}`);
  return session;
}

function add(total: Stats, stats: Stats): void {
  for (const key of Object.keys(total) as (keyof Stats)[]) total[key] += stats[key];
}

export function emptyStats(): Stats {
  return { turns: 0, epochs: 0, messages: 0, summaries: 0, exhausted: 0, thrashing: 0 };
}

/** Runs history `seed` through every codec. */
export async function runSeed(seed: number): Promise<SeedResult> {
  const session = sessionOf(seed);
  const stats = emptyStats();
  const violations: SeedViolation[] = [];
  for (const builder of wireBuilders) {
    try {
      const run = await runSession(builder, session);
      add(stats, run.stats);
      if (seed % REPLAY_EVERY !== 0) continue;
      const again = await runSession(builder, session);
      if (again.fingerprint !== run.fingerprint) throw new Error('a replay of the same operations gives other bytes');
    } catch (error) {
      const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      violations.push({ seed, codec: builder.name, what });
    }
  }
  return { stats, violations };
}
