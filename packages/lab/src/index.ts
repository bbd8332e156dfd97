/** The lab: recorded sessions replayed under another policy, and what that would have cost. */
export { LabError, type LabErrorCode } from './errors.ts';
export type { Availability, Figures, ProbeScore } from './figures.ts';
export type { DependencyKind } from './dependencies/find.ts';
export { type Probe, PROBE_KINDS, type ProbeKind } from './dependencies/probes.ts';
export { billedThen, floorOf } from './limits.ts';
export { type Dependency, measure, type MeasuredSession, type MeasureOptions } from './measured.ts';
export type { Contestant, Course, ReplayCall, Setup } from './policies/contestant.ts';
export { enginePolicy } from './policies/engine.ts';
export { POLICY_NAMES, policyOf } from './policies/by-name.ts';
export { PRICES, pricesFrom, pricesOf } from './prices.ts';
export { replay, type ReplayOptions } from './replay.ts';
export { parseSession, readSession } from './session/read.ts';
export type {
  Block,
  LineProblem,
  Message,
  RecordedCall,
  RecordedCompaction,
  RecordedSession,
  SessionFormat,
} from './session/recorded.ts';
export { type Calibration, DEFAULT_FACTOR } from './tokens/calibrate.ts';
