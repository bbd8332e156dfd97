/** The lens used unless a host gives its own: the table that knows the tool, our agent's first, and heuristics behind them. */
import type { Fact, Lens } from '../lens.ts';
import { claudeCode } from './claude-code.ts';
import { generic } from './generic.ts';
import { ours } from './ours.ts';
import { pi } from './pi.ts';
import type { TableLens } from './table.ts';

const TABLES: readonly TableLens[] = [ours, claudeCode, pi];

/** The lens that reads a call, and what it read. */
function read(name: string, input: unknown): Fact {
  for (const table of TABLES) {
    const fact = table.find(name, input);
    if (fact !== undefined) return fact;
  }
  return generic.call(name, input);
}

const OUTCOMES: ReadonlyMap<string, Lens> = new Map(
  TABLES.toReversed().flatMap((table) => table.tools.map((tool) => [tool, table])),
);

/** Facts of our agent's tools, Claude Code's, pi's, and by heuristics of any other. */
export const defaultLens: Lens = {
  name: 'default',
  call: read,
  outcome: (fact, result) =>
    (OUTCOMES.get(result.name) ?? generic).outcome?.(fact, result) ?? { isError: result.isError },
};
