/** A compaction without a model: `compact()`, `prepare` with the code writer, by 100,000 tokens of what goes. */
import { contextOf, REQUEST } from '../host.ts';
import type { Case, Row } from '../row.ts';
import { sessionMessages } from '../session.ts';
import { median, percentile, timed } from '../stats.ts';
import { SECTIONS } from '../sections.ts';

const RUNS = 15;

/** Warm-up runs: the first compactions of a process are slower. */
const WARM_RUNS = 3;

export const run: Case['run'] = async ({ size, subject, calls = RUNS, begin }): Promise<readonly Row[]> => {
  const messages = sessionMessages(size);
  begin();
  const samples: number[] = [];
  let goneTokens = 0;
  let leftTokens = 0;
  for (let i = 0; i < calls + WARM_RUNS; i += 1) {
    // The history is appended at once, so that nothing has gone before.
    const context = contextOf({ windowTokens: 2_000_000 });
    context.append(messages);
    globalThis.gc?.();
    const before = context.view().tokens;
    context.compact();
    let left = 0;
    samples.push(await timed(async () => (left = (await context.prepare(REQUEST)).receipt.tokens.view)));
    [goneTokens, leftTokens] = [before - left, left];
  }
  const ms = samples.slice(WARM_RUNS);
  const values = {
    'tokens before': goneTokens + leftTokens,
    'tokens after': leftTokens,
    'p50 ms': median(ms),
    'p99 ms': percentile(ms, 0.99),
    'ms per 100k tokens': (median(ms) / (goneTokens + leftTokens)) * 100_000,
  };
  return [{ section: SECTIONS.compaction, who: subject, size, values }];
};
