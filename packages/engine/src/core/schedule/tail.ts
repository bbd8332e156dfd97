/**
 * What stays verbatim behind an epoch's digest: the newest rounds, and what the session is working on. Cheapest is not best: a read the next edit
 * needs, or the failure being fixed, costs more to fetch again than to keep.
 */
import { factsOf } from '../facts/facts-of.ts';
import type { FactIndex } from '../facts/fact-index.ts';
import type { CallRecord } from '../facts/call-record.ts';
import { tokensOfPart } from '../entry.ts';
import type { History } from '../history.ts';
import type { Lens } from '../lens.ts';
import type { View } from '../view.ts';
import { scaled } from '../window.ts';
import type { Rhythm } from './rhythm.ts';

export interface TailInput {
  readonly history: History;
  readonly view: View;
  readonly lens: Lens;
  readonly windowTokens: number;
}

/** A read that is still the newest of its file, or a failure nothing fixed since. */
function isWorkedOn(record: CallRecord, facts: FactIndex): boolean {
  const { fact, result, outcome } = record;
  if (result === undefined || facts.superseding(result) !== undefined) return false;
  return fact.kind === 'read' || outcome?.isError === true;
}

/** Entry of the oldest call of the newest `rounds` rounds whose result is being worked on; the history's length where there is none. */
function oldestWorkedOn({ history, lens }: TailInput, rounds: number, minTokens: number): number {
  const facts = factsOf(history, lens);
  const { models, length } = history;
  const start = models[Math.max(0, models.length - rounds)] ?? length;
  let oldest = length;
  for (let i = facts.calls.length - 1; i >= 0; i -= 1) {
    const record = facts.calls[i];
    if (record === undefined || record.call.entry < start) break;
    const { result } = record;
    const tokens = result === undefined ? 0 : tokensOfPart(history.at(result.entry), result.part);
    if (tokens >= minTokens && isWorkedOn(record, facts)) oldest = record.call.entry;
  }
  return oldest;
}

/** Where the tail begins: never inside a round, and before everything the model has not seen. */
export function tailStart(input: TailInput, rhythm: Rhythm): number {
  const { history, view, windowTokens } = input;
  const tailTokens = scaled(rhythm.tailTokens, windowTokens);
  const maxTokens = scaled(rhythm.maxTailTokens, windowTokens);
  const working = oldestWorkedOn(input, rhythm.workingRounds, scaled(rhythm.minWorkingTokens, windowTokens));
  let start = history.length;
  let tokens = 0;
  let rounds = 0;
  for (let i = view.entries.length - 1; i >= 0; i -= 1) {
    const entry = view.entries[i];
    if (entry === undefined || entry.range !== undefined) break;
    const isWanted = tokens < tailTokens || rounds < rhythm.tailRounds || entry.from >= history.newestModel;
    const isAllowed = entry.from >= working && tokens + entry.tokens <= maxTokens;
    if (!isWanted && !isAllowed) break;
    start = entry.from;
    tokens += entry.tokens;
    if (history.at(entry.from).origin === 'model') rounds += 1;
  }
  return history.cutBefore(start);
}
