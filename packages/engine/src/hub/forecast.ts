/** What the next prepare would do, and what it would cost and save: the same plan, made on the side. Asks no model and changes nothing. */
import { type BreakEven, breakEven, epochSize } from '../core/break-even.ts';
import { isOpen } from '../core/breaker.ts';
import { type Change, changesOf } from '../core/changes.ts';
import { type Cause, isEpoch } from '../core/edit.ts';
import { finishStep } from '../core/finish-step.ts';
import type { SummaryTrigger } from '../core/layers/summary.ts';
import { isCold } from '../core/schedule/economy.ts';
import { planStep } from '../core/step.ts';
import type { Step, StepInput, SummaryTask } from '../core/step-parts.ts';
import { applyEdits, type View } from '../core/view.ts';
import { Answers } from './answers.ts';
import { askState } from './ask-host.ts';
import { synced } from './breakdown.ts';
import { causeOf, type DraftOptions, inputOf, type TurnDeps } from './draft.ts';
import { type ManualRequest, nextSeqOf, type Session } from './session.ts';
import { transcriptChars } from './summarise.ts';
import { groupsOf } from './turn.ts';
import { triggerOf } from './turns.ts';
import type { Wire } from '../core/entry.ts';

/** A summary the next prepare would make. Its text here is the code writer's, whoever is to write it. */
export interface ForecastSummary {
  readonly trigger: SummaryTrigger;
  /** Who will write: the name of the model's writer, or `code`. */
  readonly writer: string;
  /** True where the host is asked first (`beforeSummary`) and may refuse it; a forecast does not ask. */
  readonly mayBeBlocked: boolean;
}

/** What an epoch costs and saves, in tokens of fresh input of the model. */
export interface ForecastMoney extends BreakEven {
  /** Whether the provider's cache holds nothing of the session any more: all of the next request is written to it in any case. */
  readonly isCold: boolean;
  /** What the requests to come lose. */
  readonly removedTokens: number;
  /** What the next request writes to the cache anew that it would have read; 0 on a cold cache. */
  readonly behindTokens: number;
  /** Guess of what the model that writes the summary is paid; 0 for the code writer. */
  readonly summaryTokens: number;
}

/** What the next prepare would do. Tokens as the meter expects them to be billed. */
export interface Forecast {
  readonly model: string;
  /** What the receipt would name as the epoch's cause; absent where nothing would change. */
  readonly cause?: Cause;
  /** What would be replaced, in the order of the history; tokens by the context's counter. */
  readonly changes: readonly Change[];
  /** The whole request, system and tools included, without and with the changes. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly summary?: ForecastSummary;
  /** What would be held back, and why. */
  readonly held: readonly string[];
  readonly money: ForecastMoney;
}

export interface ForecastDeps extends TurnDeps {
  readonly headTokens: (head: ReturnType<TurnDeps['codec']['head']>) => number;
  /** Messages that wait for the open turn to be settled. */
  readonly waiting: readonly Wire[];
}

export interface ForecastRequest {
  readonly request: object;
  /** Foretold as if `compact` had been called with it. */
  readonly manual: ManualRequest | undefined;
  readonly signal: AbortSignal | undefined;
}

/** A session to plan on: what is only remembered is remembered on the side. */
function aside(deps: ForecastDeps, { request, manual }: ForecastRequest): Session {
  const copy = { ...synced(deps, deps.codec.messages(request)) };
  const answers = new Answers();
  for (const [key, asked] of copy.answers.states) answers.states.set(key, asked);
  return { ...copy, answers, manual: manual ?? copy.manual };
}

/** Who would write, by the rules of `summarise`. */
function writerOf(deps: TurnDeps, task: SummaryTask, target: string): string {
  const { writer, session } = deps;
  const isTrusted = task.trigger === 'manual' || !isOpen(session.breaker, target);
  const isModel = writer !== undefined && task.mayUseModel && task.span.to > task.span.from && isTrusted;
  return isModel ? writer.name : 'code';
}

