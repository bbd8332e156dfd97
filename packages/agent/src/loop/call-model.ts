/** One model call to its end: overflow, rate limits, overload and cut streams are recovered here, by bounded attempts each. */
import type { Context, DecodedReply, Turn } from '@holdover/engine';
import type { Provider } from '../providers/provider.ts';
import type { AgentEvent } from './events.ts';
import { reasonOf, type RetryPorts, waitBefore } from './retry.ts';

export interface CallOptions extends RetryPorts {
  readonly context: Context<object, object>;
  readonly provider: Provider;
  readonly signal: AbortSignal;
  readonly emit: (event: AgentEvent) => void;
}

export interface Called {
  readonly turn: Turn<object, object>;
  readonly reply: object;
  readonly decoded: DecodedReply;
}

/** What to do after an error: the next turn to send, after a wait where one helps. Rejects with the error where nothing does. */
async function recover(
  turn: Turn<object, object>,
  error: unknown,
  options: CallOptions & { readonly attempt: number },
): Promise<Turn<object, object>> {
  const { signal, attempt, random, sleep, emit } = options;
  // The SDKs have errors of their own for this; callers see the signal's reason everywhere.
  signal.throwIfAborted();
  const waitMs = waitBefore(attempt, error, random);
  if (waitMs !== undefined) {
    emit({ type: 'request-retry', reason: reasonOf(error), attempt, waitMs });
    await sleep(waitMs, signal);
    return turn;
  }
  const smaller = await turn.fail(error);
  if (smaller === undefined) throw error;
  return smaller;
}

/** Sends `request` until a reply came. The turn is left open: the caller accepts or drops it. */
export async function callModel(request: object, options: CallOptions): Promise<Called> {
  const { context, provider, signal, emit } = options;
  let turn = await context.prepare(request, { signal });
  for (let attempt = 1; ; attempt += 1) {
    let cutReply: object;
    try {
      const reply = await provider.send(turn.request, {
        signal,
        onText: (delta) => emit({ type: 'text-delta', delta }),
      });
      const decoded = provider.codec.reply(reply);
      if (decoded.stop !== 'window') return { turn, reply, decoded };
      cutReply = reply;
    } catch (error) {
      turn = await recover(turn, error, { ...options, attempt });
      continue;
    }
    // Half a reply would need a message of ours to go on from: ask again with more room instead.
    turn = await turn.cut(cutReply);
  }
}
