/** How the window is used by a request, were it sent now. Changes nothing. */
import { type BreakdownCategory, breakdownOf } from '../core/breakdown.ts';
import type { Head, HeadPart } from '../core/codec.ts';
import { calibrated } from '../core/meter.ts';
import type { Policy } from '../core/policy.ts';
import type { Wire } from '../core/entry.ts';
import type { Window } from '../core/window.ts';
import { appendMessages, type Session } from './session.ts';
import { syncMessages, type SyncTools } from './sync.ts';

/** How a window is used by one request, tokens. */
export interface Breakdown {
  /** The whole request as the meter expects it to be billed: the sum of the categories. */
  readonly totalTokens: number;
  readonly windowTokens: number;
  /** Set aside for the reply. */
  readonly reservedOutputTokens: number;
  /** Where a compaction is due. */
  readonly actTokens: number;
  /** Where requests stop. */
  readonly blockTokens: number;
  /** What neither the request nor the reply's reserve takes; 0 where they are over the window. */
  readonly freeTokens: number;
  /** How far the next compaction is, by the policy's own estimate, which may be the bare one. */
  readonly untilCompactionTokens: number;
  /** Those that are not empty: `system prompt`, `tools`, `mcp tools`, `user messages`, … in a fixed order. */
  readonly categories: readonly BreakdownCategory[];
}

export interface BreakdownDeps extends SyncTools {
  readonly session: Session;
  /** Messages that wait for the open turn to be settled. */
  readonly waiting: readonly Wire[];
  readonly policy: Policy;
  readonly windowFor: (head: Head) => Window;
  readonly headTokens: (head: Head) => number;
}

/** The session as it would be with what waits and the caller's array, on a copy of its own. */
export function synced(
  { session, waiting, ...tools }: Pick<BreakdownDeps, 'session' | 'waiting' | keyof SyncTools>,
  messages: readonly Wire[],
): Session {
  if (messages.length === 0 && waiting.length === 0) return session;
  const { history, view } = session;
  const copy = { ...session, history: history.fork(history.length), view: { ...view, entries: [...view.entries] } };
  appendMessages(copy, waiting, tools);
  if (messages.length > 0) syncMessages(copy, messages, tools);
  return copy;
}

function partsOf({ parts, texts }: Head): readonly HeadPart[] {
  return parts ?? texts.map((text) => ({ kind: 'system', text }));
}

export function breakdown(deps: BreakdownDeps, request: object): Breakdown {
  const { codec, count, policy } = deps;
  const head = codec.head(request);
  const { history, view, meter, ledger } = synced(deps, codec.messages(request));
  const { windowTokens, effectiveTokens, actTokens, blockTokens } = deps.windowFor(head);
  const bareTokens = deps.headTokens(head) + view.tokens;
  const totalTokens = calibrated(meter, bareTokens, ledger.nextSeq);
  const reservedOutputTokens = windowTokens - effectiveTokens;
  return {
    totalTokens,
    windowTokens,
    reservedOutputTokens,
    actTokens,
    blockTokens,
    freeTokens: Math.max(0, effectiveTokens - totalTokens),
    untilCompactionTokens: Math.max(0, actTokens - (policy.isCalibrated ? totalTokens : bareTokens)),
    categories: breakdownOf({ parts: partsOf(head), history, view, count, totalTokens }),
  };
}
