/**
 * `economic`: decides once, loses nothing, pays least. Results are shaped before they are first sent; what was sent changes only at an epoch, when the
 * prices of the provider's cache say that it pays, and then all that is due changes at once. The code writer makes its digests: no call is spent
 * unasked.
 */
import { budget } from '../layers/budget.ts';
import { superseded } from '../layers/superseded.ts';
import type { Policy } from '../policy.ts';
import { CLAUDE_CODE_WINDOW } from '../window.ts';

/** A point on the frontier of money against what stays in view. */
export type EconomicPoint = 'frugal' | 'default' | 'generous';

interface Point {
  readonly stretch: number;
  readonly tailTokens: number;
  readonly digestTokens: number;
}

/** Chosen by replay of recorded sessions; see docs/economics.md. */
const POINTS: Readonly<Record<EconomicPoint, Point>> = {
  frugal: { stretch: 1.2, tailTokens: 3_000, digestTokens: 5_000 },
  default: { stretch: 1.9, tailTokens: 4_000, digestTokens: 7_000 },
  generous: { stretch: 3.5, tailTokens: 12_000, digestTokens: 10_000 },
};

/** Of `economicPolicy`. */
export interface EconomicOptions {
  /** Where on the frontier. @default 'default' */
  readonly point?: EconomicPoint;
}

/** The break-even policy at a point of its frontier. */
export function economicPolicy({ point = 'default' }: EconomicOptions = {}): Policy {
  const { stretch, tailTokens, digestTokens } = POINTS[point];
  return {
    name: point === 'default' ? 'economic' : `economic:${point}`,
    window: CLAUDE_CODE_WINDOW,
    isCalibrated: true,
    layers: [budget(), superseded()],
    summary: {
      titles: {
        threshold: '[Compacted]',
        cold: '[Compacted]',
        manual: '[Compacted]',
        overflow: '[Reactive compact]',
      },
      maxOutputTokens: 20_000,
      maxInputChars: 400_000,
      overflowTailMessages: 5,
      minFreedTokens: 1_000,
      digestTokens,
      userTokens: 20_000,
    },
    rhythm: {
      stretch,
      tailTokens,
      tailRounds: 2,
      workingRounds: 6,
      minWorkingTokens: 1_000,
      maxTailTokens: 30_000,
    },
  };
}

/** The policy at its default point. */
export const economic: Policy = economicPolicy();
