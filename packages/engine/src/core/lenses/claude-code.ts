/** Claude Code's tools, by the names and fields its sessions hold. */
import type { Fact, LensResult, Outcome } from '../lens.ts';
import { standardOutcome } from './outcome.ts';
import { command, fetching, file, listing, reading, searching, type TableLens, tableLens } from './table.ts';

/** Lines a read gives where no limit is asked for. */
const READ_LINES = 2_000;

/** What a repeated read of an unchanged file returns instead of the text. */
const POINTER = 'File unchanged since last read';

/** The last numbered line of a read, `   120→text`, of which at most this much is looked at. */
const NUMBERED_CHARS = 4_000;
const NUMBERED = /(?:^|\n) {0,8}(\d{1,9})(?:→|\t)/g;

function lastNumbered(text: string): number | undefined {
  const found = [...text.slice(-NUMBERED_CHARS).matchAll(NUMBERED)].at(-1);
  return found === undefined ? undefined : Number(found[1]);
}

function outcome(fact: Fact, result: LensResult): Outcome {
  const known = standardOutcome(fact, result);
  if (fact.kind !== 'read' || known.isError) return known;
  if (result.text.startsWith(POINTER)) return { isError: false, lastLine: 0 };
  const from = fact.lines?.from ?? 1;
  if (fact.lines !== undefined && fact.lines.to !== Number.POSITIVE_INFINITY) return known;
  const last = lastNumbered(result.text);
  return last !== undefined && last - from + 1 >= READ_LINES ? { isError: false, lastLine: last } : known;
}

export const claudeCode: TableLens = tableLens({
  name: 'claude-code',
  rules: {
    Read: reading('file_path', 1),
    NotebookRead: file('read', 'notebook_path'),
    Write: file('wrote', 'file_path'),
    Edit: file('edited', 'file_path'),
    MultiEdit: file('edited', 'file_path'),
    NotebookEdit: file('edited', 'notebook_path'),
    Bash: command,
    Grep: searching('pattern'),
    Glob: searching('pattern'),
    LS: listing,
    WebFetch: fetching,
    WebSearch: searching('query'),
  },
  outcome,
});
