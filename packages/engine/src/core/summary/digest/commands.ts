/** What was run, each command line once, with how it ended last. */
import type { CallRecord } from '../../facts/call-record.ts';
import { commandStem } from '../../facts/command-stem.ts';
import type { Outcome } from '../../lens.ts';
import { type Line, listSection, quoted, type Section, shortAddress } from './section.ts';
import { callsIn, type Sources } from './sources.ts';

/** Commands looked back for: more never fit. */
const MAX_COMMANDS = 300;

/** Characters of a command where there is room, and of its stem where there is not. */
const FULL_CHARS = 200;
const SHORT_CHARS = 80;

function ended({ exitCode, isError }: Outcome): string {
  if (exitCode !== undefined) return `exit ${exitCode}`;
  return isError ? 'failed' : 'ok';
}

interface Run {
  readonly command: string;
  readonly last: CallRecord;
  /** Number of the first run. */
  readonly first: number;
}

/** The newest commands of the span that ended, in the order of their first runs. */
function runsOf(sources: Sources): readonly Run[] {
  const runs = new Map<string, Run>();
  for (const { fact } of callsIn(sources).toReversed()) {
    if (fact.kind !== 'ran' || runs.has(fact.command)) continue;
    const { records = [] } = sources.facts.runs(fact.command) ?? {};
    const last = records.findLast(({ outcome }) => outcome !== undefined);
    if (last === undefined || !sources.isNews(fact.command)) continue;
    runs.set(fact.command, { command: fact.command, last, first: records[0]?.seq ?? 0 });
    if (runs.size === MAX_COMMANDS) break;
  }
  return [...runs.values()].sort((one, other) => one.first - other.first);
}

function lineOf(command: string, { last }: Run, chars: number): Line {
  return { text: `${quoted(command, chars)} ${last.outcome === undefined ? '' : ended(last.outcome)}` };
}

export function commandsSection(title: string, sources: Sources): Section {
  const runs = runsOf(sources);
  const full = runs.map((run) => {
    const line = lineOf(run.command, run, FULL_CHARS);
    return sources.offersRecall ? { ...line, address: shortAddress(sources.history, run.last.call) } : line;
  });
  return listSection(title, [full, runs.map((run) => lineOf(commandStem(run.command), run, SHORT_CHARS))]);
}
