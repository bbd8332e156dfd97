/**
 * `npm run bench`: the engine beside its peers, each measurement in a process of its own. `npm run bench -- turns cold` runs those whose section, subject
 * or file has one of the words. Prints a table, writes `results/latest.json`, and ends with 1 and a line for each figure that was missed.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { ROOT, sessionCorpus } from './corpus.ts';
import { type Job, runJob } from './job.ts';
import { JOBS, SIZES } from './jobs.ts';
import { LIMITS, missed } from './limits.ts';
import type { Row } from './row.ts';
import { exponent } from './stats.ts';
import { sectionText } from './table.ts';

const words = process.argv.slice(2);

function isWanted({ file, section, subject }: Job): boolean {
  return words.length === 0 || words.some((word) => `${file} ${section} ${subject}`.includes(word));
}

/** How the median of a section grows with the history, for those measured at every size. */
function growthOf(rows: readonly Row[]): readonly Row[] {
  const timed = rows.filter((row) => row.section.startsWith('prepare') && row.values['p50 ms'] !== undefined);
  const names = new Set(timed.map(({ section, who }) => `${section}\n${who}`));
  return [...names].flatMap((name) => {
    const [section = '', who = ''] = name.split('\n');
    const own = timed.filter((row) => row.section === section && row.who === who);
    if (own.length < SIZES.length) return [];
    const value = exponent(own.map(({ size = 1, values }) => [size, values['p50 ms'] ?? 0]));
    return [{ section, who: `${who}, growth`, values: { exponent: value } }];
  });
}

const jobs = JOBS.filter(isWanted);
const rows: Row[] = [];
for (const [index, job] of jobs.entries()) {
  const size = job.size === undefined ? '' : `, ${job.size.toLocaleString('en')} messages`;
  process.stderr.write(`${index + 1}/${jobs.length} ${job.section}: ${job.subject}${size}\n`);
  rows.push(...(await runJob(job)));
}
rows.push(...growthOf(rows));

const sections = [...new Set(rows.map(({ section }) => section))];
const machine = `Node ${process.versions.node}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}`;
console.log(`${machine}; messages made of ${sessionCorpus().name}\n`);
for (const section of sections)
  console.log(
    `${sectionText(
      section,
      rows.filter((row) => row.section === section),
    )}\n`,
  );

const measured = words.length === 0 ? LIMITS : LIMITS.filter((limit) => sections.includes(limit.section));
const failures = missed(rows, measured);
const folder = join(ROOT, 'bench', 'results');
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'latest.json'), `${JSON.stringify({ v: 1, machine, rows, missed: failures }, null, 2)}\n`);
console.log(failures.length === 0 ? 'every figure was reached' : failures.map((line) => `MISSED: ${line}`).join('\n'));
process.exitCode = failures.length === 0 ? 0 : 1;
