/** How fast this machine parses JSON now: run at the beginning and at the end, the two tell how still it was. */
import type { Case, Row } from '../row.ts';
import { sessionJson } from '../session.ts';
import { median, percentile, timedRuns } from '../stats.ts';
import { SECTIONS } from '../sections.ts';

const RUNS = 9;

export const run: Case['run'] = async ({ size, subject }): Promise<readonly Row[]> => {
  const json = sessionJson(size);
  const megabytes = Buffer.byteLength(json) / 1e6;
  const times = await timedRuns(RUNS, () => json, JSON.parse);
  const values = {
    MB: megabytes,
    ms: median(times),
    'MB/s': (megabytes / median(times)) * 1_000,
    'spread %': ((percentile(times, 0.9) - percentile(times, 0.1)) / median(times)) * 100,
  };
  return [{ section: SECTIONS.parse, who: subject, size, values }];
};
