/** Takes in an accepted reply: the turn's edits come into force, the meter learns, the history grows. */
import type { DecodedReply } from '../core/codec.ts';
import { observe } from '../core/meter.ts';
import type { Receipt } from '../core/receipt.ts';
import type { TurnDeps } from './draft.ts';
import { appendMessages } from './session.ts';
import type { Draft } from './turn.ts';

/** Output under this share of its cap was not cut by the cap. */
const CUT_BY_CAP_RATIO = 0.95;

/** OpenAI's format has one word for both limits: a cut reply that is shorter than its cap filled the window. */
function isCutByWindow(deps: TurnDeps, draft: Draft, { stop, usage }: DecodedReply): boolean {
  if (stop !== 'cap' || usage === undefined) return stop === 'window';
  return usage.outputTokens < deps.codec.head(draft.original).maxOutputTokens * CUT_BY_CAP_RATIO;
}

/** Puts a turn in force. */
export function commit(deps: TurnDeps, draft: Draft, reply: DecodedReply): Receipt {
  const { session } = deps;
  session.ledger.append(draft.groups);
  session.view = draft.view;
  session.calls += 1;
  // One asked for since waits for the next turn.
  if (session.manual === draft.manual) session.manual = undefined;
  session.isPressed = isCutByWindow(deps, draft, reply);
  session.answers.clear();
  session.lastSent = {
    entries: [...draft.view.entries],
    messages: draft.messages,
    historyLength: session.history.length,
  };
  // Only what the provider refused counts as forced; a reply that hints at little room does not.
  if (draft.attempt > 0) session.forcedCalls.push(session.calls);
  if (reply.usage !== undefined) observeUsage(deps, draft, reply);
  if (reply.message !== undefined) appendMessages(session, [reply.message], deps);
  const receipt: Receipt = reply.usage === undefined ? draft.receipt : { ...draft.receipt, usage: reply.usage };
  deps.emit({ type: 'turn-accept', sessionId: deps.sessionId, turnId: draft.id, receipt, groups: draft.groups });
  return receipt;
}

function observeUsage(deps: TurnDeps, draft: Draft, reply: DecodedReply): void {
  const { session } = deps;
  const reportedTokens = reply.usage?.inputTokens ?? 0;
  // A ratio above one may come from other text than this; only what the bare estimate vouches for is missed.
  const estimatedTokens = Math.floor(draft.estimatedTokens * Math.min(1, session.meter.ratio));
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
    session.isPressed = true;
    deps.emit({
      type: 'silent-truncation',
      sessionId: deps.sessionId,
      turnId: draft.id,
      reportedTokens,
      estimatedTokens,
    });
    return;
  }
  session.meter = observe(session.meter, {
    seq: session.ledger.nextSeq,
    estimatedTokens: draft.estimatedTokens,
    reportedTokens,
  });
}
