/** What the peers do to a window that is full, without a model: llmtrim's compression of the same request. */
import { compress } from '@llmtrim/js';
import { REQUEST } from '../host.ts';
import type { Case, Row } from '../row.ts';
import { sessionMessages } from '../session.ts';
import { median, percentile, timed } from '../stats.ts';
import { SECTIONS } from '../sections.ts';

const RUNS = 9;

export const run: Case['run'] = async ({ size, subject, calls = RUNS, begin }): Promise<readonly Row[]> => {
  const request = JSON.stringify({ ...REQUEST, messages: sessionMessages(size) });
  begin();
  const samples: number[] = [];
  let [before, after] = [0, 0];
  for (let i = 0; i <= calls; i += 1) {
    samples.push(
      await timed(() => {
        const done = compress(request, 'anthropic', 'agent');
        [before, after] = [done.input_tokens_before, done.input_tokens_after];
      }),
    );
  }
  const ms = samples.slice(1);
  const values = {
    'tokens before': before,
    'tokens after': after,
    'p50 ms': median(ms),
    'p99 ms': percentile(ms, 0.99),
    'ms per 100k tokens': (median(ms) / before) * 100_000,
  };
  return [{ section: SECTIONS.compaction, who: subject, size, values }];
};
