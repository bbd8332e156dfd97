/** What the stages of a step share: what it is asked with, what it is made of, and what its view has to get under. */
import type { Address } from './archive.ts';
import { sparingReasoning } from './binding.ts';
import type { Edit, Pin } from './edit.ts';
import type { Pending } from './layers/attach.ts';
import { type FitTarget, fit } from './layers/fit.ts';
import { proposeRepoints } from './layers/repoint.ts';
import type { LayerInput, Proposal, Staying } from './layers/layer.ts';
import type { Span } from './layers/range-edits.ts';
import type { SnipRequest } from './layers/snip.ts';
import { freshTokens, type SummarySpan, type SummaryTrigger } from './layers/summary.ts';
import type { Ledger } from './ledger.ts';
import type { Lens } from './lens.ts';
import type { Policy } from './policy.ts';
import type { Economy, Moment } from './schedule/economy.ts';
import type { StateItem } from './summary/state.ts';
import { applyEdits, type View } from './view.ts';
import { scaled } from './window.ts';

/** What asks for a summary besides the threshold. */
export type Trigger =
  | { readonly kind: 'manual'; readonly span: SummarySpan; readonly focus?: string | undefined }
  | {
      readonly kind: 'overflow';
      /** What the view has to get under, in the estimate's own units. */
      readonly target: FitTarget;
      /** True for a limit on bytes: the largest parts go first, a summary only if that is not enough. */
      readonly isBytes: boolean;
      /** True from the second attempt on: no model is asked any more. */
      readonly isLast: boolean;
      /** What the provider threw, where it refused a request. */
      readonly error?: unknown;
    };

/** What an edit of earlier messages does to the reasoning behind it; where a provider says nothing, `reject`. */
export type Binding = 'none' | 'drop' | 'reject';

export interface StepInput extends LayerInput {
  readonly sentLength: number;
  readonly staying: Staying;
  readonly policy: Policy;
  readonly ledger: Ledger;
  readonly lens: Lens;
  /** What the session cost so far. */
  readonly economy: Economy;
  /** Of the call this step is for. */
  readonly moment: Moment;
  readonly binding: Binding;
  /** Whether the request offers the model a way to redeem markers now. */
  readonly offersRecall: boolean;
  /** Tokens of system and tools by `count`. */
  readonly headTokens: number;
  /** Calibrated tokens for a bare estimate. */
  readonly calibrate: (tokens: number) => number;
  /** History length at the last undo: the schedule rests until there is more. */
  readonly holdLength: number;
  readonly trigger?: Trigger | undefined;
  /** Asked for by `snip`. */
  readonly snip?: SnipRequest | undefined;
  /** Texts that wait to be attached, and the pins. */
  readonly pending: Pending;
  /** What the host restores beside a summary. */
  readonly state?: readonly StateItem[] | undefined;
}

