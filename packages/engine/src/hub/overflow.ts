/** After the provider said "too long": what is learned from it, what the next request has to get under, and when to stop. */
import { ContextError } from '../core/errors.ts';
import { calibrated, observeOverflow } from '../core/meter.ts';
import type { ProviderError } from '../core/provider-error.ts';
import type { Trigger } from '../core/step-parts.ts';
import { MIN_WINDOW_TOKENS, type Window } from '../core/window.ts';
import { exhausted, type TurnDeps } from './draft.ts';
import type { Draft } from './turn.ts';

/** One retry with the policy's summary (the teaching system's limit), one with the last rung, which asks no model. */
const MAX_OVERFLOW_RETRIES = 2;

/** Where no limit is known, each retry aims at this share of the request that was refused. */
const SHRINK = 0.75;

/** Three forced epochs in a row, each within so many calls of the last, are thrashing. */
const THRASH_CALLS = 3;
const THRASH_EPOCHS = 3;

export type Overflow =
  | Extract<ProviderError, { kind: 'overflow' | 'rate' }>
  /** The reply filled what the prompt left of the window. */
  | { readonly kind: 'cut'; readonly limitTokens?: number; readonly requestedTokens?: number };

function assertNotThrashing(deps: TurnDeps, error: unknown): void {
  const { forcedCalls, calls } = deps.session;
  const recent = [...forcedCalls.slice(-THRASH_EPOCHS), calls + 1];
  const isThrashing =
    recent.length > THRASH_EPOCHS && recent.every((call, i) => i === 0 || call - (recent[i - 1] ?? 0) <= THRASH_CALLS);
  if (!isThrashing) return;
  throw new ContextError(
    'THRASHING',
    `${THRASH_EPOCHS} overflows in a row came within ${THRASH_CALLS} calls of each other; ${fillers(deps)}`,
    {
      cause: error,
    },
  );
}

/** What fills the window, largest first, for the error's reader. */
function fillers(deps: TurnDeps): string {
  const { history, view } = deps.session;
  const sizes = view.entries
    .map((entry) => ({
      entry: entry.from,
      tokens: entry.tokens,
      origin: entry.range?.layer ?? history.at(entry.from).origin,
    }))
    .toSorted((a, b) => b.tokens - a.tokens)
    .slice(0, 3);
  return `the window is filled by ${sizes.map(({ entry, tokens, origin }) => `message ${entry} (${origin}, ${tokens} tokens)`).join(', ')}: make these smaller`;
}

function targetTokens(deps: TurnDeps, draft: Draft, known: Overflow): number {
  const shrunk = draft.receipt.tokens.calibrated * SHRINK;
  const limit = known.kind === 'rate' ? undefined : known.limitTokens;
  if (limit === undefined) return shrunk;
  const window = deps.windowFor(draft.head);
  return Math.min(window.actTokens, limit * SHRINK ** draft.attempt);
}

/** Prompt and output together, and a limit on bytes, say nothing of the prompt's tokens. */
function promptTokensOf(known: Exclude<Overflow, { kind: 'rate' }>): number | undefined {
  const { limitTokens, requestedTokens } = known;
  if (known.kind === 'cut') return requestedTokens;
  if (known.what === 'input') return requestedTokens ?? limitTokens;
  return known.what === 'input-and-output' && (requestedTokens ?? 0) <= (limitTokens ?? 0)
    ? requestedTokens
    : undefined;
}

function learn(deps: TurnDeps, draft: Draft, known: Overflow): void {
  if (known.kind === 'rate') return;
  const { session } = deps;
  const { limitTokens } = known;
  const isTokens = known.kind === 'cut' || known.what !== 'bytes';
  if (limitTokens !== undefined && isTokens) {
    const before = session.learnedWindows.get(draft.receipt.model) ?? Number.POSITIVE_INFINITY;
    session.learnedWindows.set(draft.receipt.model, Math.max(MIN_WINDOW_TOKENS, Math.min(before, limitTokens)));
  }
  const counted = promptTokensOf(known);
  if (counted !== undefined) session.meter = observeOverflow(session.meter, draft.estimatedTokens, counted);
}

