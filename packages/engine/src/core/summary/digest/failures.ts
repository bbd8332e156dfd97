/** What is still wrong: tests that failed when they were run last, and errors nothing has put right since. */
import { type CallRecord, partsOf, succeeded } from '../../facts/call-record.ts';
import { commandStem } from '../../facts/command-stem.ts';
import { type Diagnosis, diagnose, firstErrorLine } from '../../facts/diagnose.ts';
import { pathKey } from '../../facts/paths.ts';
import { type Line, listSection, quoted, type Section, shortAddress } from './section.ts';
import { resultText, type Sources } from './sources.ts';

/** Calls looked back at, and failures taken: older ones are history. */
const MAX_CALLS = 3_000;
const MAX_FAILURES = 24;

/** Outputs read although their command succeeded: a pipe hides the status of what is in front of it. */
const MAX_CHECKS = 12;

/** Commands whose outputs name what failed. */
const CHECKS =
  /\b(?:test|tests|jest|vitest|mocha|pytest|unittest|tox|ava|tap|ctest|rspec|phpunit|cargo|go (?:build|vet|test)|mvn|gradlew?|tsc|tsgo|make|cmake|check|build|lint|eslint|biome|ruff|mypy|gcc|clang|javac|dotnet)\b/;

/** All there is of the output of a search that found nothing; that it failed stands with the command. */
const SAYS_NOTHING = /^(?:\(no output\)|\(exit code \d+\)|command exited with code \d+|exit code:? \d+|)$/i;

/** Error lines of one output. */
const MAX_LINES = 3;
const NAME_CHARS = 160;
const COMMAND_CHARS = 60;
/** Names of failing tests where there is little room. */
const FEW_NAMES = 8;

/** What a call tried: only a later call that tries the same, or a success that settles it, says more. */
function thingsOf({ fact, name }: CallRecord): readonly string[] {
  switch (fact.kind) {
    case 'ran':
      return [`ran ${commandStem(fact.command)}`];
    case 'searched':
      return [`searched ${fact.query}`];
    case 'fetched':
      return [`fetched ${fact.url}`];
    case 'called':
      return [`called ${name}`];
    case 'read':
      return partsOf(fact).map(({ path }) => `read ${pathKey(path)}`);
    default:
      return partsOf(fact).map(({ path }) => `changed ${pathKey(path)}`);
  }
}

/** A file that could be changed can be read. */
function settledBy(record: CallRecord): readonly string[] {
  const things = thingsOf(record);
  if ((record.fact.kind !== 'wrote' && record.fact.kind !== 'edited') || !succeeded(record)) return things;
  return [...things, ...partsOf(record.fact).map(({ path }) => `read ${pathKey(path)}`)];
}

interface Failure {
  readonly record: CallRecord;
  readonly diagnosis: Diagnosis;
  readonly lines: readonly string[];
}

function isChecking({ fact }: CallRecord): boolean {
  return fact.kind === 'ran' && CHECKS.test(fact.command.slice(0, 2_000));
}

/** The newest call on each thing, newest first: whatever came before it is settled, or failed again. */
function newestCalls({ facts }: Sources): readonly CallRecord[] {
  const settled = new Set<string>();
  const newest: CallRecord[] = [];
  const { calls } = facts;
  for (let i = calls.length - 1; i >= Math.max(0, calls.length - MAX_CALLS); i -= 1) {
    const record = calls[i];
    if (record?.outcome === undefined) continue;
    if (thingsOf(record).some((thing) => !settled.has(thing))) newest.push(record);
    for (const thing of settledBy(record)) settled.add(thing);
  }
  return newest;
}

function failureOf(record: CallRecord, sources: Sources): Failure | undefined {
  const text = resultText(sources.history, record.result);
  const diagnosis = diagnose(text);
  const { errors, failedTests } = diagnosis;
  if (!succeeded(record)) {
    const lines = errors.length > 0 || failedTests.length > 0 ? errors : [firstErrorLine(text)];
    return { record, diagnosis, lines: lines.filter((line) => !SAYS_NOTHING.test(line)).slice(0, MAX_LINES) };
  }
  const isWrong = failedTests.length > 0 || diagnosis.failedCount !== undefined;
  return isWrong ? { record, diagnosis, lines: errors.slice(0, MAX_LINES) } : undefined;
}

/** Failures of the span that still stand, oldest first. */
export function failuresOf(sources: Sources): readonly Failure[] {
  const { span } = sources;
  const failures: Failure[] = [];
  let checks = 0;
  for (const record of newestCalls(sources)) {
    if (record.call.entry < span.from || record.call.entry >= span.to) continue;
    if (succeeded(record)) {
      if (checks === MAX_CHECKS || !isChecking(record)) continue;
      checks += 1;
    }
    const failure = failureOf(record, sources);
    if (failure !== undefined) failures.unshift(failure);
    if (failures.length === MAX_FAILURES) break;
  }
  return failures;
}

function countOf({ failedTests, failedCount }: Diagnosis): number {
  return Math.max(failedTests.length, failedCount ?? 0);
}

function testLine({ record, diagnosis }: Failure, most: number): Line {
  const names = diagnosis.failedTests.slice(0, most).map((name) => quoted(name, NAME_CHARS));
  const command = record.fact.kind === 'ran' ? quoted(record.fact.command, COMMAND_CHARS) : quoted(record.name);
  const missing = countOf(diagnosis) - names.length;
  const rest = missing > 0 ? [`${missing} more`] : [];
  return { text: `${command}: ${[...names, ...rest].join(', ')}` };
}

function addressed(line: Line, { record }: Failure, { history, offersRecall }: Sources): Line {
  return offersRecall && record.result !== undefined
    ? { ...line, address: shortAddress(history, record.result) }
    : line;
}

/** One line a command, with the names its last run gave. */
export function testsSection(title: string, failures: readonly Failure[], sources: Sources): Section {
  const failing = failures.filter(({ diagnosis }) => countOf(diagnosis) > 0);
  const whole = failing.map((failure) => addressed(testLine(failure, Number.POSITIVE_INFINITY), failure, sources));
  return listSection(title, [
    whole,
    failing.map((failure) => addressed(testLine(failure, FEW_NAMES), failure, sources)),
  ]);
}

/** One line an error: what it says, and the command it came from. */
export function errorsSection(title: string, failures: readonly Failure[], sources: Sources): Section {
  const seen = new Set<string>();
  const lines = failures.flatMap((failure) =>
    failure.lines.flatMap((text) => {
      if (seen.has(text) || !sources.isNews(text)) return [];
      seen.add(text);
      const { fact } = failure.record;
      const from = fact.kind === 'ran' ? ` from ${quoted(fact.command, COMMAND_CHARS)}` : '';
      return [addressed({ text: `${quoted(text)}${from}` }, failure, sources)];
    }),
  );
  return listSection(title, [lines, lines.map(({ text }) => ({ text }))]);
}
