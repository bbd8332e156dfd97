/** Whether what the recorded calls used was in the prompt, or one recall away, and what fetching it again would have cost. */
import { type CachePrices, cliffTimes } from '@holdover/engine';
import type { Sent } from './bill.ts';
import type { DependencyKind } from './dependencies/find.ts';
import type { Presence } from './dependencies/presence.ts';
import type { Availability } from './figures.ts';
import type { Dependency, MeasuredSession } from './measured.ts';
import type { Course } from './policies/contestant.ts';

/** Of the re-fetch penalty, as the metric defines it; the provider's tokens. */
const REFETCH = { sourceTokens: 2_500, frameTokens: 150, replyTokens: 100 } as const;

/** Of one recall's answer, counted tokens. */
const RECALL_TOKENS = 2_000;

/** What one recall for `query` answers, as far as it is read; empty without a recall. Queries are asked once. */
export function createAsking(measured: MeasuredSession, course: Course): (query: string) => Promise<string> {
  const answers = new Map<string, string>();
  return async (query) => {
    const known = answers.get(query);
    if (known !== undefined) return known;
    const text = (await course.recall?.(query)) ?? '';
    const tokens = measured.count(text);
    const read = tokens <= RECALL_TOKENS ? text : text.slice(0, Math.floor((text.length * RECALL_TOKENS) / tokens));
    answers.set(query, read);
    return read;
  };
}

export interface NeedsOptions {
  readonly measured: MeasuredSession;
  readonly presence: Presence;
  readonly course: Course;
  readonly prices: CachePrices;
}

export class Needs {
  readonly #options: NeedsOptions;
  readonly #have: Record<DependencyKind, { inView: number; byRecall: number }> = {
    'edit-line': { inView: 0, byRecall: 0 },
    identifier: { inView: 0, byRecall: 0 },
  };
  steps = 0;
  refetchSteps = 0;
  penalty = 0;

  constructor(options: NeedsOptions) {
    this.#options = options;
  }

  /** One step with calls; the presence shows its prompt. */
  async check(sent: Sent, dependencies: readonly Dependency[]): Promise<void> {
    const { presence, measured, course } = this.#options;
    this.steps += 1;
    const missing = dependencies.filter(({ string }) => !presence.has(string));
    for (const { kind, string } of dependencies) if (presence.has(string)) this.#have[kind].inView += 1;
    if (missing.length === 0) return;
    this.refetchSteps += 1;
    this.penalty += this.#penaltyOf(sent, missing);
    const ask = createAsking(measured, course);
    for (const { query, text, kind } of missing) if ((await ask(query)).includes(text)) this.#have[kind].byRecall += 1;
  }

  #penaltyOf(sent: Sent, missing: readonly Dependency[]): number {
    const { measured, prices } = this.#options;
    const { table, session, calibration } = measured;
    const sizes = missing.map(({ source }) => table.tokensOf(session.messages[source] as object));
    const source = Math.min(calibration.factor * Math.max(...sizes), REFETCH.sourceTokens);
    const { readTimes, writeTimes, outputTimes } = prices;
    return (
      cliffTimes(prices, sent.tokens) * (readTimes * sent.tokens + writeTimes * (source + REFETCH.frameTokens)) +
      outputTimes * REFETCH.replyTokens
    );
  }

  availability(kind: DependencyKind): Availability {
    const { inView, byRecall } = this.#have[kind];
    return { found: this.#options.measured.found[kind], inView, byRecall: inView + byRecall };
  }
}
