/** Turns: one open at a time, settled by the reply or the error of the provider. */
import type { DecodedReply, Head } from '../core/codec.ts';
import { ContextError } from '../core/errors.ts';
import { observe } from '../core/meter.ts';
import { classifyError, isSilentOverflow } from '../core/overflow.ts';
import type { Receipt } from '../core/receipt.ts';
import type { Trigger } from '../core/step.ts';
import { type DraftOptions, draftTurn, type TurnDeps } from './draft.ts';
import { assertSmaller, noteOverflow, pressureTrigger } from './overflow.ts';
import { appendMessages } from './session.ts';
import { syncMessages } from './sync.ts';
import type { Draft, Turn } from './turn.ts';

export interface Turns {
  prepare(request: object, signal: AbortSignal | undefined): Promise<Turn<object, object>>;
  /** Forgets the open turn. */
  drop(): void;
  isOpen(): boolean;
  headTokens(head: Head): number;
}

/** Counts the head's texts once each; they hardly change over a session. */
function createHeadMeter(deps: TurnDeps): (head: Head) => number {
  const sizes = new Map<string, number>();
  return (head) => {
    if (sizes.size > 64) sizes.clear();
    return head.texts.reduce((sum, text) => {
      const known = sizes.get(text) ?? deps.count(text);
      sizes.set(text, known);
      return sum + known;
    }, 0);
  };
}

/** Puts a turn in force. */
function commit(deps: TurnDeps, draft: Draft, reply: DecodedReply): Receipt {
  const { session } = deps;
  session.ledger.append(draft.groups);
  session.view = draft.view;
  session.calls += 1;
  session.manual = undefined;
  session.isPressed = reply.stop === 'window';
  session.answers.clear();
  session.lastSent = { entries: [...draft.view.entries], messages: draft.messages, historyLength: session.history.length };
  if (draft.receipt.cause === 'overflow') session.forcedCalls.push(session.calls);
  if (reply.usage !== undefined) observeUsage(deps, draft, reply);
  if (reply.message !== undefined) appendMessages(session, [reply.message], deps);
  const receipt: Receipt = reply.usage === undefined ? draft.receipt : { ...draft.receipt, usage: reply.usage };
  deps.emit({ type: 'turn-accept', sessionId: deps.sessionId, turnId: draft.id, receipt, groups: draft.groups });
  return receipt;
}

function observeUsage(deps: TurnDeps, draft: Draft, reply: DecodedReply): void {
  const { session } = deps;
  const reportedTokens = reply.usage?.inputTokens ?? 0;
  const estimatedTokens = draft.receipt.tokens.calibrated;
  const isCut = isSilentOverflow({
    reportedTokens,
    estimatedTokens,
    windowTokens: draft.receipt.window.windowTokens,
    stop: reply.stop,
    outputTokens: reply.usage?.outputTokens ?? 0,
  });
  if (isCut) {
    // A report of a cut prompt would teach the meter a wrong ratio.
    session.isPressed = true;
    deps.emit({ type: 'silent-truncation', sessionId: deps.sessionId, turnId: draft.id, reportedTokens, estimatedTokens });
    return;
  }
  session.meter = observe(session.meter, { seq: session.ledger.nextSeq, estimatedTokens: draft.estimatedTokens, reportedTokens });
}

export function createTurns(deps: TurnDeps): Turns {
  const { session } = deps;
  const headTokens = createHeadMeter(deps);
  let open: Draft | undefined;
  let turnNumber = 0;

  const build = async (options: Omit<DraftOptions, 'id' | 'headTokens'>): Promise<Draft> => {
    turnNumber += 1;
    const size = headTokens(deps.codec.head(options.request));
    open = await draftTurn(deps, { ...options, id: `t${turnNumber}`, headTokens: size });
    return open;
  };

  const settle = (draft: Draft): void => {
    if (open !== draft) throw new ContextError('TURN_SETTLED', `turn ${draft.id} was settled already or a newer one exists; prepare again`);
    open = undefined;
  };

  const fail = async (draft: Draft, error: unknown): Promise<Turn<object, object> | undefined> => {
    settle(draft);
    const known = classifyError(error);
    const isTooLarge = known.kind === 'overflow' || (known.kind === 'rate' && known.shrinkWouldHelp);
    if (!isTooLarge) {
      deps.flush();
      return undefined;
    }
    const trigger = noteOverflow(deps, draft, { known, error });
    const next = await build({ request: draft.original, trigger, attempt: draft.attempt + 1, signal: draft.signal });
    assertSmaller(draft, next, error);
    return started(next);
  };

  const started = (draft: Draft): Turn<object, object> => {
    deps.emit({ type: 'turn-start', sessionId: deps.sessionId, turnId: draft.id, receipt: draft.receipt });
    return turnOf(draft);
  };

  const turnOf = (draft: Draft): Turn<object, object> => ({
    id: draft.id,
    request: draft.request,
    receipt: draft.receipt,
    accept: (reply) =>
      deps.serial(async () => {
        settle(draft);
        const receipt = commit(deps, draft, deps.codec.reply(reply));
        deps.flush();
        return receipt;
      }),
    fail: (error) => deps.serial(() => fail(draft, error)),
  });

  const triggerOf = (request: object): Trigger | undefined => {
    if (session.manual !== undefined) return { kind: 'manual', ...session.manual };
    if (!session.isPressed) return undefined;
    const head = deps.codec.head(request);
    return pressureTrigger(deps, deps.windowFor(head), headTokens(head));
  };

  return {
    prepare: async (request, signal) => {
      open = undefined;
      deps.flush();
      const messages = deps.codec.messages(request);
      if (messages.length > 0) syncMessages(session, messages, deps);
      return started(await build({ request, trigger: triggerOf(request), attempt: 0, signal }));
    },
    drop: () => {
      open = undefined;
    },
    isOpen: () => open !== undefined,
    headTokens,
  };
}
