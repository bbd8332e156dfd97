/**
 * `economic`: decides once, loses nothing, pays least. Results are shaped before they are first sent; what was sent changes only at an epoch, when the
 * prices of the provider's cache say that it pays, and then all that is due changes at once. The code writer makes its digests: no call is spent
 * unasked.
 */
import { readsFile } from '../calls.ts';
import { arrival } from '../layers/arrival.ts';
import { superseded } from '../layers/superseded.ts';
import type { Policy } from '../policy.ts';
import { CLAUDE_CODE_WINDOW } from '../window.ts';

/** A point on the frontier of money against what stays in view. */
export type EconomicPoint = 'frugal' | 'default' | 'generous';

interface Point {
  readonly stretch: number;
  readonly tailTokens: number;
  readonly tailRounds: number;
  readonly workingRounds: number;
  readonly digestTokens: number;
}

/** Chosen by replay of one real session; the recorded ones were held out. See docs/economics.md. */
const POINTS: Readonly<Record<EconomicPoint, Point>> = {
  frugal: { stretch: 1, tailTokens: 1_500, tailRounds: 1, workingRounds: 0, digestTokens: 5_000 },
  default: { stretch: 1.9, tailTokens: 4_000, tailRounds: 2, workingRounds: 6, digestTokens: 7_000 },
  generous: { stretch: 3.5, tailTokens: 12_000, tailRounds: 4, workingRounds: 12, digestTokens: 10_000 },
};

/** Of `economicPolicy`. */
export interface EconomicOptions {
  /** Where on the frontier. @default 'default' */
  readonly point?: EconomicPoint;
}

/** The break-even policy at a point of its frontier. */
export function economicPolicy({ point = 'default' }: EconomicOptions = {}): Policy {
  const { digestTokens, ...rhythm } = POINTS[point];
  return {
    name: point === 'default' ? 'economic' : `economic:${point}`,
    window: CLAUDE_CODE_WINDOW,
    isCalibrated: true,
    layers: [
      // A file read again is about to be edited, and what it would point at leaves with the next epoch: replayed, pointers for reads saved 4 % of
      // the bill and lost 2 % of the lines edits need.
      arrival({ mayPoint: (call) => !readsFile(call) }),
      superseded(),
    ],
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
    rhythm: { ...rhythm, minWorkingTokens: 1_000, maxTailTokens: 30_000 },
  };
}

/** The policy at its default point. */
export const economic: Policy = economicPolicy();
