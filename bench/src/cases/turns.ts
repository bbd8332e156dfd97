/** `prepare` after two new messages, of a history that was fed turn by turn. */
import { type BenchContext, contextOf, feed, type TurnTimes } from '../host.ts';
import { POLICIES } from '../policies.ts';
import { type Case, DEFAULT_CALLS, type Row } from '../row.ts';
import { sessionMessages } from '../session.ts';
import { median, percentile } from '../stats.ts';
import { SECTIONS } from '../sections.ts';

/** Most messages that are fed to another context before the first timed call, so that the code is compiled. */
const WARM_MESSAGES = 2_000;

export const run: Case['run'] = async ({ size, subject, calls = DEFAULT_CALLS, begin }): Promise<readonly Row[]> => {
  const policy = POLICIES[subject];
  if (policy === undefined) throw new RangeError(`no policy ${subject}; there are ${Object.keys(POLICIES).join(', ')}`);
  const made = (): BenchContext => contextOf({ policy });
  const warm = Math.min(WARM_MESSAGES, 2 * size);
  const messages = sessionMessages(Math.max(size, warm) + 3 * calls);
  begin();
  await feed(made(), messages.slice(0, warm));
  const context = made();
  await feed(context, messages.slice(0, size));
  globalThis.gc?.();
  const times: TurnTimes[] = [];
  // Both sides take turns in a session, so that every call has exactly two new messages: the reply, and what was said to it.
  await feed(context, messages.slice(size, size + 2 * calls + 2), (turn) => times.push(turn));
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
