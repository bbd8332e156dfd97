/** Rules for reading files. */

import { argument, isQuoted, type Clause } from './clauses.ts';
import { readAllStep } from './read-all.ts';
import { HERE, type Rule } from './rule.ts';
import { callStep, ticked } from './steps.ts';
import type { Step } from './types.ts';

const NAMES_WITHOUT_DOT = /^(?:makefile|dockerfile|license|readme|changelog|gemfile|procfile)$/i;
const ARTICLE = /^(?:the|this|that|my|our|a|an|both)$/i;
const FILLER = /^(?:the|this|that|my|our|a|an|both|also|files?|in|of|from|under)$/i;
/** "file", "of the files", "files in this folder": no folder is named. */
const CURRENT_FOLDER = new RegExp(`^(?:of\\s+)?(?:the\\s+)?(?:single\\s+)?files?${HERE}$`, 'i');

export const readRules: readonly Rule[] = [
  {
    name: 'read-matching',
    example: 'Read every *.md file in docs/',
    pattern: /^read\s+(?:every|all)\s+(?:the\s+)?(\S*\*\S*)(?:\s+files?)?(?:\s+(?:in|under|inside)\s+(\S+))?$/i,
    build: ([, pattern = '', dir = ''], clause) => {
      const wanted = argument(clause, pattern);
      return [readAllStep([dir === '' ? wanted : below(argument(clause, dir), wanted)], [])];
    },
  },
  {
    name: 'read-all',
    example: 'Read every file in src/ and the lock file package-lock.json',
    pattern: /^read\s+(?:every|each|all)\s+(.+)$/i,
    build: ([, rest = ''], clause) => {
      if (CURRENT_FOLDER.test(rest)) return [readAllStep(['**/*'], [])];
      const [dir, ...others] = pathsIn(rest, clause, /\b(?:in|of|under|inside|from)$/i);
      if (dir === undefined) return undefined;
      const dirs = [dir, ...others.filter((path) => path.endsWith('/'))];
      const files = others.filter((path) => !path.endsWith('/'));
      const patterns = dirs.map((path) => below(path, '*'));
      return [readAllStep(patterns, files)];
    },
  },
  {
    name: 'read-head',
    example: 'Read the first 20 lines of src/a.ts',
    pattern: /^read\s+(?:the\s+)?first\s+(?:(\d{1,7})\s+lines?|line)\s+(?:of|from|in)\s+(?:the\s+)?(?:file\s+)?(\S+)$/i,
    build: ([, count = '', path = ''], clause) => {
      const input = { path: argument(clause, path), limit: count === '' ? 1 : Number(count) };
      const lines = input.limit === 1 ? 'line' : `${input.limit} lines`;
      return [callStep(`read the first ${lines} of ${ticked(input.path)}`, [{ name: 'read_file', input }])];
    },
  },
  {
    name: 'read',
    example: 'Read the file src/a.ts, then read src/b.ts',
    pattern: /^(?:read|open|look\s+at)\s+(.+)$/i,
    build: ([, rest = ''], clause) => {
      const paths = pathsIn(rest, clause, /\bfiles?$/i);
      return paths.length > 0 ? paths.map(readStep) : undefined;
    },
  },
];

/** A clause that is only a path goes on reading, as in "Read A, then B". */
export function readOn(clause: Clause): readonly Step[] | undefined {
  if (!beginsWithPath(clause)) return undefined;
  return pathsIn(clause.text, clause, /\bfiles?$/i).map(readStep);
}

/** Whether the first thing named is a path, as in "the lock file package-lock.json" but not in "delete a.md". */
export function beginsWithPath(clause: Clause): boolean {
  const words = clause.text.split(/\s+/, 8);
  const at = words.findIndex((word, index) => isPath(clause, word, { before: words[index - 1], lead: /\bfiles?$/i }));
  const before = words.slice(0, Math.max(0, at));
  if (at === -1) return false;
  return before.every((word) => FILLER.test(word)) || (before.length <= 3 && ARTICLE.test(before[0] ?? ''));
}

function readStep(path: string): Step {
  return callStep(`read ${ticked(path)}`, [{ name: 'read_file', input: { path } }]);
}

/** Words that are paths by their look, and those that stand after a word matching `lead`. */
function pathsIn(text: string, clause: Clause, lead: RegExp): string[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const found = words.filter((word, index) => isPath(clause, word, { before: words[index - 1], lead }));
  return found.map((word) => argument(clause, word));
}

function isPath(clause: Clause, word: string, place: { before: string | undefined; lead: RegExp }): boolean {
  const value = argument(clause, word);
  if (value === '' || /^(?:the|this|a|an|it|and|in|of|all)$/i.test(value)) return false;
  if (isQuoted(word) || /[./\\]/.test(value) || NAMES_WITHOUT_DOT.test(value)) return true;
  return place.lead.test(place.before ?? '') && !/^files?$/i.test(value);
}

/** The pattern for what lies anywhere below a directory. */
function below(path: string, pattern: string): string {
  const base = path.replace(/\/[/*]*$/, '');
  return base === '.' || base === '' ? `**/${pattern}` : `${base}/**/${pattern}`;
}
