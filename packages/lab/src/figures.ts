/** What a replay comes to. Tokens are the provider's, by calibration; money is in input-token equivalents. */
import type { DependencyKind } from './dependencies/find.ts';
import type { ProbeKind } from './dependencies/probes.ts';

/** How often what a call used was there. */
export interface Availability {
  /** Texts in arguments that stood in the history before the call. */
  readonly found: number;
  /** Of these, verbatim in the prompt. */
  readonly inView: number;
  /** In the prompt or in the answer of one recall; as `inView` where a policy has no recall. */
  readonly byRecall: number;
}

/** What a prompt kept of what the history before it has. */
export interface ProbeScore {
  /** How many compactions went before, this one included. */
  readonly compactions: number;
  /** Messages of the history. */
  readonly promptLength: number;
  readonly kinds: Readonly<Record<ProbeKind, Availability>>;
}

export interface Figures {
  readonly policy: string;
  readonly calls: number;
  /** Sum of `r * cached + w * (prompt - cached)`, and `ownCost`. */
  readonly bill: number;
  /** What the policy's own requests for summaries came to. */
  readonly ownCost: number;
  /** One extra call for each step that misses something: the prompt read, the source (2,500 tokens at most) and 150 written, 100 of reply. */
  readonly penalty: number;
  /** `bill + penalty`. */
  readonly score: number;
  readonly peakTokens: number;
  readonly meanTokens: number;
  /** Tokens read from the cache, of all prompt tokens. */
  readonly hitRatio: number;
  /** Prompts that are not the one before with something behind it, whatever the cache did. */
  readonly epochs: number;
  /** Calls that read less than the prompt before, where the bare history would not have. */
  readonly breaks: number;
  /** What these wrote again and might have read: `(w - r) * (min(prompt, prompt before) - cached)`. */
  readonly breakCost: number;
  /** Calls with tool calls. */
  readonly steps: number;
  /** Of these, with something missing in the prompt. */
  readonly refetchSteps: number;
  readonly availability: Readonly<Record<DependencyKind, Availability>>;
  /** In order; empty where they were not asked. */
  readonly probes: readonly ProbeScore[];
  /** Milliseconds the policy took, all calls together. */
  readonly policyMs: number;
}
