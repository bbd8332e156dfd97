/** Rules for reading files. */

import { argument, isQuoted, type Clause } from './clauses.ts';
import { readAllStep } from './read-all.ts';
import type { Rule } from './rule.ts';
import { callStep, ticked } from './steps.ts';
import type { Step } from './types.ts';

const NAMES_WITHOUT_DOT = /^(?:makefile|dockerfile|license|readme|changelog|gemfile|procfile)$/i;

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
    pattern: /^read\s+(?:the\s+)?first\s+(\d{1,7})\s+lines\s+(?:of|from|in)\s+(?:the\s+)?(?:file\s+)?(\S+)$/i,
    build: ([, limit = '', path = ''], clause) => {
      const input = { path: argument(clause, path), limit: Number(limit) };
      return [callStep(`read the first ${limit} lines of ${ticked(input.path)}`, [{ name: 'read_file', input }])];
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
  const paths = pathsIn(clause.text, clause, /\bfiles?$/i);
  const words = clause.text.split(/\s+/).length;
  return paths.length > 0 && words <= paths.length * 3 ? paths.map(readStep) : undefined;
}

function readStep(path: string): Step {
  return callStep(`read ${ticked(path)}`, [{ name: 'read_file', input: { path } }]);
}

/** Words that are paths by their look, and those that stand after a word matching `lead`. */
function pathsIn(text: string, clause: Clause, lead: RegExp): string[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const isPath = (word: string, index: number): boolean => {
    const value = argument(clause, word);
    if (value === '' || /^(?:the|this|a|an|it|and|in|of|all)$/i.test(value)) return false;
    if (isQuoted(word) || /[./\\]/.test(value) || NAMES_WITHOUT_DOT.test(value)) return true;
    return lead.test(words[index - 1] ?? '') && !/^files?$/i.test(value);
  };
  return words.filter(isPath).map((word) => argument(clause, word));
}

/** The pattern for what lies anywhere below a directory. */
function below(path: string, pattern: string): string {
  const base = path.replace(/\/[/*]*$/, '');
  return base === '.' || base === '' ? `**/${pattern}` : `${base}/**/${pattern}`;
}
