/** What is kept over compactions: the probes that hold at the first, third and tenth, and at the last prompt. */
import { type Probe, PROBE_KINDS, type ProbeKind } from './dependencies/probes.ts';
import type { Presence } from './dependencies/presence.ts';
import type { ProbeScore } from './figures.ts';
import type { MeasuredSession } from './measured.ts';
import { createAsking } from './needs.ts';
import type { Course } from './policies/contestant.ts';

const CHECKPOINTS: ReadonlySet<number> = new Set([1, 3, 10]);

export interface ProberOptions {
  readonly measured: MeasuredSession;
  readonly presence: Presence;
  readonly course: Course;
}

export class Prober {
  readonly #options: ProberOptions;
  readonly scores: ProbeScore[] = [];
  #compactions = 0;

  constructor(options: ProberOptions) {
    this.#options = options;
  }

  /** One prompt over `promptLength` messages, which the presence shows; a compaction is an epoch that made it smaller. */
  async prompt(
    promptLength: number,
    flags: { readonly isCompaction: boolean; readonly isLast: boolean },
  ): Promise<void> {
    if (flags.isCompaction) this.#compactions += 1;
    const isCheckpoint = flags.isCompaction && CHECKPOINTS.has(this.#compactions);
    if (isCheckpoint || flags.isLast) this.scores.push(await this.#score(promptLength));
  }

  async #score(promptLength: number): Promise<ProbeScore> {
    const { measured, presence, course } = this.#options;
    const kinds = Object.fromEntries(
      PROBE_KINDS.map((kind) => [kind, { found: 0, inView: 0, byRecall: 0 }]),
    ) as unknown as Record<ProbeKind, { found: number; inView: number; byRecall: number }>;
    const ask = createAsking(measured, course);
    const inForce = ({ from, until }: Probe): boolean => from < promptLength && promptLength <= until;
    for (const { kind, text, query } of measured.probes.filter(inForce)) {
      const isInView = presence.has(measured.index.indexOf(text));
      const isKept = isInView || (await ask(query)).includes(text);
      kinds[kind].found += 1;
      if (isInView) kinds[kind].inView += 1;
      if (isKept) kinds[kind].byRecall += 1;
    }
    return { compactions: this.#compactions, promptLength, kinds };
  }
}
