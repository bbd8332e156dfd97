/** The second half of a step: takes the words of a summary, or writes them, and freezes them over their span. */
import { boundFailures } from './binding.ts';
import type { FitTarget } from './layers/fit.ts';
import type { Span } from './layers/range-edits.ts';
import { resolveSpan, spanBeforeNewestRound, summaryEdits } from './layers/summary.ts';
import {
  blockTarget,
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
import { type CodeWriterOptions, writeDigest } from './summary/code-writer.ts';
import { planNarrative } from './summary/narrative.ts';
import { quoteRounds } from './summary/quote-rounds.ts';
import { nameOf, ranked, renderState, STATE_TOKENS } from './summary/state.ts';
import { isSwallowed, type View } from './view.ts';
import { scaled } from './window.ts';

interface SummaryWords {
  readonly span: Span;
  readonly text: string;
  readonly task: SummaryTask;
  readonly carryTokens?: number | undefined;
  /** Set where a model wrote the beginning of the text. */
  readonly narrative?: { readonly chars: number; readonly generation: number };
  /** True where the stretches are not worth replacing without the text itself. */
  readonly mustStand?: boolean;
}

/** `step` with the words, and the state where there is one, frozen over their span; undefined where that frees nothing. */
function frozen(step: Step, input: StepInput, words: SummaryWords & { readonly state?: string }): Step | undefined {
  const { span, text, narrative, task, carryTokens, state, mustStand = state !== undefined } = words;
  const title = input.policy.summary.titles[task.trigger];
  const reason = `summary, ${task.trigger}`;
  const result = summaryEdits(
    {
      span,
      title,
      text,
      narrative,
      state,
      carryTokens,
      userTokens: input.policy.summary.userTokens,
      offersRecall: input.offersRecall,
      reason,
    },
    { ...input, view: step.view },
  );
  const least = scaled(input.policy.summary.minFreedTokens, input.window.windowTokens);
  const isWorse = result.freedTokens < least || (mustStand && !result.hasText);
  if (result.edits.length === 0 || isWorse) return undefined;
  // Repairs and notes are groups of their own, which stand where the summary is taken back.
  const outlived = step.edits.filter(
    (edit) => edit.layer === 'repair' || edit.kind === 'note' || !isSwallowed(edit, result.edits),
  );
  const done = take({ ...step, edits: outlived }, { layer: 'summary', ...result }, input);
  // A stretch that would free nothing stays, and its reasoning with it.
  const isBroken = input.binding !== 'none' && boundFailures(result.edits, done.view, input.history).length > 0;
  return isBroken ? undefined : done;
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

/** What the view has to get under. */
function targetOf(input: StepInput): FitTarget {
  return input.trigger?.kind === 'overflow' ? input.trigger.target : blockTarget(input);
}

/** Characters the code writer may use: what the policy says, or a tenth of what the window allows a view, at most four times a model's cap, a quarter of what has to be reached. */
function digestChars(input: StepInput, target: FitTarget): number {
  const { digestTokens } = input.policy.summary;
  if (digestTokens !== undefined)
    return Math.max(600, Math.min(scaled(digestTokens, input.window.windowTokens) * 3, target.maxTokens));
  const rule = scaled(input.policy.summary.maxOutputTokens, input.window.windowTokens) * 4;
  return Math.max(600, Math.min(rule * 4, Math.floor(input.window.actTokens * 0.1 * 4), target.maxTokens));
}

/** What the digest is tried over, ever wider. Before a hard limit the user's newest words give way last, and only as far as they have to. */
function digestTries(
  task: SummaryTask,
  target: FitTarget,
  { history, policy }: Pick<StepInput, 'history' | 'policy'>,
): readonly { span: Span; carryTokens?: number }[] {
  const isScheduled = policy.rhythm !== undefined;
  const round = { span: spanBeforeNewestRound(history) };
  const all = { span: resolveSpan('all', history) };
  if (task.trigger === 'manual' || task.isBound === true) return [{ span: task.span }];
  if (task.trigger === 'threshold' || task.trigger === 'cold')
    return isScheduled ? [{ span: task.span }, round, all] : [round, all];
  const last = target.isHard ? [{ ...all, carryTokens: Math.floor(target.maxTokens / 2) }] : [];
  return [{ span: task.span }, round, all, ...last];
}

/** What a digest of a span is written from. */
function digestBasis(
  span: Span,
  { history, lens, policy, offersRecall }: StepInput,
): Omit<CodeWriterOptions, 'maxChars'> {
  return { history, span, lens, offersRecall, hasUsers: policy.summary.userTokens !== undefined };
}

/** The code writer's text over a span, and the rounds that may not stay verbatim, quoted. */
function digestOf(span: Span, task: SummaryTask, input: StepInput): string {
  const text = writeDigest({ ...digestBasis(span, input), maxChars: digestChars(input, targetOf(input)) });
  return `${text}${quotesOf(task, span, input)}`;
}

function quotesOf({ quoteFrom }: SummaryTask, { to }: Span, { history }: StepInput): string {
  return quoteFrom === undefined ? '' : `\n\n${quoteRounds(history, { from: quoteFrom, to })}`;
}

/** The digest over ever wider spans, until one brings the view under `target`. */
function digestStep(step: Step, task: SummaryTask, input: StepInput): Step {
  const target = targetOf(input);
  // Looks at all there is to shorten: only where nothing else will do.
  const shortened = (): Step => fitted(step, target, input);
  if (task.trigger === 'overflow' && !isWorthwhile(task, step, input)) {
    const smaller = shortened();
    if (isWithin(smaller.view, target)) return smaller;
  }
  let best: Step | undefined;
  for (const { span, carryTokens } of digestTries(task, target, input)) {
    const text = digestOf(span, task, input);
    const done = withSummary(step, input, { span, text, task, carryTokens });
    if (done === undefined) continue;
    best = fitted(done, target, input);
    if (isWithin(best.view, target)) return closing(best, input);
  }
  const last = best ?? shortened();
  const isMade = last.edits.some((edit) => edit.layer === 'summary');
  const noted = isMade
    ? last
    : { ...last, held: [...last.held, `summary: ${task.trigger}, but it would free nothing`] };
  return reached(closing(noted, input), target);
}

/** What an epoch changes besides its summary: the layers that wait for one, now that the bytes are written again anyway. */
function closing(step: Step, input: StepInput): Step {
  if (!input.offersRecall) return step;
  return input.policy.layers
    .filter(({ when }) => when === 'epoch')
    .reduce(
      (done, layer) => takeFree(done, { layer: layer.name, ...layer.propose({ ...input, view: done.view }) }, input),
      step,
    );
}

/** The model's words, then what code adds: the user's older messages as they are, and the facts the model forgot. */
function completed(text: string, span: Span, input: StepInput): string {
  const facts = writeDigest({
    ...digestBasis(span, input),
    known: text,
    maxChars: Math.floor(digestChars(input, blockTarget(input)) / 2),
  });
  return facts === '' ? text : `${text}\n\nAdded by code, from the conversation itself:\n\n${facts}`;
}

/** Takes a model's text, or undefined for the code writer's. The text was accepted by `refusalOf`; here its size is judged. */
export function finishStep(planned: Step, text: string | undefined, input: StepInput): Step {
  return repointed(finished(planned, text, input), input);
}

function finished(planned: Step, text: string | undefined, input: StepInput): Step {
  const { summary: task, ...step } = planned;
  if (task === undefined) return step;
  if (text === undefined) return digestStep(step, task, input);
  const { generation } = planNarrative(step.view, task.span);
  const narrative = { chars: text.length, generation };
  const whole = `${completed(text, task.span, input)}${quotesOf(task, task.span, input)}`;
  const words = { span: task.span, text: whole, narrative, task, mustStand: true };
  const done = withSummary(step, input, words);
  if (done === undefined)
    return digestStep(
      { ...step, held: [...step.held, 'summary: the model wrote more than it would replace'] },
      task,
      input,
    );
  const target = targetOf(input);
  const smaller = fitted(done, target, input);
  return isWithin(smaller.view, target) ? closing(smaller, input) : digestStep(step, task, input);
}
