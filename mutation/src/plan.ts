/** What one run of the tests is told: which sources are changed, by which mutants, and what is known of them already. */
import { readFileSync } from 'node:fs';

/** A small change of one source file. */
export interface Mutant {
  /** Number within a plan. */
  readonly id: string;
  /** Source file, relative to the repository's root. */
  readonly file: string;
  /** One-based. */
  readonly line: number;
  /** What kind of change, in Stryker's words. */
  readonly mutator: string;
  readonly original: string;
  readonly replacement: string;
}

/** One batch of source files. */
export interface Plan {
  /** Source files, absolute, with where the text that holds all their mutants lies. */
  readonly sources: Readonly<Record<string, string>>;
  readonly mutants: readonly Mutant[];
  /** Test files, relative to the root, in the order they run: cheap ones first. */
  readonly tests: readonly string[];
  /** What is appended to: one JSON value a line. */
  readonly journal: string;
  /** Time of tests a mutant may outlive, ms, before it counts as survived. */
  readonly budgetMs: number;
  /** The second phase, where each mutant has a process of its own and is active from its first line on. Not set in the first. */
  readonly alone?: readonly Alone[];
}

/** One mutant of the second phase and the test files it must pass. */
export interface Alone {
  readonly mutant: string;
  readonly tests: readonly string[];
}

/** One line of the journal. */
export type Line =
  /** `mutant` is about to run against `test`; the last word where a process hung. */
  | { readonly is: 'begun'; readonly mutant: string; readonly test: string }
  | { readonly is: 'killed'; readonly mutant: string; readonly test: string }
  /** Hung, or ended the process. */
  | { readonly is: 'timeout'; readonly mutant: string; readonly test: string }
  /** `ms`: what the test took; `isReached` is false where the changed code did not run this time. */
  | {
      readonly is: 'lived';
      readonly mutant: string;
      readonly test: string;
      readonly ms: number;
      readonly isReached: boolean;
    }
  /** The test failed, but also without the mutant afterwards, or before any of its own: it must run first in a new process. */
  | { readonly is: 'dirty'; readonly mutant: string; readonly test: string }
  /** The test cannot be used: it failed without a mutant. */
  | { readonly is: 'unfit'; readonly test: string; readonly reason: string }
  /** What a test file runs outside its tests. */
  | { readonly is: 'loaded'; readonly file: string; readonly mutants: readonly string[] }
  /** What a test runs, by mutant, and how long it took. */
  | { readonly is: 'covered'; readonly test: string; readonly mutants: readonly string[]; readonly ms: number }
  /** A test file is through. */
  | { readonly is: 'done'; readonly file: string };

/** Lines of a journal; a half-written last one is left out. */
export function readJournal(path: string): readonly Line[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}