interface Planned {
  readonly step: Step;
  readonly cause: Cause;
  readonly summary?: ForecastSummary;
}

async function planned(deps: TurnDeps, input: StepInput, options: DraftOptions): Promise<Planned> {
  const step = planStep(input);
  const cause = causeOf(options, step);
  const task = step.summary;
  if (task === undefined) return { step, cause };
  const state = await askState(deps, input, options.signal);
  const done = finishStep(step, undefined, { ...input, state: state.items });
  const held = state.note === undefined ? done.held : [...done.held, state.note];
  const target = `${options.head.model} ${input.window.windowTokens}`;
  const mayBeBlocked = deps.beforeSummary !== undefined;
  return {
    step: { ...done, held },
    cause,
    summary: { trigger: task.trigger, writer: writerOf(deps, task, target), mayBeBlocked },
  };
}

interface Sized {
  readonly input: StepInput;
  /** The view with what needs no epoch: notes, repairs, what is shaped on arrival. */
  readonly base: View;
  readonly planned: Planned;
  /** From the counter's tokens to billed ones. */
  readonly ratio: number;
}

/** A guess of what the model is paid: it reads the span as far as it may, and writes as much as the code writer. */
function summaryTokens({ planned: { step, summary }, input, base }: Sized): number {
  if (summary === undefined || summary.writer === 'code') return 0;
  const made = step.view.entries.filter(({ range }) => range?.layer === 'summary');
  const written = made.reduce((sum, { tokens }) => sum + tokens, 0);
  return Math.min(base.tokens, transcriptChars(input) / 4) + written * input.moment.prices.outputTimes;
}

function moneyOf(sized: Sized): ForecastMoney {
  const { base, planned: made, input, ratio } = sized;
  const { prices } = input.moment;
  const isColdNow = isCold(input.economy, input.moment);
  const { removedTokens, behindTokens } = epochSize(base, made.step.view, input.pending.sentLength);
  const size = {
    removedTokens: Math.round(removedTokens * ratio),
    behindTokens: isColdNow ? 0 : Math.round(behindTokens * ratio),
    summaryTokens: Math.round(summaryTokens(sized) * ratio),
  };
  return { isCold: isColdNow, ...size, ...breakEven(size, prices) };
}

export async function forecast(outer: ForecastDeps, asked: ForecastRequest): Promise<Forecast> {
  const session = aside(outer, asked);
  const deps = { ...outer, session };
  const { request, signal } = asked;
  const head = deps.codec.head(request);
  const headTokens = deps.headTokens(head);
  const { manual, snip, meter, history, view } = session;
  const trigger = triggerOf(deps, head, () => headTokens);
  const asking = { request, head, headTokens };
  const options: DraftOptions = { id: 'forecast', ...asking, trigger, manual, snip, attempt: 0, signal };
  const input = inputOf(deps, options);
  const made = await planned(deps, input, options);
  const { step, cause, summary } = made;
  const { sentLength } = input.pending;
  const groups = groupsOf({ step, nextSeq: nextSeqOf(session), historyLength: history.length, sentLength, cause });
  const passing = groups.filter(isEpoch).filter((group) => group.cause === 'arrival' || group.cause === 'repair');
  const context = { history, count: deps.count, lens: deps.lens };
  const base = applyEdits(
    view,
    passing.flatMap(({ edits }) => edits),
    context,
  );
  const epoch = groups.findLast(isEpoch);
  const bare = headTokens + step.view.tokens;
  return {
    model: head.model,
    ...(epoch === undefined ? {} : { cause: epoch.cause }),
    changes: changesOf(view, step.view, context),
    tokensBefore: input.calibrate(headTokens + view.tokens),
    tokensAfter: epoch === undefined ? input.calibrate(bare) : Math.ceil(bare * meter.ratio),
    ...(summary === undefined ? {} : { summary }),
    held: step.held,
    money: moneyOf({ input, base, planned: made, ratio: meter.ratio }),
  };
}
