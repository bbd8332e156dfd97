/** What the points of the economic policy have to reach on the real session, at Anthropic's prices; shares in percent. */
import type { Figures } from '../../src/index.ts';

export interface Target {
  /** Bill and re-fetch penalty, tokens of fresh input. */
  readonly maxScore: number;
  readonly editLinesInView: number;
  readonly identifiersInView: number;
  readonly editLinesByRecall: number;
}

export const TARGETS: Readonly<Record<string, Target>> = {
  economic: { maxScore: 2_400_000, editLinesInView: 97, identifiersInView: 99.5, editLinesByRecall: 99.5 },
  'economic:frugal': { maxScore: 1_600_000, editLinesInView: 95, identifiersInView: 99, editLinesByRecall: 99.5 },
};

/** A line for each figure that is missed. */
export function missedBy({ policy, score, availability }: Figures, target: Target | undefined): readonly string[] {
  if (target === undefined) return [];
  const { 'edit-line': lines, identifier } = availability;
  const shares = [
    ['edit lines in view', (100 * lines.inView) / lines.found, target.editLinesInView],
    ['identifiers in view', (100 * identifier.inView) / identifier.found, target.identifiersInView],
    ['edit lines by one recall', (100 * lines.byRecall) / lines.found, target.editLinesByRecall],
  ] as const;
  return [
    ...(score <= target.maxScore
      ? []
      : [`${policy}: score ${(score / 1e6).toFixed(3)}M, at most ${(target.maxScore / 1e6).toFixed(1)}M wanted`]),
    ...shares.flatMap(([what, share, least]) =>
      share >= least ? [] : [`${policy}: ${what} ${share.toFixed(2)} %, at least ${least} % wanted`],
    ),
  ];
}

/** Dearer than doing nothing by more than this share is a loss nobody asked for. */
const TOLERANCE = 0.01;

export function neverDearer(session: string, figures: Figures, appendOnly: Figures): readonly string[] {
  const times = figures.score / appendOnly.score;
  if (times <= 1 + TOLERANCE) return [];
  return [`${figures.policy}: ${session} is ${(100 * (times - 1)).toFixed(1)} % dearer than append-only`];
}
