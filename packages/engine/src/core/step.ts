/**
 * One step of the engine, pure: history and policy in, edits and bytes to archive out. It cannot await: where a summary
 * is due it returns a task, and `finishStep` takes the answer.
 */
import { newestReasoning } from './binding.ts';
import { type Edit, overlaps } from './edit.ts';
import { proposeNotes } from './layers/attach.ts';
import type { Proposal } from './layers/layer.ts';
import { proposeRepairs } from './layers/repair.ts';
import { snipTurns } from './layers/snip.ts';
import { replaceableSpans, type Span } from './layers/range-edits.ts';
import { unreadRecallStart } from './unread-recalls.ts';
import { resolveSpan, spanBeforeTail } from './layers/summary.ts';
import { dueEpoch } from './schedule/due.ts';
import { tailStart, type TailInput } from './schedule/tail.ts';
import {
  blockTarget,
  canReachThreshold,
  fitted,
  isWithin,
  isWorthwhile,
  reached,
  repointed,
  requestTokens,
  type Step,
  type StepInput,
  type SummaryTask,
  take,
  takeFree,
} from './step-parts.ts';
import { newestRange } from './view.ts';
import { scaled } from './window.ts';

/** Pins the view lost or never showed, and what waits to be attached, before any layer is asked. */
function withNotes(step: Step, input: StepInput): Step {
  if (input.pending.notes.length === 0 && input.pending.pins.length === 0) return step;
  const { pins, held, ...proposal } = proposeNotes(
    { ...input, view: step.view },
    { ...input.pending, isBound: input.binding !== 'none' },
  );
  return { ...take(step, { layer: 'attach', ...proposal }, input), pins, held: [...step.held, ...held] };
}

/** The snip the host or the model asked for. */
function withSnip(step: Step, input: StepInput): Step {
  if (input.snip === undefined) return step;
  if (!input.offersRecall)
    return { ...step, held: [...step.held, 'snip: the request offers no recall tool to redeem its marker'] };
  const { held, ...proposal } = snipTurns({ ...input, view: step.view }, input.snip);
  return takeFree({ ...step, held: [...step.held, ...held] }, { layer: 'snip', ...proposal }, input);
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
    if (layer.when === 'epoch') continue;
    const proposal = withoutHeld(layer.propose({ ...input, view: step.view }), held);
    step = takeFree(step, { layer: layer.name, ...proposal }, input);
  }
  return step;
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

/** `span` without what was just recalled: it is read once before it is summarised. */
function sparingRecalls({ from, to }: Span, input: StepInput): Span {
  return { from, to: Math.max(from, Math.min(to, unreadRecallStart(input))) };
}

/** What made a summary due, before anything is known of reasoning. */
function wanted(step: Step, input: StepInput): SummaryTask | undefined {
  const { history, trigger, policy } = input;
  if (trigger?.kind === 'manual') {
    const span = resolveSpan(trigger.span, history);
    return { trigger: 'manual', span, focus: trigger.focus, mayUseModel: true };
  }
  if (trigger?.kind === 'overflow') {
    const span = spanBeforeTail(step.view, history, policy.summary.overflowTailMessages);
    return { trigger: 'overflow', span, mayUseModel: !trigger.isLast };
  }
  if (!overThreshold(step, input)) return undefined;
  const span =
    policy.rhythm === undefined
      ? resolveSpan('all', history)
      : { from: 0, to: tailStart(tailInput(step, input), policy.rhythm) };
  return { trigger: 'threshold', span, mayUseModel: policy.rhythm === undefined && canReachThreshold(input) };
}

/** The newest reasoning in `span` that no edit may cover, since it stands beside a barrier; -1 where there is none. */
function fixedReasoning(span: Span, step: Step, { history }: StepInput): number {
  const spans = replaceableSpans(span, { history, view: step.view });
  const isCovered = (at: number): boolean => spans.some(({ from, to }) => from <= at && at < to);
  return newestReasoning(step.view, history, (at) => at < span.to && !isCovered(at));
}

