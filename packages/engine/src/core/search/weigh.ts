/** How much the lines of a source are worth to who asks: those that match, or, of a file asked for by name, those that were worked on last. */
import type { Query } from './query.ts';
import type { Source } from './sources.ts';

/** A line of worth. */
export interface Telling {
  /** Where it begins in the text, characters. */
  readonly at: number;
  /** The line without its margin: lines of one key are the same to who reads them. */
  readonly key: string;
  readonly worth: number;
}

/** A source that may be shown, with its lines of worth in order. */
export interface Candidate {
  readonly source: Source;
  readonly tellings: readonly Telling[];
}

/** A source with this many newer ones that match counts half. */
const HALF_AGE = 12;

/** What a call wrote is newer than what was read before it, and both are nearer to a file than the output of a command that names it. */
const KIND_WEIGHT: Readonly<Record<Source['kind'], number>> = { change: 2, read: 1.5, output: 1, words: 1 };
const FAILED_WEIGHT = 0.5;
const DEFINITION_WEIGHT = 3;

const DEFINES =
  /^(?:(?:export|default|public|private|protected|static|async|readonly|abstract|pub)\s+)*(?:function|class|interface|type|enum|const|let|var|def|fn|func|struct|trait|impl|module|namespace)\b/;

/** As tools number lines. */
const NUMBER = /^\d{1,7}(?:\t|→|\||: )/;

/** A line without its margin: blanks, and a number a tool put before it. */
export function bareLine(line: string): string {
  const bare = line.trim();
  return bare >= '0' && bare < ':' ? bare.replace(NUMBER, '').trim() : bare;
}

function sourceWeight({ kind, isFailed }: Source, age: number): number {
  const weight = isFailed ? FAILED_WEIGHT : KIND_WEIGHT[kind];
  return (weight * HALF_AGE) / (HALF_AGE + age);
}

/** In lower case, as long as before: the few letters that would grow stay as they are. */
function lowerOf(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from(text, (letter) => {
    const small = letter.toLowerCase();
    return small.length === letter.length ? small : letter;
  }).join('');
}

const NAME_CHAR = /[\p{L}\p{N}_$]/u;
/** A longer name that only holds the one asked for. */
const WITHIN_NAME = 0.5;

/** 1 where `line` holds `phrase` as whole words, less where only within longer names, 0 where not at all. */
function holds(line: string, phrase: string): number {
  let found = 0;
  for (let at = line.indexOf(phrase); at >= 0 && found < 1; at = line.indexOf(phrase, at + 1)) {
    const isWhole = !NAME_CHAR.test(line[at - 1] ?? ' ') && !NAME_CHAR.test(line[at + phrase.length] ?? ' ');
    found = isWhole ? 1 : WITHIN_NAME;
  }
  return found;
}

/** What each word of a query that a line lacks leaves of its worth: many lines of a word or two do not make up for one that holds all. */
const MISSING_WORD = 1 / 8;

/** How well a line answers a query: by the whole as it stands, or less, by some of its words. */
function answers(line: string, { phrase, terms }: Query): number {
  const whole = holds(line, phrase);
  if (whole > 0 || terms.length < 2) return whole;
  const found = terms.filter((term) => line.includes(term)).length;
  return found === 0 ? 0 : MISSING_WORD ** (terms.length - found) / 2;
}

/** Where the lines begin and end that hold one of `texts`, ascending. */
function linesWith(lower: string, texts: readonly string[]): readonly (readonly [from: number, to: number])[] {
  const ends = new Map<number, number>();
  for (const text of texts) {
    let at = lower.indexOf(text);
    while (at >= 0) {
      const from = lower.lastIndexOf('\n', at) + 1;
      const next = lower.indexOf('\n', at);
      const to = next < 0 ? lower.length : next;
      ends.set(from, to);
      at = lower.indexOf(text, Math.max(to, at + 1));
    }
  }
  return [...ends].toSorted(([a], [b]) => a - b);
}

/** A result that only its call matches is shown by its first and last lines. */
const ENDS_LINES = 8;
const ENDS_WEIGHT = 0.3;

function endsOf(text: string, base: number): readonly Telling[] {
  const lines = linesOf(text);
  const isEnd = (index: number): boolean => index < ENDS_LINES || index >= lines.length - ENDS_LINES;
  return lines.flatMap(({ at, line }, index) => {
    const key = isEnd(index) ? bareLine(line) : '';
    return key === '' ? [] : [{ at, key, worth: base * ENDS_WEIGHT }];
  });
}

function linesOf(text: string): readonly { readonly at: number; readonly line: string }[] {
  let at = 0;
  return text.split('\n').map((line) => {
    const from = at;
    at += line.length + 1;
    return { at: from, line };
  });
}

/**
 * Undefined where neither the text nor the call it answers matches. `ageOf` tells how many newer sources have a line that answers at least as well
 * as the given one.
 */
export function weighMatches(source: Source, query: Query, ageOf: (best: number) => number): Candidate | undefined {
  const lower = lowerOf(source.text);
  const lines = linesWith(lower, query.terms.length > 1 ? [query.phrase, ...query.terms] : [query.phrase]);
  if (lines.length === 0) {
    if (!lowerOf(source.asked).includes(query.phrase)) return undefined;
    return { source, tellings: endsOf(source.text, sourceWeight(source, ageOf(ENDS_WEIGHT))) };
  }
  const told = lines.map(([at, to]) => [at, to, answers(lower.slice(at, to), query)] as const);
  const base = sourceWeight(source, ageOf(Math.max(...told.map(([, , answer]) => answer))));
  const tellings = told.map(([at, to, answer]): Telling => {
    const key = bareLine(source.text.slice(at, to));
    return { at, key, worth: base * answer * (DEFINES.test(key) ? DEFINITION_WEIGHT : 1) };
  });
  return { source, tellings };
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
  const worth = new Map<string, number>();
  const read = sources.map((source) => ({
    source,
    lines: linesOf(source.text).map(({ at, line }) => ({ at, key: bareLine(line) })),
  }));
  read.forEach(({ source, lines }, age) => {
    const focus = (sourceWeight(source, age) * HALF_LINES) / (HALF_LINES + lines.length);
    for (const key of new Set(lines.map((line) => line.key)))
      if (key.length >= MIN_TELLING_CHARS)
        worth.set(key, (worth.get(key) ?? 0) + focus * (IMPORTS.test(key) ? IMPORT_WEIGHT : 1));
  });
  return read.map(({ source, lines }) => ({
    source,
    tellings: lines.flatMap(({ at, key }) => {
      const known = worth.get(key);
      return known === undefined ? [] : [{ at, key, worth: known }];
    }),
  }));
}
