/** One model call to its end: overflow, rate limits, overload and cut streams are recovered here, by bounded attempts each. */
import { classifyError, type Context, type DecodedReply, type Turn } from '@holdover/engine';
import type { Provider } from '../providers/provider.ts';
import type { AgentEvent } from './events.ts';
import { type Fallback, MAX_OVERLOADS, reasonOf, type RetryPorts, waitBefore } from './retry.ts';

export interface CallOptions extends RetryPorts {
  readonly context: Context<object, object>;
  readonly provider: Provider;
  readonly signal: AbortSignal;
  readonly emit: (event: AgentEvent) => void;
  /** Absent: an overloaded model is waited for. */
  readonly fallback?: Fallback;
}

export interface Called {
  readonly turn: Turn<object, object>;
  readonly reply: object;
  readonly decoded: DecodedReply;
}

/** `request` for the model that answers in this run by now. */
export function requestInForce(
  request: object,
  { provider, fallback }: Pick<CallOptions, 'provider' | 'fallback'>,
): object {
  return fallback?.isInForce === true ? provider.withModel(request, fallback.model) : request;
}

interface Tries {
  turn: Turn<object, object>;
  /** From 1; begins anew with another model. */
  attempt: number;
  overloads: number;
}

/** Hands the run over to the fallback; false where there is none, or it is in force already. */
async function handOver(tries: Tries, request: object, options: CallOptions): Promise<boolean> {
  const { fallback, context, provider, signal, emit } = options;
  if (fallback === undefined || fallback.isInForce === true || tries.overloads < MAX_OVERLOADS) return false;
  const from = provider.codec.head(request).model;
  if (from === fallback.model) return false;
  fallback.isInForce = true;
  emit({ type: 'fallback', from, to: fallback.model });
  // Prepared for the other model's window: what does not fit there is compacted first.
  tries.turn = await context.prepare(requestInForce(request, options), { signal });
  tries.attempt = 0;
  tries.overloads = 0;
  return true;
}

/** What to do after an error: the next turn to send, after a wait where one helps. Rejects with the error where nothing does. */
async function recover(
  tries: Tries,
  error: unknown,
  options: CallOptions & { readonly request: object },
): Promise<void> {
  const { signal, sleep, emit, request } = options;
  // The SDKs have errors of their own for this; callers see the signal's reason everywhere.
  signal.throwIfAborted();
  tries.overloads = classifyError(error).kind === 'overloaded' ? tries.overloads + 1 : 0;
  if (await handOver(tries, request, options)) return;
  const waitMs = waitBefore(tries.attempt, error, options);
  if (waitMs !== undefined) {
    emit({ type: 'request-retry', reason: reasonOf(error), attempt: tries.attempt, waitMs });
    await sleep(waitMs, signal);
    return;
  }
  const smaller = await tries.turn.fail(error);
  if (smaller === undefined) throw error;
  tries.turn = smaller;
}

/** Sends `request` until a reply came. The turn is left open: the caller accepts or drops it. */
export async function callModel(request: object, options: CallOptions): Promise<Called> {
  const { context, provider, signal, emit } = options;
  const turn = await context.prepare(requestInForce(request, options), { signal });
  const tries: Tries = { turn, attempt: 1, overloads: 0 };
  for (; ; tries.attempt += 1) {
    let cutReply: object;
    try {
      const reply = await provider.send(tries.turn.request, {
        signal,
        onText: (delta) => emit({ type: 'text-delta', delta }),
        onReasoning: (delta) => emit({ type: 'reasoning-delta', delta }),
        onNotice: (text) => emit({ type: 'notice', text }),
      });
      const decoded = provider.codec.reply(reply);
      if (decoded.stop !== 'window') return { turn: tries.turn, reply, decoded };
      cutReply = reply;
    } catch (error) {
      await recover(tries, error, { ...options, request });
      continue;
    }
    // Half a reply would need a message of ours to go on from: ask again with more room instead.
    tries.turn = await tries.turn.cut(cutReply);
  }
}