/**
 * The task with a span that leaves no reasoning behind what it changes: all of the view where some stands behind it, whose newest rounds are
 * quoted then, and nothing before what has to stay.
 */
function bound(task: SummaryTask, step: Step, input: StepInput): SummaryTask {
  const { history, binding } = input;
  const newest = binding === 'none' ? -1 : newestReasoning(step.view, history);
  if (newest < 0) return task;
  const isBehind = newest >= task.span.to;
  const span = isBehind ? resolveSpan('all', history) : task.span;
  const fixed = newest >= span.to ? newest : fixedReasoning(span, step, input);
  const from = fixed < 0 ? span.from : Math.min(span.to, history.cutAfter(fixed + 1));
  return {
    ...task,
    isBound: true,
    span: { from, to: span.to },
    ...(isBehind ? { quoteFrom: Math.max(from, task.span.to) } : {}),
  };
}

function tailInput(step: Step, { history, lens, window }: StepInput): TailInput {
  return { history, view: step.view, lens, windowTokens: window.windowTokens };
}

/** What the message of the next epoch takes: what the last one took, or what the policy allows. */
function expectedDigestTokens(step: Step, { policy, window }: StepInput): number {
  const { entries } = step.view;
  let at = newestRange(entries);
  while (at >= 0 && entries[at]?.range?.layer !== 'summary') at -= 1;
  return (
    entries[at]?.tokens ?? scaled(policy.summary.digestTokens ?? policy.summary.maxOutputTokens, window.windowTokens)
  );
}

/** Asks the schedule of a policy that has one. */
function scheduled(step: Step, input: StepInput): Step {
  const { policy, history, lens, window, headTokens, economy, moment, sentLength } = input;
  if (policy.rhythm === undefined || input.trigger !== undefined) return step;
  if (!input.offersRecall) return step;
  // Written out: a spread that adds members takes microseconds, and this is asked before every call.
  const due = dueEpoch(
    {
      history,
      view: step.view,
      lens,
      windowTokens: window.windowTokens,
      headTokens,
      economy,
      moment,
      digestTokens: expectedDigestTokens(step, input),
      sentLength,
    },
    policy.rhythm,
  );
  if (due.kind === 'not-yet') return step;
  if (due.kind === 'held') return { ...step, held: [...step.held, due.why] };
  return { ...step, summary: bound({ trigger: due.trigger, span: due.span, mayUseModel: false }, step, input) };
}

function taskFor(step: Step, input: StepInput): SummaryTask | undefined {
  const task = wanted(step, input);
  if (task === undefined || (task.trigger === 'threshold' && isHeldBack(step, input))) return undefined;
  return bound({ ...task, span: sparingRecalls(task.span, input) }, step, input);
}

/** The part of the step that needs no summary; its `summary` says whether one is due. */
export function planStep(input: StepInput): Step {
  const step = planned(input);
  return step.summary === undefined ? repointed(step, input) : step;
}

function planned(input: StepInput): Step {
  const start: Step = { view: input.view, edits: [], kept: new Map(), layers: [], held: [], pins: [] };
  const repaired = take(start, { layer: 'repair', ...proposeRepairs(input, input.ledger.hasRepairs) }, input);
  const free = freeLayers(withSnip(withNotes(repaired, input), input), input);
  if (input.trigger?.kind === 'overflow' && input.trigger.isBytes) {
    const smaller = fitted(free, input.trigger.target, input);
    if (isWithin(smaller.view, input.trigger.target)) return smaller;
  }
  const task = taskFor(free, input);
  if (task === undefined) return isHeldBack(free, input) ? free : scheduled(free, input);
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
  if (input.trigger?.kind !== 'overflow') return repointed(closeBlocked({ ...step, held }, input), input);
  const { target } = input.trigger;
  return repointed(reached(fitted({ ...step, held }, target, input), target), input);
}

/** Brings a view that nothing else could shrink under the block line. */
function closeBlocked(step: Step, input: StepInput): Step {
  const target = blockTarget(input);
  if (isWithin(step.view, target)) return step;
  const smaller = fitted(step, target, input);
  return reached(smaller, target);
}
