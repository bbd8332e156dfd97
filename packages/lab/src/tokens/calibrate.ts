/** How many of the provider's tokens one counted token is, and what stood in front of the messages: from what the session was billed. */
import type { CountTokens } from './count.ts';
import type { BlockTable } from '../prompt/blocks.ts';
import type { RecordedCall, RecordedSession } from '../session/recorded.ts';

/** Claude's tokenizer against o200k, where a log does not say: measured over sessions of code. */
export const DEFAULT_FACTOR = 1.22;

/** Fewer counted tokens of growth say too little. */
const MIN_GROWTH_TOKENS = 2_000;

/** No tokenizer is further from o200k on whole sessions: outside, what was sent is not what the log has. */
const PLAUSIBLE = { least: 0.5, most: 3 } as const;

export interface Calibration {
  /** The provider's tokens per token counted. */
  readonly factor: number;
  /** System and tools, the provider's tokens; 0 where the log does not say. */
  readonly headTokens: number;
  /** Pairs of calls the factor is from; 0: it is the default. */
  readonly pairs: number;
}

interface Point {
  readonly promptLength: number;
  readonly billed: number;
}

/** Calls in a row without a compaction between, which billed the whole prompt. */
function runsOf({ calls, compactions }: RecordedSession): readonly (readonly Point[])[] {
  const billed = calls.filter((call) => (call.usage?.inputTokens ?? 0) > 0);
  const runOf = (call: RecordedCall): number => compactions.filter(({ at }) => at <= call.promptLength).length;
  const runs = Array.from({ length: compactions.length + 1 }, (): Point[] => []);
  for (const call of billed)
    runs[runOf(call)]?.push({ promptLength: call.promptLength, billed: call.usage?.inputTokens ?? 0 });
  return runs;
}

/** Counted tokens in front of each message, the reasoning no message has included. */
function runningSums(session: RecordedSession, table: BlockTable, count: CountTokens): readonly number[] {
  const reasoning = new Map(
    session.calls.filter(({ hasReply }) => hasReply).map((call) => [call.promptLength, count(call.reasoning)]),
  );
  const sums = [0];
  session.messages.forEach((message, index) => {
    sums.push((sums[index] as number) + table.tokensOf(message) + (reasoning.get(index) ?? 0));
  });
  return sums;
}

/** From the growth between neighbours: what both prompts share, known or not, falls out. `count`: what `table` counts with. */
export function calibrate(session: RecordedSession, table: BlockTable, count: CountTokens): Calibration {
  const sums = runningSums(session, table, count);
  const counted = ({ promptLength }: Point): number => sums[promptLength] as number;
  const runs = runsOf(session);
  const growth = { billed: 0, counted: 0, pairs: 0 };
  for (const run of runs)
    for (let index = 1; index < run.length; index += 1) {
      const [before, after] = [run[index - 1] as Point, run[index] as Point];
      growth.billed += after.billed - before.billed;
      growth.counted += counted(after) - counted(before);
      growth.pairs += 1;
    }
  const measured = growth.billed / growth.counted;
  const isPlausible = measured >= PLAUSIBLE.least && measured <= PLAUSIBLE.most;
  const isEnough = growth.counted >= MIN_GROWTH_TOKENS && isPlausible;
  const factor = isEnough ? measured : DEFAULT_FACTOR;
  const first = runs[0]?.[0];
  const isWhole = first !== undefined && session.compactions.every(({ at }) => at > first.promptLength);
  const headTokens = isWhole ? Math.max(0, Math.round(first.billed - factor * counted(first))) : 0;
  return { factor, headTokens, pairs: isEnough ? growth.pairs : 0 };
}
