/** The harness of `npm run bench`, on small histories and without the peers, which are not installed here. */
import { describe, expect, it } from 'vitest';
import { run as cold } from '../bench/src/cases/cold.ts';
import { run as compaction } from '../bench/src/cases/compaction.ts';
import { run as search } from '../bench/src/cases/search.ts';
import { run as turns } from '../bench/src/cases/turns.ts';
import { run as wholeArray } from '../bench/src/cases/whole-array.ts';
import { contextOf, feed } from '../bench/src/host.ts';
import { missed, shown } from '../bench/src/limits.ts';
import type { Row } from '../bench/src/row.ts';
import { session, sessionMessages } from '../bench/src/session.ts';
import { exponent, median, percentile } from '../bench/src/stats.ts';
import { sectionText } from '../bench/src/table.ts';

const CASES = { cold, compaction, search, 'whole array': wholeArray };

const OPTIONS = { size: 200, subject: 'holdover', calls: 5, begin: () => {} };

describe('cases', () => {
  it.each(Object.entries(CASES))('%s: gives finite times', async (_name, run) => {
    const rows = await run(OPTIONS);
    expect(rows.length).toBeGreaterThan(0);
    for (const { values } of rows) {
      expect(Object.keys(values)).toContain(values['p50 ms'] === undefined ? 'build ms' : 'p50 ms');
      expect(Object.values(values).every((value) => Number.isFinite(value) && value >= 0)).toBe(true);
    }
  });

  it.each(['classic', 'economic'])('turns under %s: every call timed has two new messages', async (subject) => {
    const [row] = await turns({ ...OPTIONS, subject });
    expect(row).toMatchObject({ who: subject, values: { calls: 5 } });
    expect(row?.values['p50 ms']).toBeGreaterThan(0);
  });
});

describe('the session', () => {
  it('is the same in every run', () => {
    expect(sessionMessages(300)).toEqual(sessionMessages(300));
  });

  it('keeps pairing: a context takes it without a repair', async () => {
    const context = contextOf();
    await feed(context, sessionMessages(400));
    expect(context.history()).toHaveLength(400);
    expect(context.groups().filter(({ cause }) => cause === 'repair')).toEqual([]);
  });

  it('is made of the corpus it is given', () => {
    const line = 'the quick brown fox jumps over the lazy dog\n';
    const [first] = session(1, { name: 'a line', text: line.repeat(1_000) });
    expect(first?.content).toMatch(/^the quick brown fox/);
  });
});

describe('sums', () => {
  it('percentiles are by nearest rank', () => {
    const samples = [5, 1, 4, 2, 3];
    expect([median(samples), percentile(samples, 0.99), percentile(samples, 0.2)]).toEqual([3, 5, 1]);
    expect(median([])).toBeNaN();
  });

  it('the exponent of constant time is 0, of linear time 1, of quadratic time 2', () => {
    const growing = (power: number): number =>
      exponent([1_000, 10_000, 100_000].map((size) => [size, 3 * size ** power] as const));
    expect([0, 1, 2].map((power) => Number(growing(power).toFixed(6)))).toEqual([0, 1, 2]);
  });
});

describe('figures', () => {
  const limit = { section: 'prepare', who: 'holdover', size: 1_000, value: 'p50 ms', max: 0.1 };
  const row: Row = { section: 'prepare', who: 'holdover', size: 1_000, values: { 'p50 ms': 0.1 } };

  it('one that is reached says nothing', () => {
    expect(missed([row], [limit])).toEqual([]);
  });

  it('one that is missed, was stopped or was not measured has a line', () => {
    const name = 'prepare / holdover / 1,000 / p50 ms';
    expect(missed([{ ...row, values: { 'p50 ms': 0.25 } }], [limit])).toEqual([`${name}: 0.25, at most 0.1`]);
    expect(missed([{ ...row, values: {}, note: '> 60 s' }], [limit])).toEqual([`${name}: > 60 s, at most 0.1`]);
    expect(missed([{ ...row, size: 10 }], [limit])).toEqual([`${name}: not measured, at most 0.1`]);
  });

  it('numbers are shown in about three digits', () => {
    expect([0.012345, 1 / 6, 3.1415, 42.42, 640, 132_071.4, Number.NaN].map(shown)).toEqual([
      '0.0123',
      '0.167',
      '3.14',
      '42.4',
      '640',
      '132,071',
      '-',
    ]);
  });

  it('a section is a table', () => {
    const rows: readonly Row[] = [row, { section: 'prepare', who: 'peer', size: 10_000, values: {}, note: '> 60 s' }];
    expect(sectionText('prepare', rows)).toBe(
      [
        'prepare',
        '            messages  p50 ms',
        '  holdover     1,000     0.1',
        '  peer        10,000          > 60 s',
      ].join('\n'),
    );
  });
});
