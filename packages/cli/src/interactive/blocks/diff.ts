/** A short coloured difference of two texts, by lines: signs for those who see no colours. */
import { clip } from '../text/lines.ts';
import { sanitise } from '../text/sanitise.ts';
import type { Theme } from '../text/theme.ts';

interface Difference {
  readonly removed: readonly string[];
  readonly added: readonly string[];
  /** Equal lines before them. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** What lies between the equal lines at the start and at the end. */
export function differenceOf(oldText: string, newText: string): Difference {
  const old = oldText.split('\n');
  const fresh = newText.split('\n');
  const most = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < most && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < most - start && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) end += 1;
  return {
    removed: old.slice(start, old.length - end),
    added: fresh.slice(start, fresh.length - end),
    before: old.slice(0, start),
    after: end === 0 ? [] : old.slice(-end),
  };
}

export interface DiffOptions {
  readonly columns: number;
  readonly theme: Theme;
  /** Lines shown of each side. */
  readonly mostLines: number;
}

function side(lines: readonly string[], sign: string, most: number): readonly string[] {
  const shown = lines.slice(0, most).map((line) => `${sign} ${line.replaceAll('\t', '  ')}`);
  const more = lines.length - shown.length;
  return more > 0 ? [...shown, `${sign} … ${more} more lines`] : shown;
}

/** One line of context on each side, the removed lines, the added ones. */
export function diffLines(oldText: string, newText: string, options: DiffOptions): readonly string[] {
  const { columns, theme, mostLines } = options;
  const { removed, added, before, after } = differenceOf(sanitise(oldText), sanitise(newText));
  const context = (lines: readonly string[]): readonly string[] => side(lines, ' ', 1).map(theme.dim);
  const lines = [
    ...context(before.slice(-1)),
    ...side(removed, '-', mostLines).map(theme.red),
    ...side(added, '+', mostLines).map(theme.green),
    ...context(after.slice(0, 1)),
  ];
  return lines.map((line) => clip(`    ${line}`, columns));
}

/** A text that is all new. */
export function addedLines(content: string, { columns, theme, mostLines }: DiffOptions): readonly string[] {
  const lines = side(sanitise(content).split('\n'), '+', mostLines).map(theme.green);
  return lines.map((line) => clip(`    ${line}`, columns));
}
