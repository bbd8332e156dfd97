/** What the processes of a soak say to each other. */
import type { Tenth } from './growth.ts';

export const FORMATS = ['anthropic', 'openai-chat'] as const;
export type Format = (typeof FORMATS)[number];

export const POLICIES = ['classic', 'economic'] as const;
export type PolicyName = (typeof POLICIES)[number];

/** Models of the soak: what the agent believes of their windows, and what the server holds them to. Tokens. */
export const MODELS: Readonly<Record<string, { readonly believed: number; readonly real: number }>> = {
  'soak-large': { believed: 40_000, real: 40_000 },
  'soak-small': { believed: 28_000, real: 28_000 },
  /** Smaller than anybody said: overflows come from it. */
  'soak-liar': { believed: 40_000, real: 12_000 },
  'soak-spare': { believed: 32_000, real: 32_000 },
};

export interface SimulatorStart {
  readonly type: 'start';
  readonly seed: string;
}

/** Asks for what happened since the last report. */
export interface ReportWish {
  readonly type: 'report';
}

export interface SimulatorReady {
  readonly type: 'ready';
  readonly url: string;
}

export interface SimulatorReport {
  readonly type: 'report';
  readonly requests: number;
  /** How many requests met a fault, by kind. */
  readonly faults: Readonly<Record<string, number>>;
  readonly overflows: number;
  /** Refusals no fault and no window explains: an invalid request of ours. */
  readonly refusals: readonly string[];
  /** Requests that were no longer kept when they were to be looked at. */
  readonly unseen: number;
}

export interface RunOptions {
  readonly format: Format;
  readonly policy: PolicyName;
  readonly turns: number;
  readonly seed: number;
}

/** What one run came to. */
export interface RunReport {
  readonly format: Format;
  readonly policy: PolicyName;
  readonly turns: number;
  readonly seconds: number;
  /** Everything that should not have happened, a line each. */
  readonly failures: readonly string[];
  /** Errors the user of an agent has to live with, by name. */
  readonly expected: Readonly<Record<string, number>>;
  /** What was done, by name. */
  readonly counts: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, number>>;
  readonly requests: number;
  readonly overflows: number;
  readonly addressesChecked: number;
  /** Requests that the logs prove at the end. */
  readonly provedTurns: number;
  readonly filesChecked: number;
  readonly peakRssMb: number;
  readonly peakHeapMb: number;
  readonly baseRssMb: number;
  readonly memoryLimitMb: number;
  /** Largest share of the limit that was used. */
  readonly memoryShare: number;
  readonly historyMb: number;
  readonly historyMessages: number;
  readonly tenths: readonly Tenth[];
  readonly turnMsFirst: number;
  readonly turnMsLast: number;
  readonly orphans: number;
  readonly handlesLeft: readonly string[];
}
