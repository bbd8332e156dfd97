/** Whether an epoch is due now, and if not, why: rhythm proposes, the floor postpones, the gate decides. */
import { breakEven } from '../break-even.ts';
import type { Span } from '../layers/range-edits.ts';
import type { SummaryTrigger } from '../layers/summary.ts';
import { cliffTimes } from '../prices.ts';
import type { View } from '../view.ts';
import { type Economy, isCold, type Moment } from './economy.ts';
import { cheapestGrowthTokens, perCallTokens, type Rhythm } from './rhythm.ts';
import { tailStart, type TailInput } from './tail.ts';

export interface ScheduleInput extends TailInput {
  readonly headTokens: number;
  readonly economy: Economy;
  readonly moment: Moment;
  /** What an epoch's message takes, as far as is known: the last one's, or the policy's limit. */
  readonly digestTokens: number;
  /** Entries the provider was sent before. */
  readonly sentLength: number;
}

export type Due =
  | { readonly kind: 'due'; readonly trigger: SummaryTrigger; readonly span: Span }
  | { readonly kind: 'held'; readonly why: string }
  | { readonly kind: 'not-yet' };

/** What an epoch now would do to the view, tokens. */
interface Prospect {
  readonly span: Span;
  /** S: what it removes, net of its own message. */
  readonly removedTokens: number;
  /** L: what is left of the view. */
  readonly keptTokens: number;
  /** T: what of that was sent before and would have to be written again. */
  readonly behindTokens: number;
}

function tokensOf(view: View, from: number, to: number): number {
  let tokens = 0;
  for (let i = view.entries.length - 1; i >= 0; i -= 1) {
    const entry = view.entries[i];
    if (entry === undefined || entry.from < from) break;
    if (entry.from < to) tokens += entry.tokens;
  }
  return tokens;
}

function prospect(input: ScheduleInput, rhythm: Rhythm): Prospect {
  const { history, view, digestTokens, sentLength } = input;
  const to = tailStart(input, rhythm);
  const tailTokens = tokensOf(view, to, history.length);
  const keptTokens = digestTokens + tailTokens;
  const behindTokens = digestTokens + tokensOf(view, to, Math.max(to, sentLength));
  return { span: { from: 0, to }, removedTokens: view.tokens - keptTokens, keptTokens, behindTokens };
}

/** Share of the bill so far a warm epoch may spend beyond what earlier ones saved: never much dearer than doing nothing. */
const VENTURE_SHARE = 0.05;

/** A session goes on about as long as it has gone on, and for a few calls in any case. */
const MIN_COMING_CALLS = 8;

/** Before a cold start an epoch costs nothing, but what it removes is worth keeping until there is this share of the growth between two epochs. */
const COLD_SHARE = 0.5;

/** Calls by which a price cliff is seen coming. */
const CLIFF_CALLS = 2;

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** What a request over a cliff pays more for what the epoch leaves, tokens of fresh input a call; 0 where none is near or the epoch does not get under it. */
function cliffSaving({ headTokens, view, moment }: ScheduleInput, keptTokens: number, growth: number): number {
  const coming = cliffTimes(moment.prices, headTokens + view.tokens + growth * CLIFF_CALLS);
  const after = cliffTimes(moment.prices, headTokens + keptTokens);
  return (coming - after) * (headTokens + keptTokens) * moment.prices.readTimes;
}

function gate(input: ScheduleInput, { span, removedTokens, behindTokens }: Prospect, cliff: number): Due {
  const { economy, moment } = input;
  const { costNowTokens, savesPerCallTokens } = breakEven({ removedTokens, behindTokens }, moment.prices);
  const coming = Math.max(MIN_COMING_CALLS, economy.calls);
  const needed = costNowTokens / (savesPerCallTokens + cliff);
  if (needed >= coming)
    return {
      kind: 'held',
      why: `epoch: held, it pays back in ${Math.ceil(needed)} calls and about ${coming} are to come`,
    };
  const saved = economy.appendOnlyTokens - economy.billTokens;
  const allowed = saved + economy.billTokens * VENTURE_SHARE;
  if (costNowTokens > allowed) {
    const [cost, most] = [Math.round(costNowTokens), Math.max(0, Math.round(allowed))];
    return {
      kind: 'held',
      why: `epoch: held, it costs ${cost} tokens of input now, and earlier ones saved, with ${percent(VENTURE_SHARE)} of the bill, ${most}`,
    };
  }
  return { kind: 'due', trigger: 'threshold', span };
}

/** Asks the schedule. Reads prices and sizes only. */
export function dueEpoch(input: ScheduleInput, rhythm: Rhythm): Due {
  const { history, economy, moment } = input;
  // Even all of the view would not pay for its message: nothing needs to be looked at.
  if (input.view.tokens <= input.digestTokens) return { kind: 'not-yet' };
  const growth = perCallTokens(history);
  const least = (keptTokens: number): number =>
    rhythm.stretch * cheapestGrowthTokens({ keptTokens, summaryTokens: 0, perCallTokens: growth }, moment.prices);
  const isColdNow = isCold(economy, moment);
  if (!couldBeDue(input, least(input.digestTokens) * (isColdNow ? COLD_SHARE : 1), growth)) return { kind: 'not-yet' };
  const { keptTokens, ...rest } = prospect(input, rhythm);
  const cliff = cliffSaving(input, keptTokens, growth);
  const needed = least(keptTokens);
  if (isColdNow && rest.removedTokens >= needed * COLD_SHARE) return { kind: 'due', trigger: 'cold', span: rest.span };
  if (isColdNow || rest.removedTokens <= 0 || (rest.removedTokens < needed && cliff <= 0)) return { kind: 'not-yet' };
  return gate(input, { keptTokens, ...rest }, cliff);
}

/** A bound that needs no walk: the epoch removes at most the view without its own message. */
function couldBeDue({ view, digestTokens, headTokens, moment }: ScheduleInput, least: number, growth: number): boolean {
  const { prices } = moment;
  const nearCliff = cliffTimes(prices, headTokens + view.tokens + growth * CLIFF_CALLS) > 1;
  return view.tokens - digestTokens >= least || nearCliff;
}
