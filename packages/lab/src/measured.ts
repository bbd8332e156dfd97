/** A session read once for all policies: blocks, counts, what its calls depend on. */
import { type Candidate, candidatesOf, type DependencyKind } from './dependencies/find.ts';
import { type Probe, probesOf } from './dependencies/probes.ts';
import { StringIndex } from './dependencies/presence.ts';
import { BlockTable } from './prompt/blocks.ts';
import type { RecordedSession } from './session/recorded.ts';
import { calibrate, type Calibration } from './tokens/calibrate.ts';
import { type CountTokens, createCounter } from './tokens/count.ts';

/** A text a call used that stood in the history before it. */
export interface Dependency extends Candidate {
  /** In the index. */
  readonly string: number;
  /** The newest message before the call that has it. */
  readonly source: number;
}

export interface MeasuredSession {
  readonly session: RecordedSession;
  readonly calibration: Calibration;
  readonly table: BlockTable;
  /** Unscaled. */
  readonly count: CountTokens;
  readonly index: StringIndex;
  /** By call; undefined where the reply calls no tool. */
  readonly dependencies: readonly (readonly Dependency[] | undefined)[];
  readonly probes: readonly Probe[];
  /** How many dependencies there are of each kind. */
  readonly found: Readonly<Record<DependencyKind, number>>;
}

export interface MeasureOptions {
  /** The provider's tokens per token counted. @default from what the log was billed, 1.22 without */
  readonly factor?: number;
  /** System and tools, the provider's tokens. @default from the first call, 0 where the log does not say */
  readonly headTokens?: number;
  /** Deterministic. @default o200k, in pieces */
  readonly count?: CountTokens;
}

/** Reads a session once; every replay of it shares the result. */
export function measure(session: RecordedSession, options: MeasureOptions = {}): MeasuredSession {
  const { count = createCounter(), ...known } = options;
  const table = new BlockTable(count);
  const calibration = { ...calibrate(session, table, count), ...known };
  const candidates = session.calls.map(({ promptLength, hasReply }) => {
    const reply = hasReply ? session.messages[promptLength] : undefined;
    return reply === undefined ? undefined : candidatesOf(reply);
  });
  const probes = probesOf(session.messages);
  const index = new StringIndex([...new Set([...candidates.flat(), ...probes].flatMap((asked) => asked?.text ?? []))]);
  const dependencies = presentBefore({ session, table, index, candidates });
  const found = { 'edit-line': 0, identifier: 0 };
  for (const { kind } of dependencies.flatMap((list) => list ?? [])) found[kind] += 1;
  return { session, calibration, table, count, index, dependencies, probes, found };
}

interface Work {
  readonly session: RecordedSession;
  readonly table: BlockTable;
  readonly index: StringIndex;
  readonly candidates: readonly (readonly Candidate[] | undefined)[];
}

/** Of each call's candidates those the history before it contains. */
function presentBefore({ session, table, index, candidates }: Work): readonly (readonly Dependency[] | undefined)[] {
  const newest = new Int32Array(index.size).fill(-1);
  let read = 0;
  return session.calls.map(({ promptLength }, call) => {
    for (; read < promptLength; read += 1)
      for (const block of table.blocksOf(session.messages[read] as object))
        for (const string of index.stringsOf(block)) newest[string] = read;
    return candidates[call]?.flatMap((candidate): readonly Dependency[] => {
      const string = index.indexOf(candidate.text);
      const source = newest[string] as number;
      return source < 0 ? [] : [{ ...candidate, string, source }];
    });
  });
}
