/** Takes in an accepted reply: the turn's edits come into force, the meter learns, the history grows. */
import type { DecodedReply } from '../core/codec.ts';
import { observe } from '../core/meter.ts';
import type { Receipt } from '../core/receipt.ts';
import type { TurnDeps } from './draft.ts';
import { appendEntries, entryOf } from './session.ts';
import type { Draft } from './turn.ts';

/** Output under this share of its cap was not cut by the cap. */
const CUT_BY_CAP_RATIO = 0.95;

/** Prompt and reply together over this share of the window: it may be what cut the reply. */
const FULL_RATIO = 0.9;

/** OpenAI's format has one word for both limits: a cut reply that is shorter than its cap filled the window. */
function isCutByWindow(draft: Draft, { stop, usage }: DecodedReply): boolean {
  if (stop !== 'cap' || usage === undefined || draft.head.isOutputCapAssumed === true) return stop === 'window';
  const isFull = usage.inputTokens + usage.outputTokens >= draft.receipt.window.windowTokens * FULL_RATIO;
  return isFull && usage.outputTokens < draft.head.maxOutputTokens * CUT_BY_CAP_RATIO;
}

/** Puts a turn in force. Throws `INVALID_REQUEST` where the reply cannot be read; nothing has changed then. */
export function commit(deps: TurnDeps, draft: Draft, reply: DecodedReply): Receipt {
  const { session } = deps;
  const entries = reply.message === undefined ? [] : [entryOf(reply.message, deps.codec, deps.count)];
  session.ledger.append(draft.groups);
  session.view = draft.view;
  session.calls += 1;
  // One asked for since waits for the next turn.
  if (session.manual === draft.manual) session.manual = undefined;
  session.pressedModel = isCutByWindow(draft, reply) ? draft.head.model : undefined;
  session.answers.clear();
  session.lastSent = {
    entries: [...draft.view.entries],
    messages: draft.messages,
    historyLength: session.history.length,
  };
  // Only what the provider refused counts as forced; a reply that hints at little room does not.
  if (draft.attempt > 0) session.forcedCalls.push(session.calls);
  if (reply.usage !== undefined) observeUsage(deps, draft, reply);
  appendEntries(session, entries);
  const receipt: Receipt = reply.usage === undefined ? draft.receipt : { ...draft.receipt, usage: reply.usage };
  deps.emit({ type: 'turn-accept', ...draft.ids, receipt, groups: draft.groups });
  return receipt;
}

function observeUsage(deps: TurnDeps, draft: Draft, reply: DecodedReply): void {
  const { session } = deps;
  const reportedTokens = reply.usage?.inputTokens ?? 0;
  // A ratio above one may come from other text than this, and pictures are counted at their largest: only what the bare estimate of
  // the text vouches for is missed.
  const text = Math.max(0, draft.estimatedTokens - session.history.mediaTokens);
  const estimatedTokens = Math.floor(text * Math.min(1, session.meter.ratio));
  const isCut =
    reply.stop !== 'window' &&
    deps.errors.isSilentOverflow({
      reportedTokens,
      estimatedTokens,
      windowTokens: draft.receipt.window.windowTokens,
      stop: reply.stop,
      outputTokens: reply.usage?.outputTokens ?? 0,
    });
  if (isCut) {
    // A report of a cut prompt would teach the meter a wrong ratio.
    session.pressedModel = draft.head.model;
    deps.emit({ type: 'silent-truncation', ...draft.ids, reportedTokens, estimatedTokens });
    return;
  }
  session.meter = observe(session.meter, {
    seq: session.ledger.nextSeq,
    estimatedTokens: draft.estimatedTokens,
    reportedTokens,
  });
}
