/**
 * One step of the engine, pure: history and policy in, edits and bytes to archive out. It cannot await: where a summary
 * is due it returns a task, and `finishStep` takes the answer.
 */
import type { Address } from './archive.ts';
import { type Edit, overlaps, type Pin } from './edit.ts';
import type { History } from './history.ts';
import type { Lens } from './lens.ts';
import { type Pending, proposeNotes } from './layers/attach.ts';
import type { LayerInput, Proposal } from './layers/layer.ts';
import { type FitTarget, fit } from './layers/fit.ts';
import { proposeRepairs } from './layers/repair.ts';
import type { Span } from './layers/range-edits.ts';
import { type SnipRequest, snipTurns } from './layers/snip.ts';
import {
  freshTokens,
  resolveSpan,
  type SummarySpan,
  type SummaryTrigger,
  spanBeforeNewestRound,
  spanBeforeTail,
  summaryEdits,
} from './layers/summary.ts';
import type { Ledger } from './ledger.ts';
import type { Policy } from './policy.ts';
import { writeDigest } from './summary/code-writer.ts';
import { nameOf, ranked, renderState, STATE_TOKENS, type StateItem } from './summary/state.ts';
import { applyEdits, isSwallowed, type View } from './view.ts';
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

export interface StepInput extends LayerInput {
  readonly policy: Policy;
  readonly ledger: Ledger;
  readonly lens: Lens;
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

function take(step: Step, { layer, ...proposal }: Proposal & { readonly layer: string }, input: StepInput): Step {
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

/** Pins the view lost or never showed, and what waits to be attached, before any layer is asked. */
function withNotes(step: Step, input: StepInput): Step {
  const { pins, held, ...proposal } = proposeNotes({ ...input, view: step.view }, input.pending);
  return { ...take(step, { layer: 'attach', ...proposal }, input), pins, held: [...step.held, ...held] };
}

/** The snip the host or the model asked for. */
function withSnip(step: Step, input: StepInput): Step {
  if (input.snip === undefined) return step;
  if (!input.offersRecall)
    return { ...step, held: [...step.held, 'snip: the request offers no recall tool to redeem its marker'] };
  const { held, ...proposal } = snipTurns({ ...input, view: step.view }, input.snip);
  return { ...take(step, { layer: 'snip', ...proposal }, input), held: [...step.held, ...held] };
}

/** `input` with what ranges have to carry along. */
function carrying(input: StepInput): StepInput {
  const { pins, sentLength } = input.pending;
  return { ...input, staying: { pins: new Set(pins.map(({ id }) => id)), sentLength } };
}

/** Without the edits whose span the user took back. */
function withoutHeld(proposal: Proposal, held: readonly Edit[]): Proposal {
  if (held.length === 0) return proposal;
  const edits = proposal.edits.filter(
    (edit) => !held.some((other) => other.layer === edit.layer && overlaps(other, edit)),
  );
  return { edits, kept: proposal.kept };
}

function freeLayers(start: Step, input: StepInput): Step {
  if (!input.offersRecall) {
    return {
      ...start,
      held: [...start.held, 'free layers: the request offers no recall tool to redeem their markers'],
    };
  }
  if (input.holdLength === input.history.length) {
    return { ...start, held: [...start.held, 'free layers: an epoch was undone and nothing new has come since'] };
  }
  const held = input.ledger.held(input.history);
  let step = start;
  for (const layer of input.policy.layers) {
    const proposal = withoutHeld(layer.propose({ ...input, view: step.view }), held);
    step = take(step, { layer: layer.name, ...proposal }, input);
  }
  return step;
}

/** Tokens of the whole request as the threshold sees them. */
function requestTokens(view: View, input: StepInput): number {
  const bare = input.headTokens + view.tokens;
  return input.policy.isCalibrated ? input.calibrate(bare) : bare;
}

function overThreshold(step: Step, input: StepInput): boolean {
  return requestTokens(step.view, input) > input.window.actTokens;
}

/** A summary that was undone is not made again before there is something new, nor while the view still fits. */
function isHeldBack(step: Step, input: StepInput): boolean {
  const wasUndone = input.ledger.held(input.history).some((edit) => edit.layer === 'summary');
  const isResting = input.holdLength === input.history.length;
  return (wasUndone || isResting) && isWithin(step.view, blockTarget(input));
}

function taskFor(step: Step, input: StepInput): SummaryTask | undefined {
  const { history, trigger, policy } = input;
  if (trigger?.kind === 'manual') {
    const span = resolveSpan(trigger.span, history);
    return { trigger: 'manual', span, focus: trigger.focus, mayUseModel: true };
  }
  if (trigger?.kind === 'overflow') {
    const span = spanBeforeTail(step.view, history, policy.summary.overflowTailMessages);
    return { trigger: 'overflow', span, mayUseModel: !trigger.isLast };
  }
  if (!overThreshold(step, input) || isHeldBack(step, input)) return undefined;
  return { trigger: 'threshold', span: resolveSpan('all', history), mayUseModel: canReachThreshold(input) };
}

/** Whether a summary can bring the request under the threshold at all: system and tools may fill it alone. */
function canReachThreshold(input: StepInput): boolean {
  const room = input.window.actTokens - requestTokens({ ...input.view, tokens: 0 }, input);
  return room > scaled(input.policy.summary.maxOutputTokens, input.window.windowTokens);
}

/** Share of the window that has to be new before a summary is made that does not reach the threshold anyway. */
const HOPELESS_SHARE = 0.1;

/** Tokens that have to be new since the last summary: about what a marker and a carried message take. */
const MIN_FRESH_TOKENS = 64;

/** A summary whose span holds next to nothing new would replace itself on every call. */
function isWorthwhile(task: SummaryTask, step: Step, input: StepInput): boolean {
  const { windowTokens } = input.window;
  const isHopeless = task.trigger === 'threshold' && !task.mayUseModel;
  const least = isHopeless ? Math.floor(windowTokens * HOPELESS_SHARE) : MIN_FRESH_TOKENS;
  return freshTokens(task.span, step.view) > Math.max(least, scaled(input.policy.summary.minFreedTokens, windowTokens));
}

function fitted(step: Step, target: FitTarget, input: StepInput): Step {
  const result = fit({ ...input, view: step.view }, target);
  return take(step, { layer: 'fit', ...result }, input);
}

function isWithin(view: View, target: FitTarget): boolean {
  return view.tokens <= target.maxTokens && view.bytes <= target.maxBytes;
}

/** `step`, with a note where even the last rung does not reach the target. The provider is the judge then. */
function reached(step: Step, target: FitTarget): Step {
  if (isWithin(step.view, target)) return step;
  return { ...step, held: [...step.held, `fit: nothing more can be shortened, ${step.view.tokens} tokens stay`] };
}

/** What the view must stay under when the provider has not yet said no. */
function blockTarget(input: StepInput): FitTarget {
  const spare = input.window.blockTokens - input.headTokens;
  return { maxTokens: Math.max(0, spare), maxBytes: Number.POSITIVE_INFINITY, isHard: false };
}

/** The part of the step that needs no summary; its `summary` says whether one is due. */
export function planStep(bare: StepInput): Step {
  const input = carrying(bare);
  const start: Step = { view: input.view, edits: [], kept: new Map(), layers: [], held: [], pins: [] };
  const repaired = take(start, { layer: 'repair', ...proposeRepairs(input, input.ledger.hasRepairs) }, input);
  const free = freeLayers(withSnip(withNotes(repaired, input), input), input);
  if (input.trigger?.kind === 'overflow' && input.trigger.isBytes) {
    const smaller = fitted(free, input.trigger.target, input);
    if (isWithin(smaller.view, input.trigger.target)) return smaller;
  }
  const task = taskFor(free, input);
  if (task === undefined) return free;
  if (task.trigger === 'overflow') return planOverflow(free, task, input);
  if (!isWorthwhile(task, free, input)) {
    const held = [...free.held, `summary: ${task.trigger}, but too little is new since the last one`];
    return closeBlocked({ ...free, held }, input);
  }
  return { ...free, summary: task };
}

/** A span with little new in it is left to the last rung; where that is not enough either, to the code writer. */
function planOverflow(step: Step, task: SummaryTask, input: StepInput): Step {
  if (isWorthwhile(task, step, input)) return { ...step, summary: task };
  const target = input.trigger?.kind === 'overflow' ? input.trigger.target : blockTarget(input);
  const smaller = fitted(step, target, input);
  return isWithin(smaller.view, target) ? smaller : { ...step, summary: { ...task, mayUseModel: false } };
}

/** The step without the summary the host would not have. */
export function declineSummary(planned: Step, why: string, input: StepInput): Step {
  const { summary: task, ...step } = planned;
  const held = [...step.held, `summary: ${task?.trigger}, held back by the host: ${why}`];
  if (input.trigger?.kind !== 'overflow') return closeBlocked({ ...step, held }, input);
  const { target } = input.trigger;
  return reached(fitted({ ...step, held }, target, input), target);
}

/** Brings a view that nothing else could shrink under the block line. */
function closeBlocked(step: Step, input: StepInput): Step {
  const target = blockTarget(input);
  if (isWithin(step.view, target)) return step;
  const smaller = fitted(step, target, input);
  return reached(smaller, target);
}

interface SummaryWords {
  readonly span: Span;
  readonly text: string;
  readonly task: SummaryTask;
  readonly carryTokens?: number | undefined;
  /** True where the stretches are not worth replacing without the text itself. */
  readonly mustStand?: boolean;
}

/** `step` with the words, and the state where there is one, frozen over their span; undefined where that frees nothing. */
function frozen(step: Step, input: StepInput, words: SummaryWords & { readonly state?: string }): Step | undefined {
  const { span, text, task, carryTokens, state, mustStand = state !== undefined } = words;
  const title = input.policy.summary.titles[task.trigger];
  const reason = `summary, ${task.trigger}`;
  const result = summaryEdits(
    { span, title, text, state, carryTokens, offersRecall: input.offersRecall, reason },
    { ...input, view: step.view },
  );
  const least = scaled(input.policy.summary.minFreedTokens, input.window.windowTokens);
  const isWorse = result.freedTokens < least || (mustStand && !result.hasText);
  if (result.edits.length === 0 || isWorse) return undefined;
  // Repairs and notes are groups of their own, which stand where the summary is taken back.
  const outlived = step.edits.filter(
    (edit) => edit.layer === 'repair' || edit.kind === 'note' || !isSwallowed(edit, result.edits),
  );
  return take({ ...step, edits: outlived }, { layer: 'summary', ...result }, input);
}

/** Share of what the summary frees, and of what it leaves before the next is due or the provider refuses, that state may take. */
const STATE_SHARE = 0.5;

/** Share of the freed bytes it may take: they are approximate, and some have to be freed for certain. */
const STATE_BYTES_SHARE = 0.9;

/** Tokens the host's state may take beside the summary that made `bare` out of `before`. */
function stateTokens(before: View, bare: View, input: StepInput): number {
  const { trigger, window } = input;
  const now = requestTokens(bare, input);
  const ratio = Math.max(1, now / Math.max(1, input.headTokens + bare.tokens));
  const due = (window.actTokens - now) / ratio;
  const refused = trigger?.kind === 'overflow' ? trigger.target.maxTokens - bare.tokens : due;
  const room = Math.floor(Math.min(due, refused, before.tokens - bare.tokens) * STATE_SHARE);
  return Math.min(room, scaled(STATE_TOKENS, window.windowTokens));
}

/** Commits a text over a span on top of `step`, with what there is room for of the host's state; undefined where the text alone frees nothing. */
function withSummary(step: Step, input: StepInput, words: SummaryWords): Step | undefined {
  const bare = frozen(step, input, words);
  const items = ranked(input.state ?? []);
  if (bare === undefined || items.length === 0) return bare;
  const maxTokens = stateTokens(step.view, bare.view, input);
  const maxBytes = bare.view.bytes + Math.max(0, step.view.bytes - bare.view.bytes) * STATE_BYTES_SHARE;
  for (let maxItems = items.length; maxItems > 0; maxItems -= 1) {
    const state = renderState(items, { maxTokens, maxItems, count: input.count });
    if (state === undefined) break;
    const done = frozen(step, input, { ...words, state: state.text });
    if (done !== undefined && done.view.bytes <= maxBytes) return withoutState(done, state.dropped);
  }
  return withoutState(bare, items.map(nameOf));
}

function withoutState(step: Step, names: readonly string[]): Step {
  if (names.length === 0) return step;
  return { ...step, held: [...step.held, `state: left out for want of room: ${names.join(', ')}`] };
}

/** Characters the code writer may use: a tenth of what the window allows a view, at most four times a model's cap, a quarter of what has to be reached. */
function digestChars(input: StepInput, target: FitTarget): number {
  const rule = scaled(input.policy.summary.maxOutputTokens, input.window.windowTokens) * 4;
  return Math.max(600, Math.min(rule * 4, Math.floor(input.window.actTokens * 0.1 * 4), target.maxTokens));
}

/** What the digest is tried over, ever wider. Before a hard limit the user's newest words give way last, and only as far as they have to. */
function digestTries(
  task: SummaryTask,
  target: FitTarget,
  history: History,
): readonly { span: Span; carryTokens?: number }[] {
  const round = { span: spanBeforeNewestRound(history) };
  const all = { span: resolveSpan('all', history) };
  if (task.trigger === 'manual') return [{ span: task.span }];
  if (task.trigger === 'threshold') return [round, all];
  const last = target.isHard ? [{ ...all, carryTokens: Math.floor(target.maxTokens / 2) }] : [];
  return [{ span: task.span }, round, all, ...last];
}

/** The digest over ever wider spans, until one brings the view under `target`. */
function digestStep(step: Step, task: SummaryTask, input: StepInput): Step {
  const target = input.trigger?.kind === 'overflow' ? input.trigger.target : blockTarget(input);
  const shortened = fitted(step, target, input);
  if (task.trigger === 'overflow' && !isWorthwhile(task, step, input) && isWithin(shortened.view, target))
    return shortened;
  let best = shortened;
  for (const { span, carryTokens } of digestTries(task, target, input.history)) {
    const text = writeDigest({ history: input.history, span, lens: input.lens, maxChars: digestChars(input, target) });
    const done = withSummary(step, input, { span, text, task, carryTokens });
    if (done === undefined) continue;
    best = fitted(done, target, input);
    if (isWithin(best.view, target)) return best;
  }
  const isMade = best.edits.some((edit) => edit.layer === 'summary');
  const noted = isMade
    ? best
    : { ...best, held: [...best.held, `summary: ${task.trigger}, but it would free nothing`] };
  return reached(noted, target);
}

/** The model's words, then what code adds: the user's older messages as they are, and the facts the model forgot. */
function completed(text: string, span: Span, input: StepInput): string {
  const { history, lens } = input;
  const facts = writeDigest({
    history,
    span,
    lens,
    known: text,
    maxChars: Math.floor(digestChars(input, blockTarget(input)) / 2),
  });
  return facts === '' ? text : `${text}\n\nAdded by code, from the conversation itself:\n\n${facts}`;
}

/** Takes a model's text, or undefined for the code writer's. The text was accepted by `refusalOf`; here its size is judged. */
export function finishStep(planned: Step, text: string | undefined, bare: StepInput): Step {
  const input = carrying(bare);
  const { summary: task, ...step } = planned;
  if (task === undefined) return step;
  if (text === undefined) return digestStep(step, task, input);
  const words = { span: task.span, text: completed(text, task.span, input), task, mustStand: true };
  const done = withSummary(step, input, words);
  if (done === undefined)
    return digestStep(
      { ...step, held: [...step.held, 'summary: the model wrote more than it would replace'] },
      task,
      input,
    );
  const target = input.trigger?.kind === 'overflow' ? input.trigger.target : blockTarget(input);
  const smaller = fitted(done, target, input);
  return isWithin(smaller.view, target) ? smaller : digestStep(step, task, input);
}
