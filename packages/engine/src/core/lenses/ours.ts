/** Holdover's own agent, whose tools and schemas are the teaching system's. */
import type { Fact, LensResult, Outcome } from '../lens.ts';
import { standardOutcome } from './outcome.ts';
import { command, file, reading, searching, type TableLens, tableLens } from './table.ts';

/** What a read returns in place of a text that is in view already. */
const POINTER_START = '(Unchanged: ';
const POINTER_END = 'They are not repeated here.)';

/** In formats without a flag the text says so: the file tools' failures begin with their name. */
function outcome(fact: Fact, result: LensResult): Outcome {
  const { name, text } = result;
  if (fact.kind === 'read' && text.startsWith(POINTER_START) && text.endsWith(POINTER_END))
    return { isError: result.isError, lastLine: 0 };
  if (fact.kind !== 'ran' && text.startsWith(`${name}: `)) return { isError: true };
  return standardOutcome(fact, result);
}

/** Facts of the agent's tools. */
export const ours: TableLens = tableLens({
  name: 'holdover',
  rules: {
    read_file: reading('path', 0),
    write_file: file('wrote', 'path'),
    edit_file: file('edited', 'path'),
    bash: command,
    glob: searching('pattern'),
    grep: searching('pattern'),
  },
  outcome,
});