export interface LayerRecord {
  readonly layer: string;
  readonly edits: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

export interface SummaryTask {
  readonly trigger: SummaryTrigger;
  /** What a model would summarise. */
  readonly span: Span;
  readonly focus?: string | undefined;
  /** False where only the code writer may be used. */
  readonly mayUseModel: boolean;
  /** True where the span was chosen for the sake of reasoning in view: no other is tried. */
  readonly isBound?: boolean;
  /** Where the rounds begin that stand in the message as quoted text, since none may stay verbatim. */
  readonly quoteFrom?: number | undefined;
}

export interface Step {
  readonly view: View;
  readonly edits: readonly Edit[];
  readonly kept: ReadonlyMap<Address, string>;
  readonly layers: readonly LayerRecord[];
  /** What was not done, and why. */
  readonly held: readonly string[];
  /** Pins the view has to show. */
  readonly pins: readonly Pin[];
  /** Set while a summary is due. */
  readonly summary?: SummaryTask;
}

/** The proposal without what would change the prefix of reasoning that stays in view. */
function spared(proposal: Proposal, view: View, { binding, history }: StepInput): Proposal {
  if (binding === 'none') return proposal;
  const edits = sparingReasoning(proposal.edits, view, history);
  return edits.length === proposal.edits.length ? proposal : { ...proposal, edits };
}

/** `step` with a free layer's proposal, as far as reasoning lets it. */
export function takeFree(
  step: Step,
  { layer, ...proposal }: Proposal & { readonly layer: string },
  input: StepInput,
): Step {
  if (proposal.edits.length === 0) return step;
  const allowed = spared(proposal, step.view, input);
  const taken = take(step, { layer, ...allowed }, input);
  const missed = proposal.edits.length - allowed.edits.length;
  if (missed === 0) return taken;
  return {
    ...taken,
    held: [...taken.held, `${layer}: ${missed} held, the reasoning behind them is bound to what they would change`],
  };
}

export function take(
  step: Step,
  { layer, ...proposal }: Proposal & { readonly layer: string },
  input: StepInput,
): Step {
  if (proposal.edits.length === 0) return step;
  const view = applyEdits(step.view, proposal.edits, input);
  const record = { layer, edits: proposal.edits.length, tokensBefore: step.view.tokens, tokensAfter: view.tokens };
  return {
    ...step,
    view,
    edits: [...step.edits, ...proposal.edits],
    kept: new Map([...step.kept, ...proposal.kept]),
    layers: [...step.layers, record],
  };
}

/** `step` with every pointer whose target it took away turned into an address. */
export function repointed(step: Step, input: StepInput): Step {
  return take(step, { layer: 'micro', ...proposeRepoints({ ...input, view: step.view }) }, input);
}

/** Tokens of the whole request as the threshold sees them. */
export function requestTokens(view: View, input: StepInput): number {
  const bare = input.headTokens + view.tokens;
  return input.policy.isCalibrated ? input.calibrate(bare) : bare;
}

export function fitted(step: Step, target: FitTarget, input: StepInput): Step {
  const result = fit({ ...input, view: step.view }, target);
  return takeFree(step, { layer: 'fit', ...result }, input);
}

export function isWithin(view: View, target: FitTarget): boolean {
  return view.tokens <= target.maxTokens && view.bytes <= target.maxBytes;
}

/** `step`, with a note where even the last rung does not reach the target. The provider is the judge then. */
export function reached(step: Step, target: FitTarget): Step {
  if (isWithin(step.view, target)) return step;
  return { ...step, held: [...step.held, `fit: nothing more can be shortened, ${step.view.tokens} tokens stay`] };
}

/** What the view must stay under when the provider has not yet said no. */
export function blockTarget(input: StepInput): FitTarget {
  const spare = input.window.blockTokens - input.headTokens;
  return { maxTokens: Math.max(0, spare), maxBytes: Number.POSITIVE_INFINITY, isHard: false };
}

/** Whether a summary can bring the request under the threshold at all: system and tools may fill it alone. */
export function canReachThreshold(input: StepInput): boolean {
  const room = input.window.actTokens - requestTokens({ ...input.view, tokens: 0 }, input);
  return room > scaled(input.policy.summary.maxOutputTokens, input.window.windowTokens);
}

/** Share of the window that has to be new before a summary is made that does not reach the threshold anyway. */
const HOPELESS_SHARE = 0.1;

/** Tokens that have to be new since the last summary: about what a marker and a carried message take. */
const MIN_FRESH_TOKENS = 64;

/** A summary whose span holds next to nothing new would replace itself on every call. */
export function isWorthwhile(task: SummaryTask, step: Step, input: StepInput): boolean {
  const { windowTokens } = input.window;
  const isHopeless = task.trigger === 'threshold' && !task.mayUseModel;
  const least = isHopeless ? Math.floor(windowTokens * HOPELESS_SHARE) : MIN_FRESH_TOKENS;
  return freshTokens(task.span, step.view) > Math.max(least, scaled(input.policy.summary.minFreedTokens, windowTokens));
}
