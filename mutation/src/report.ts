/** The table, the figures that must be reached, and the survivors that are explained. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Judged, Result } from './results.ts';

const CORE = 'packages/engine/src/core/';
/** Share of mutants that must die in each of these files. */
const FILES: Readonly<Record<string, number>> = { 'verify.ts': 0.85, 'view.ts': 0.85, 'ledger.ts': 0.85 };
/** The same over all files of the core together. */
const CORE_SHARE = 0.8;

interface Counts {
  readonly killed: number;
  readonly survived: number;
  readonly uncovered: number;
  readonly timeout: number;
}

function countsOf(mutants: readonly Judged[]): Counts {
  const count = (status: Judged['status']): number => mutants.filter((mutant) => mutant.status === status).length;
  return {
    killed: count('killed'),
    survived: count('survived'),
    uncovered: count('uncovered'),
    timeout: count('timeout'),
  };
}

/** Killed or hung, of all; 1 where there is nothing to kill. */
function shareOf({ killed, survived, uncovered, timeout }: Counts): number {
  const all = killed + survived + uncovered + timeout;
  return all === 0 ? 1 : (killed + timeout) / all;
}

/** One decimal, rounded down: a share below a figure is never shown as the figure. */
function percent(share: number): string {
  return `${(Math.floor(share * 1000) / 10).toFixed(1)} %`;
}

export function table(results: readonly Result[]): string {
  const rows = results.map(({ file, mutants }) => ({ name: file.slice(CORE.length), ...countsOf(mutants) }));
  const all = { name: 'all', ...countsOf(results.flatMap(({ mutants }) => mutants)) };
  const width = Math.max(...rows.map(({ name }) => name.length), 4);
  const head = `${'file'.padEnd(width)}  killed  timeout  survived  no coverage    share`;
  const lines = [...rows, all].map(
    (row) =>
      `${row.name.padEnd(width)}  ${String(row.killed).padStart(6)}  ${String(row.timeout).padStart(7)}  ${String(row.survived).padStart(8)}  ${String(row.uncovered).padStart(11)}  ${percent(shareOf(row)).padStart(7)}`,
  );
  return [head, ...lines].join('\n');
}

/** A line for each figure that is missed. The core as a whole is judged only where all of it was run. */
export function missed(results: readonly Result[], isWhole: boolean): readonly string[] {
  const single = results.flatMap(({ file, mutants }) => {
    const due = FILES[file.slice(CORE.length)];
    const share = shareOf(countsOf(mutants));
    return due === undefined || share >= due
      ? []
      : [`${file}: ${percent(share)} of its mutants die, ${percent(due)} are due`];
  });
  const share = shareOf(countsOf(results.flatMap(({ mutants }) => mutants)));
  if (!isWhole || share >= CORE_SHARE) return single;
  return [...single, `${CORE}: ${percent(share)} of the mutants die, ${percent(CORE_SHARE)} are due`];
}

/** A survivor by its text: lines move. */
function textOf({ mutator, original, replacement }: Judged): string {
  return `${mutator}: ${original} -> ${replacement}`;
}

export function alive({ file, mutants }: Result): readonly string[] {
  return mutants
    .filter(({ status }) => status === 'survived' || status === 'uncovered')
    .map(
      (mutant) => `${file}:${mutant.line} ${textOf(mutant)}${mutant.status === 'uncovered' ? ' (no coverage)' : ''}`,
    );
}

/** Why survivors live: by file and text of the mutant, a reason each; ` (2)` behind the text of the second that reads the same. */
type Explained = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Texts of the living, made different where they read the same. */
function namesOfLiving({ mutants }: Result): readonly string[] {
  const seen = new Map<string, number>();
  return mutants
    .filter(({ status }) => status !== 'killed' && status !== 'timeout')
    .map((mutant) => {
      const text = textOf(mutant);
      const number = (seen.get(text) ?? 0) + 1;
      seen.set(text, number);
      return number === 1 ? text : `${text} (${number})`;
    });
}

/** Survivors of explained files without a reason, and reasons whose survivor is gone. */
export function unexplained(root: string, results: readonly Result[]): readonly string[] {
  const explained = JSON.parse(readFileSync(join(root, 'mutation/survivors.json'), 'utf8')) as Explained;
  return results.flatMap((result) => {
    const { file } = result;
    const reasons = explained[file];
    if (reasons === undefined && FILES[file.slice(CORE.length)] === undefined) return [];
    const living = namesOfLiving(result);
    const listed = Object.keys(reasons ?? {});
    return [
      ...living.filter((text) => !listed.includes(text)).map((text) => `${file}: not explained: ${text}`),
      ...listed.filter((text) => !living.includes(text)).map((text) => `${file}: explained, but not alive: ${text}`),
    ];
  });
}
