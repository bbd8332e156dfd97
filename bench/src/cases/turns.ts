/** `prepare` after two new messages, of a history that was fed turn by turn. */
import { contextOf, feed, type TurnTimes } from '../host.ts';
import { type Case, DEFAULT_CALLS, type Row } from '../row.ts';
import { type Message, sessionMessages } from '../session.ts';
import { median, percentile } from '../stats.ts';
import { SECTIONS } from '../sections.ts';

/** Rounds only: each model message is followed by one of the user's side, so that every call has exactly two new messages. */
function* pairsOf(messages: readonly Message[]): Generator<Message> {
  for (const [index, message] of messages.entries()) {
    const next = messages[index + 1];
    if (message.role === 'assistant' && next?.role === 'user') yield* [message, next];
  }
}

/** Most messages that are fed to another context before the first timed call, so that the code is compiled. */
const WARM_MESSAGES = 2_000;

export const run: Case['run'] = async ({ size, subject, calls = DEFAULT_CALLS, begin }): Promise<readonly Row[]> => {
  const warm = Math.min(WARM_MESSAGES, 2 * size);
  const messages = sessionMessages(Math.max(size, warm) + 3 * calls);
  begin();
  await feed(contextOf(), messages.slice(0, warm));
  const context = contextOf();
  await feed(context, messages.slice(0, size));
  globalThis.gc?.();
  const times: TurnTimes[] = [];
  const fresh = [...pairsOf(messages.slice(size))].slice(1, 2 * calls + 1);
  await feed(context, fresh, (turn) => times.push(turn));
  // The first call takes in what the history ended with.
  const timed = times.slice(1);
  const prepareMs = timed.map((turn) => turn.prepareMs);
  const wholeMs = timed.map((turn) => turn.prepareMs + turn.acceptMs);
  const values = {
    'p50 ms': median(prepareMs),
    'p99 ms': percentile(prepareMs, 0.99),
    'with accept p50': median(wholeMs),
    'with accept p99': percentile(wholeMs, 0.99),
    calls: timed.length,
  };
  return [{ section: SECTIONS.turns, who: subject, size, values }];
};
