/** Search by words over a session, as the recall tool does it. */
import { contextOf, REQUEST } from '../host.ts';
import { seeded } from '../random.ts';
import { type Case, DEFAULT_CALLS, type Row } from '../row.ts';
import { sessionJson, type Message } from '../session.ts';
import { median, percentile, timed } from '../stats.ts';
import { SECTIONS } from '../sections.ts';

/** Names as they stand in the text: letters with a dash, an underscore or a hump in them. */
const NAMES = /[A-Za-z]{3,}(?:[-_][a-z]{3,}|[A-Z][a-z]{2,})+/g;

export const run: Case['run'] = async ({ size, subject, calls = DEFAULT_CALLS, begin }): Promise<readonly Row[]> => {
  const json = sessionJson(size);
  const names = [...new Set(json.match(NAMES) ?? [])];
  const next = seeded(7);
  const context = contextOf();
  context.append(JSON.parse(json) as Message[]);
  // What stands in view is not searched.
  context.compact();
  await (await context.prepare(REQUEST)).keep();
  begin();
  const samples: number[] = [];
  for (let i = 0; i < calls; i += 1) {
    const query = names[Math.floor(next() * names.length)] ?? 'main';
    samples.push(await timed(() => context.search(query)));
  }
  const values = {
    MB: Buffer.byteLength(json) / 1e6,
    'p50 ms': median(samples),
    'p95 ms': percentile(samples, 0.95),
    calls: samples.length,
  };
  return [{ section: SECTIONS.search, who: subject, size, values }];
};
