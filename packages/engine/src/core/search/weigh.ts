/** How much each line of a source is worth to who asks: the lines that match, or, of a file asked for by name, those that were worked on last. */
import type { Query } from './query.ts';
import type { Source } from './sources.ts';

/** A source that may be shown, with its lines and what each is worth; 0 for lines that are only context. */
export interface Candidate {
  readonly source: Source;
  readonly lines: readonly string[];
  readonly weights: readonly number[];
}

/** A source with this many newer ones that match counts half. */
const HALF_AGE = 12;

/** What a call wrote is newer than what was read before it, and both are nearer to a file than the output of a command that names it. */
const KIND_WEIGHT: Readonly<Record<Source['kind'], number>> = { change: 2, read: 1.5, output: 1, words: 1 };
const FAILED_WEIGHT = 0.5;
const DEFINITION_WEIGHT = 3;

const DEFINES =
  /^(?:(?:export|default|public|private|protected|static|async|readonly|abstract|pub)\s+)*(?:function|class|interface|type|enum|const|let|var|def|fn|func|struct|trait|impl|module|namespace)\b/;

/** A line without its margin: blanks, and the numbers tools put before lines. */
export function bareLine(line: string): string {
  return line.replace(/^\s{0,8}\d{1,7}(?:\t|→|\||: )/, '').trim();
}

function sourceWeight({ kind, isFailed }: Source, age: number): number {
  const weight = isFailed ? FAILED_WEIGHT : KIND_WEIGHT[kind];
  return (weight * HALF_AGE) / (HALF_AGE + age);
}

/** How well a text answers a query: 1 where it holds the whole as it stands, less where it holds some of its words. */
function answers(lower: string, { phrase, terms }: Query): number {
  if (lower.includes(phrase)) return 1;
  if (terms.length < 2) return 0;
  const found = terms.filter((term) => lower.includes(term)).length;
  return (found / terms.length) ** 2 / 2;
}

/** A result that only its call matches is shown by its first and last lines. */
const ENDS_LINES = 8;
const ENDS_WEIGHT = 0.3;

/** `age`: how many matching sources are newer. Undefined where neither the text nor the call it answers matches. */
export function weighMatches(source: Source, query: Query, age: number): Candidate | undefined {
  const isFound = answers(source.text.toLowerCase(), query) > 0;
  if (!isFound && answers(source.asked.toLowerCase(), query) < 1) return undefined;
  const base = sourceWeight(source, age);
  const lines = source.text.split('\n');
  if (!isFound) {
    const isEnd = (index: number): boolean => index < ENDS_LINES || index >= lines.length - ENDS_LINES;
    return { source, lines, weights: lines.map((_, index) => (isEnd(index) ? base * ENDS_WEIGHT : 0)) };
  }
  const weights = lines.map((line) => {
    const answer = answers(line.toLowerCase(), query);
    return answer > 0 && DEFINES.test(bareLine(line)) ? base * answer * DEFINITION_WEIGHT : base * answer;
  });
  return { source, lines, weights };
}

/** Shorter lines, as a closing bracket, stand everywhere and tell nothing. */
const MIN_TELLING_CHARS = 8;
/** A look at so many lines says half as much about each. */
const HALF_LINES = 100;

/** What a file takes from others stands at its head, is looked at seldom and changes with every move of code. */
const IMPORTS =
  /^(?:import\b|export\b.*\bfrom\b|from\b.*\bimport\b|#include\b|use\b|using\b|(?:const|let|var)\b.*\brequire\()/;
const IMPORT_WEIGHT = 3;

/** Sources about one file, newest first: a line is worth how often and how lately it was in focus. */
export function weighFile(sources: readonly Source[]): readonly Candidate[] {
  const split = sources.map((source) => ({ source, lines: source.text.split('\n') }));
  const worth = new Map<string, number>();
  split.forEach(({ source, lines }, age) => {
    const focus = (sourceWeight(source, age) * HALF_LINES) / (HALF_LINES + lines.length);
    for (const line of new Set(lines.map(bareLine)))
      if (line.length >= MIN_TELLING_CHARS)
        worth.set(line, (worth.get(line) ?? 0) + focus * (IMPORTS.test(line) ? IMPORT_WEIGHT : 1));
  });
  return split.map(({ source, lines }) => ({
    source,
    lines,
    weights: lines.map((line) => worth.get(bareLine(line)) ?? 0),
  }));
}
