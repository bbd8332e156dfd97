/** One of the deep run's processes: runs the ranges of seeds it is sent. */
import { emptyStats, runSeed, type SeedViolation } from './run-seed.ts';
import type { Stats } from '../properties/support/machine.ts';

async function runRange(from: number, to: number): Promise<void> {
  const stats = emptyStats();
  const violations: SeedViolation[] = [];
  for (let seed = from; seed < to; seed += 1) {
    const result = await runSeed(seed);
    for (const key of Object.keys(stats) as (keyof Stats)[]) stats[key] += result.stats[key];
    violations.push(...result.violations);
  }
  process.send?.({ from, to, stats, violations });
}

process.on('message', (range: { from: number; to: number }) => void runRange(range.from, range.to));
