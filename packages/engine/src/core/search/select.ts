/** Chooses the sources to show and, line by line, as much of each as a budget allows; no line counts twice. */
import type { Count } from '../view.ts';
import { bareLine, type Candidate } from './weigh.ts';

/** Lines of one source to show, ascending. */
export interface Selection {
  readonly candidate: Candidate;
  readonly lines: readonly number[];
}

export interface SelectOptions {
  readonly maxHits: number;
  readonly maxTokens: number;
  readonly count: Count;
  /** Tokens of a hit beside its lines. */
  readonly headerTokens: (candidate: Candidate) => number;
  /** What a line is worth of its neighbour's worth. */
  readonly reach: number;
}

/** Around a match, context comes after all other matches; of a file asked for by name it counts as much as lines less worked on. Best of four on a real session. */
export const MATCH_REACH = 0.2;
export const FILE_REACH = 0.5;

/** Longer lines are cut around what matches. */
export const MAX_LINE_CHARS = 400;

/** Lines this far from any of worth are not shown. */
const MAX_REACH_LINES = 12;

function addTo(covered: Set<string>, { lines, weights }: Candidate): number {
  let worth = 0;
  lines.forEach((line, index) => {
    const weight = weights[index] ?? 0;
    const bare = weight === 0 ? '' : bareLine(line);
    if (weight === 0 || covered.has(bare)) return;
    covered.add(bare);
    worth += weight;
  });
  return worth;
}

/** The sources that add most, one after the other: what one shows counts for no other. */
function chooseSources(candidates: readonly Candidate[], maxHits: number): readonly Candidate[] {
  let covered = new Set<string>();
  const chosen: Candidate[] = [];
  while (chosen.length < maxHits) {
    let best: { candidate: Candidate; worth: number; covered: Set<string> } | undefined;
    for (const candidate of candidates) {
      if (chosen.includes(candidate)) continue;
      const after = new Set(covered);
      const worth = addTo(after, candidate);
      if (worth > (best?.worth ?? 0)) best = { candidate, worth, covered: after };
    }
    if (best === undefined) break;
    chosen.push(best.candidate);
    covered = best.covered;
  }
  return chosen;
}

/** What each line is worth with the lines around it. */
function spread(weights: readonly number[], reach: number): readonly number[] {
  const worth = [...weights];
  const from = weights.map((weight, index) => (weight > 0 ? index : Number.NEGATIVE_INFINITY));
  const pass = (index: number, beside: number): void => {
    const near = (worth[beside] ?? 0) * reach;
    const origin = from[beside] ?? Number.NEGATIVE_INFINITY;
    if (near <= (worth[index] ?? 0) || Math.abs(index - origin) > MAX_REACH_LINES) return;
    worth[index] = near;
    from[index] = origin;
  };
  for (let index = 1; index < worth.length; index += 1) pass(index, index - 1);
  for (let index = worth.length - 2; index >= 0; index -= 1) pass(index, index + 1);
  return worth;
}

interface Offer {
  readonly hit: number;
  readonly line: number;
  readonly worth: number;
}

/** Every line that may be shown, worth most first; a telling line only where it stands first. */
function offersOf(chosen: readonly Candidate[], reach: number): readonly Offer[] {
  const seen = new Set<string>();
  const offers = chosen.flatMap(({ lines, weights }, hit) => {
    const worth = spread(weights, reach);
    return lines.map((line, index): Offer => {
      if ((weights[index] ?? 0) === 0) return { hit, line: index, worth: worth[index] ?? 0 };
      const bare = bareLine(line);
      const isRepeated = seen.has(bare);
      seen.add(bare);
      return { hit, line: index, worth: isRepeated ? 0 : (worth[index] ?? 0) };
    });
  });
  return offers.filter(({ worth }) => worth > 0).toSorted((a, b) => b.worth - a.worth);
}

/** In order, without blank lines at the ends. */
function trimmed(lines: readonly number[], candidate: Candidate): readonly number[] {
  const sorted = lines.toSorted((a, b) => a - b);
  const isTold = (line: number): boolean => candidate.lines[line]?.trim() !== '';
  return sorted.slice(sorted.findIndex(isTold), sorted.findLastIndex(isTold) + 1);
}

export function select(candidates: readonly Candidate[], options: SelectOptions): readonly Selection[] {
  const { maxHits, maxTokens, count, headerTokens, reach } = options;
  const chosen = chooseSources(candidates, maxHits).map((candidate) => ({ candidate, lines: [] as number[] }));
  let tokens = 0;
  for (const { hit, line } of offersOf(
    chosen.map(({ candidate }) => candidate),
    reach,
  )) {
    const { candidate, lines } = chosen[hit] ?? {};
    if (candidate === undefined || lines === undefined) continue;
    const header = lines.length === 0 ? headerTokens(candidate) : 0;
    // One more for the line break, or for the mark of a gap.
    const cost = header + count((candidate.lines[line] ?? '').slice(0, MAX_LINE_CHARS)) + 1;
    if (tokens + cost > maxTokens) continue;
    tokens += cost;
    lines.push(line);
  }
  return chosen
    .map(({ candidate, lines }) => ({ candidate, lines: trimmed(lines, candidate) }))
    .filter(({ lines }) => lines.length > 0);
}
