/** Settles a turn: its edits come into force; where it was sent and answered, the meter learns and the history grows. */
import type { DecodedReply } from '../core/codec.ts';
import { observe } from '../core/meter.ts';
import { wasCutByCap } from '../core/output-cap.ts';
import type { Receipt } from '../core/receipt.ts';
import { afterCall, type Economy } from '../core/schedule/economy.ts';
import type { TurnDeps } from './draft.ts';
import { appendEntries, entryOf, type Session } from './session.ts';
import type { Draft } from './turn.ts';

/** Prompt and reply together over this share of the window: it may be what cut the reply. */
const FULL_RATIO = 0.9;

/** OpenAI's format has one word for both limits: a cut reply that is shorter than its cap filled the window. */
function isCutByWindow(draft: Draft, { stop, usage }: DecodedReply): boolean {
  if (stop !== 'cap' || usage === undefined || draft.head.isOutputCapAssumed === true) return stop === 'window';
  const isFull = usage.inputTokens + usage.outputTokens >= draft.receipt.window.windowTokens * FULL_RATIO;
  return isFull && !wasCutByCap(usage, draft.head.maxOutputTokens);
}

/** A turn's groups and receipt, numbered as the ledger has it now: something may have been pinned since the turn was prepared. */
function numbered({ ledger }: Session, { groups, ids, receipt }: Draft): Pick<Draft, 'groups' | 'ids' | 'receipt'> {
  const late = ledger.nextSeq - (groups[0]?.seq ?? ledger.nextSeq);
  if (late === 0) return { groups, ids, receipt };
  const epoch = ids.epochId === undefined ? {} : { epochId: ids.epochId + late };
  return {
    groups: groups.map((group) => ({ ...group, seq: group.seq + late })),
    ids: { ...ids, ...epoch },
    receipt: { ...receipt, ...epoch },
  };
}

/** What accepting and keeping a turn have in common: its edits come into force, and what was asked of it is done with. */
function putInForce({ session }: TurnDeps, draft: Draft): Pick<Draft, 'groups' | 'ids' | 'receipt'> {
  const made = numbered(session, draft);
  // What a move to this branch dropped is the first of them.
  session.ledger.append(made.groups);
  session.pendingRewind = undefined;
  session.view = draft.view;
  // One asked for since waits for the next turn.
  if (session.manual === draft.manual) session.manual = undefined;
  if (session.snip === draft.snip) session.snip = undefined;
  session.notes = session.notes.filter((note) => !draft.notes.includes(note));
  session.answers.clear();
  return made;
}

/**
 * Puts a turn in force that is not sent. What was sent last stays what was sent; the meter's anchor is of an older version of the ledger from here on
 * and not used.
 */
export function commitKept(deps: TurnDeps, draft: Draft): Receipt {
  const { session } = deps;
  // A turn that carried out no request of the host's made room where the last reply found none.
  const madeRoom = draft.manual === undefined && draft.snip === undefined && session.pressedModel === draft.head.model;
  const { groups, ids, receipt } = putInForce(deps, draft);
  if (madeRoom) session.pressedModel = undefined;
  deps.emit({ type: 'turn-keep', ...ids, receipt, groups });
  return receipt;
}

/** The session's account with one more call. System and tools are taken to be what they were. */
function account({ economy, history, lastSent }: Session, { receipt, moment }: Draft): Economy {
  const { head, view } = receipt.tokens;
  const isFirst = lastSent === undefined;
  const size = {
    sentTokens: head + view,
    cachedTokens: isFirst ? 0 : head + receipt.cache.sharedTokens,
    appendOnlyTokens: head + history.tokens,
    appendOnlyCachedTokens: isFirst ? 0 : head + history.tokensBefore(lastSent.historyLength),
  };
  return afterCall(economy, size, moment);
}

/** Puts a turn in force. Throws `INVALID_REQUEST` where the reply cannot be read; nothing has changed then. */
export function commit(deps: TurnDeps, draft: Draft, reply: DecodedReply): Receipt {
  const { session } = deps;
  const entries = reply.message === undefined ? [] : [entryOf(reply.message, deps.codec, deps.count)];
  const { groups, ids, receipt: made } = putInForce(deps, draft);
  session.calls += 1;
  session.economy = account(session, draft);
  session.sentLength = session.history.length;
  session.pressedModel = isCutByWindow(draft, reply) ? draft.head.model : undefined;
  session.lastSent = {
    entries: draft.view.entries,
    messages: draft.messages,
    tokens: draft.view.tokens,
    historyLength: session.history.length,
  };
  // Only what the provider refused counts as forced; a reply that hints at little room does not.
  if (draft.attempt > 0) session.forcedCalls.push(session.calls);
  if (reply.usage !== undefined) observeUsage(deps, draft, reply);
  appendEntries(session, entries);
  const receipt: Receipt = reply.usage === undefined ? made : { ...made, usage: reply.usage };
  deps.emit({ type: 'turn-accept', ...ids, receipt, groups });
  return receipt;
}

/** Reports in a row that are believed to tell of a cut prompt; the compaction after the first should have ended it. */
const MAX_TRUNCATIONS = 1;

/** No window is so small that a prompt cut to it reports less, tokens: half of the smallest default of local servers. */
const MIN_CUT_TOKENS = 512;

/** Whether the provider seems to have cut the prompt without a word. */
function looksCut(deps: TurnDeps, draft: Draft, { stop, usage }: DecodedReply): Cut | undefined {
  const reportedTokens = usage?.inputTokens ?? 0;
  if (stop === 'window' || reportedTokens < MIN_CUT_TOKENS) return undefined;
  // A ratio above one may come from other text than this, and pictures are counted at their largest: only what the bare estimate of
  // the text vouches for is missed.
  const { history, meter } = deps.session;
  const text = Math.max(0, draft.estimatedTokens - history.mediaTokens);
  const estimatedTokens = Math.floor(text * Math.min(1, meter.ratio));
  const { windowTokens } = draft.receipt.window;
  const outputTokens = usage?.outputTokens ?? 0;
  const isCut = deps.errors.isSilentOverflow({ reportedTokens, estimatedTokens, windowTokens, stop, outputTokens });
  return isCut ? { reportedTokens, estimatedTokens } : undefined;
}

interface Cut {
  readonly reportedTokens: number;
  readonly estimatedTokens: number;
}

function observeUsage(deps: TurnDeps, draft: Draft, reply: DecodedReply): void {
  const { session } = deps;
  const { model } = draft.head;
  const cut = looksCut(deps, draft, reply);
  if (cut === undefined) {
    session.truncations.delete(model);
    const report = { seq: session.ledger.nextSeq, estimatedTokens: draft.estimatedTokens };
    session.meter = observe(session.meter, { ...report, reportedTokens: reply.usage?.inputTokens ?? 0 });
    return;
  }
  // A report of a cut prompt would teach the meter a wrong ratio.
  const seen = (session.truncations.get(model) ?? 0) + 1;
  session.truncations.set(model, seen);
  // The same again after a smaller prompt: it is the report that is wrong.
  if (seen > MAX_TRUNCATIONS) return;
  session.pressedModel = model;
  deps.emit({ type: 'silent-truncation', ...draft.ids, ...cut });
}
