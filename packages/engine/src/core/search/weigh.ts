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
const KIND_WEIGHT: Readonly<Record<Source['kind'], number>> = { change: 2, read: 1.5, output: 1, asked: 1, words: 1 };
const FAILED_WEIGHT = 0.5;
/** What the user asks for stands nowhere else: a few lines of theirs count as much as a line of a tool with one word more of the query. */
const ASKED_WEIGHT = 16;
/** A message of so many lines has half of that: it is pasted rather than said. */
const HALF_ASKED_LINES = 20;
const MAX_COUNTED_LINES = 10_000;
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

function kindWeight({ kind, isFailed, text }: Source): number {
  if (isFailed) return FAILED_WEIGHT;
  if (kind !== 'asked') return KIND_WEIGHT[kind];
  return 1 + (ASKED_WEIGHT * HALF_ASKED_LINES) / (HALF_ASKED_LINES + text.split('\n', MAX_COUNTED_LINES).length);
}

/** What the user said does not age: what is older is in force until they say otherwise. */
function sourceWeight(source: Source, age: number): number {
  return source.kind === 'asked' ? kindWeight(source) : (kindWeight(source) * HALF_AGE) / (HALF_AGE + age);
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

/** A line that holds the query or some of its words. */
interface Match {
  readonly at: number;
  readonly key: string;
  /** How well it holds the whole: 1, less within longer names, or 0. */
  readonly whole: number;
  /** By term of the query: how well it holds that. */
  readonly terms: readonly number[];
}

interface Matched {
  readonly source: Source;
  /** None where only the call that was answered matches. */
  readonly lines: readonly Match[];
}

/** Undefined where neither the text nor the call it answers matches. */
function matchedIn(source: Source, { phrase, terms }: Query): Matched | undefined {
  const lower = lowerOf(source.text);
  const isOne = terms.length < 2;
  const lines = linesWith(lower, isOne ? [phrase] : [phrase, ...terms]).map(([at, to]): Match => {
    const line = lower.slice(at, to);
    const key = bareLine(source.text.slice(at, to));
    return { at, key, whole: holds(line, phrase), terms: isOne ? [] : terms.map((term) => holds(line, term)) };
  });
  return lines.length > 0 || lowerOf(source.asked).includes(phrase) ? { source, lines } : undefined;
}

/** What each missing word of a query leaves of a line's worth: many lines of a word or two do not make up for one that holds all. */
const MISSING_WORD = 1 / 8;

/** How rare each term is among the lines that hold any: a word that stands everywhere is missed less. */
function rarityOf(matched: readonly Matched[], terms: readonly string[]): readonly number[] {
  const lines = matched.reduce((sum, found) => sum + found.lines.length, 0);
  const counts = terms.map(() => 0);
  for (const found of matched)
    for (const match of found.lines)
      match.terms.forEach((held, term) => {
        counts[term] = (counts[term] ?? 0) + held;
      });
  return counts.map((count) => Math.log(1 + lines / (1 + count)));
}

/** How well a line answers a query: by the whole as it stands, or less, by some of its words. */
function answerOf({ whole, terms }: Match, rarity: readonly number[]): number {
  if (whole > 0 || terms.length === 0) return whole;
  const all = rarity.reduce((sum, rare) => sum + rare, 0);
  const missing = terms.reduce((sum, held, term) => sum + (1 - held) * (rarity[term] ?? 0), 0);
  return MISSING_WORD ** ((terms.length * missing) / all) / 2;
}

/** Counts, of sources newest first, the newer ones with a line that answers at least as well. */
function createAges(): (best: number) => number {
  const counts = new Map<number, number>();
  return (best) => {
    let age = 0;
    for (const [answer, sources] of counts) if (answer >= best) age += sources;
    counts.set(best, (counts.get(best) ?? 0) + 1);
    return age;
  };
}

/** The sources that match, of those given newest first, with the lines that do. */
export function weighMatches(newest: readonly Source[], query: Query): readonly Candidate[] {
  const matched = newest.flatMap((source) => matchedIn(source, query) ?? []);
  const rarity = rarityOf(matched, query.terms);
  const ageOf = createAges();
  return matched.map(({ source, lines }) => {
    if (lines.length === 0) return { source, tellings: endsOf(source.text, sourceWeight(source, ageOf(ENDS_WEIGHT))) };
    const answers = lines.map((match) => answerOf(match, rarity));
    const base = sourceWeight(source, ageOf(Math.max(...answers)));
    const tellings = lines.map(({ at, key }, index): Telling => {
      const worth = base * (answers[index] ?? 0) * (DEFINES.test(key) ? DEFINITION_WEIGHT : 1);
      return { at, key, worth };
    });
    return { source, tellings };
  });
}

/** Shorter lines, as a closing bracket, stand everywhere and tell nothing. */
const MIN_TELLING_CHARS = 8;
/** A look at so many lines says half as much about each. */
const HALF_LINES = 100;

/** What a file takes from others stands at its head, is looked at seldom and changes with every move of code. */
const IMPORTS =
  /^(?:import\b|export\b.*\bfrom\b|from\b.*\bimport\b|#include\b|use\b|using\b|(?:const|let|var)\b.*\brequire\()/;
const IMPORT_WEIGHT = 3;

/** What is left of a line's worth in what was said before an edit replaced it; another of the same words may still stand. */
const REPLACED_WEIGHT = 0.3;

/** Lines an edit took out. */
function removedBy({ replaced = [], isFailed }: Source): ReadonlySet<string> {
  if (isFailed || replaced.length === 0) return NO_LINES;
  const kept = new Set(replaced.flatMap(({ after }) => keysOf(after)));
  return new Set(replaced.flatMap(({ before }) => keysOf(before)).filter((key) => !kept.has(key)));
}

const NO_LINES: ReadonlySet<string> = new Set();

function keysOf(text: string): readonly string[] {
  return text.split('\n').map(bareLine);
}

/** Sources about one file, newest first: a line is worth how often and how lately it was in focus, and little once it was replaced. */
export function weighFile(sources: readonly Source[]): readonly Candidate[] {
  const worth = new Map<string, number>();
  /** By line, whether what is newer shows it or took it out. */
  const stands = new Map<string, boolean>();
  const read = sources.map((source) => ({
    source,
    lines: linesOf(source.text).map(({ at, line }) => ({ at, key: bareLine(line) })),
  }));
  read.forEach(({ source, lines }, age) => {
    const focus = (sourceWeight(source, age) * HALF_LINES) / (HALF_LINES + lines.length);
    for (const key of removedBy(source)) if (!stands.has(key)) stands.set(key, false);
    for (const key of new Set(lines.map((line) => line.key))) {
      if (key.length < MIN_TELLING_CHARS) continue;
      const isGone = stands.get(key) === false;
      if (!isGone && !source.isFailed) stands.set(key, true);
      const weight = (IMPORTS.test(key) ? IMPORT_WEIGHT : 1) * (isGone ? REPLACED_WEIGHT : 1);
      worth.set(key, (worth.get(key) ?? 0) + focus * weight);
    }
  });
  return read.map(({ source, lines }) => ({
    source,
    tellings: lines.flatMap(({ at, key }) => {
      const known = worth.get(key);
      return known === undefined ? [] : [{ at, key, worth: known }];
    }),
  }));
}