/** Least room for a reply that makes a lower cap worth while, as a share of the cap that was asked for. */
const MIN_CAP_SHARE = 0.25;

/** Room left for an estimate that is a little off, as a share of the window. */
const CAP_MARGIN = 0.02;

/** The output cap with which the very same prompt fits, where the provider's numbers leave a usable one. */
export function lowerCap(draft: Draft, known: Overflow): number | undefined {
  if (known.kind !== 'overflow' || known.what !== 'input-and-output' || known.limitTokens === undefined)
    return undefined;
  const { maxOutputTokens } = draft.head;
  const counted = known.requestedTokens ?? draft.receipt.tokens.calibrated;
  // Some providers state the prompt alone, some prompt and output together.
  const promptTokens = counted > known.limitTokens ? counted - maxOutputTokens : counted;
  const room = Math.floor(known.limitTokens * (1 - CAP_MARGIN)) - promptTokens;
  return promptTokens > 0 && room >= maxOutputTokens * MIN_CAP_SHARE && room < maxOutputTokens ? room : undefined;
}

const NO_NUMBERS: { readonly limitTokens?: number; readonly requestedTokens?: number } = {};

/** Takes in the refusal; returns what the next request has to do. Throws `WINDOW_EXHAUSTED` or `THRASHING` when there is none. */
export function noteOverflow(deps: TurnDeps, draft: Draft, refusal: { known: Overflow; error: unknown }): Trigger {
  const { known, error } = refusal;
  const what = known.kind === 'overflow' ? known.what : known.kind;
  const { limitTokens, requestedTokens } = known.kind === 'rate' ? NO_NUMBERS : known;
  deps.emit({
    type: 'turn-overflow',
    ...draft.ids,
    what,
    ...(limitTokens === undefined ? {} : { limitTokens }),
    ...(requestedTokens === undefined ? {} : { requestedTokens }),
  });
  const headTokens = draft.receipt.tokens.head;
  if (draft.attempt >= MAX_OVERFLOW_RETRIES) throw exhausted(headTokens, draft.receipt.window, error);
  assertNotThrashing(deps, error);
  learn(deps, draft, known);
  const isBytes = what === 'bytes';
  const tokens = targetTokens(deps, draft, known);
  return {
    kind: 'overflow',
    isBytes,
    isLast: draft.attempt + 1 >= MAX_OVERFLOW_RETRIES,
    error,
    target: {
      maxTokens: isBytes
        ? Number.POSITIVE_INFINITY
        : Math.max(0, Math.floor(tokens / deps.session.meter.ratio) - headTokens),
      maxBytes: isBytes ? Math.floor(draft.view.bytes * SHRINK) : Number.POSITIVE_INFINITY,
      isHard: limitTokens !== undefined,
    },
  };
}

/** The trigger after a reply or prompt that was cut for want of room. */
export function pressureTrigger(deps: Pick<TurnDeps, 'session'>, window: Window, headTokens: number): Trigger {
  const { session } = deps;
  const now = calibrated(session.meter, headTokens + session.view.tokens, session.ledger.nextSeq);
  const tokens = Math.min(window.actTokens, now * SHRINK);
  const maxTokens = Math.max(0, Math.floor(tokens / session.meter.ratio) - headTokens);
  return {
    kind: 'overflow',
    isBytes: false,
    isLast: false,
    target: { maxTokens, maxBytes: Number.POSITIVE_INFINITY, isHard: false },
  };
}

/** A retry goes out only with a strictly smaller request. */
export function assertSmaller(refused: Draft, next: Draft, error: unknown): void {
  const bytes = (draft: Draft): number => JSON.stringify(draft.request).length;
  const isSmaller = next.view.tokens < refused.view.tokens && bytes(next) < bytes(refused);
  if (!isSmaller) throw exhausted(refused.receipt.tokens.head, refused.receipt.window, error);
}
