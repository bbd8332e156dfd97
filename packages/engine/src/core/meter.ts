/**
 * The one meter: estimates a request from counted parts, corrected by what the provider reported. The newest report is an anchor for as
 * long as no epoch came between; a ratio learned from reports serves everywhere else.
 */

export interface MeterState {
  /** Reported tokens over estimated ones, clamped to `RATIO_RANGE`. */
  readonly ratio: number;
  readonly reports: number;
  readonly anchor?: Anchor;
}

interface Anchor {
  /** The ledger's version at that request: a report from before an epoch is never used after it. */
  readonly seq: number;
  readonly estimatedTokens: number;
  readonly reportedTokens: number;
}

/** Wide enough for the worst estimate measured (Chinese by characters / 4: 2.5x), narrow enough that one absurd report does no harm. */
export const RATIO_RANGE = { min: 0.25, max: 4 } as const;

export const INITIAL_METER: MeterState = { ratio: 1, reports: 0 };

function clamp(ratio: number): number {
  return Math.min(RATIO_RANGE.max, Math.max(RATIO_RANGE.min, ratio));
}

/** Calibrated tokens of a request whose parts were estimated at `estimatedTokens`, under ledger version `seq`. */
export function calibrated(meter: MeterState, estimatedTokens: number, seq: number): number {
  const { anchor, ratio } = meter;
  if (anchor !== undefined && anchor.seq === seq && estimatedTokens >= anchor.estimatedTokens) {
    return Math.ceil(anchor.reportedTokens + (estimatedTokens - anchor.estimatedTokens) * ratio);
  }
  return Math.ceil(estimatedTokens * ratio);
}

export interface Report {
  readonly seq: number;
  readonly estimatedTokens: number;
  /** Input tokens as billed: fresh, cache writes and cache reads together. */
  readonly reportedTokens: number;
}

/** Takes in a report. The first sets the ratio, later ones move it halfway, so that it converges on a constant one. */
export function observe(meter: MeterState, report: Report): MeterState {
  if (report.reportedTokens <= 0 || report.estimatedTokens <= 0) return meter;
  const seen = clamp(report.reportedTokens / report.estimatedTokens);
  const ratio = meter.reports === 0 ? seen : (meter.ratio + seen) / 2;
  return { ratio, reports: meter.reports + 1, anchor: report };
}

/** Takes in the numbers of a "too long" error: the ratio jumps to what the provider counted, and the anchor goes. */
export function observeOverflow(meter: MeterState, estimatedTokens: number, requestedTokens: number): MeterState {
  return {
    ratio: clamp(Math.max(meter.ratio, requestedTokens / Math.max(1, estimatedTokens))),
    reports: meter.reports + 1,
  };
}
