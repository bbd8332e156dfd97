/** What a journal says of each mutant. */
import type { Line, Mutant } from './plan.ts';

export type Status = 'killed' | 'timeout' | 'survived' | 'uncovered';

/** What is known of the mutants of one plan. */
export class Verdicts {
  /** Killed or hung, by which test. */
  readonly dead: Map<string, { readonly status: 'killed' | 'timeout'; readonly by: string }> = new Map();
  /** Time of tests outlived, ms. */
  readonly outlivedMs: Map<string, number> = new Map();
  readonly covered: Set<string> = new Set();
  /** Run outside of tests, with the test files that do. */
  readonly loaded: Map<string, string[]> = new Map();
  /** Test files that are through. */
  readonly done: Set<string> = new Set();
  readonly unfit: Map<string, string> = new Map();
  /** Tests that need a new process before a mutant is tried, with how often that happened. */
  readonly dirty: Map<string, number> = new Map();
  /** Pairs of mutant and test that need no second run. */
  readonly tried: Set<string> = new Set();
  /** Mutants whose changed code a covering test did not reach again: what they make is kept from an earlier run. */
  readonly doubtful: Set<string> = new Set();
  /** The pair that was running when the journal ended. */
  running: { readonly mutant: string; readonly test: string } | undefined;

  constructor(lines: Iterable<Line> = []) {
    for (const line of lines) this.add(line);
  }

  add(line: Line): void {
    switch (line.is) {
      case 'begun':
        this.running = line;
        return;
      case 'killed':
      case 'timeout':
        this.running = undefined;
        this.dead.set(line.mutant, { status: line.is, by: line.test });
        return;
      case 'lived':
        this.#lived(line);
        return;
      case 'dirty':
        this.running = undefined;
        this.dirty.set(line.test, (this.dirty.get(line.test) ?? 0) + 1);
        return;
      default:
        this.#place(line);
    }
  }

  #lived(line: Line & { is: 'lived' }): void {
    this.running = undefined;
    this.tried.add(`${line.mutant} ${line.test}`);
    this.outlivedMs.set(line.mutant, (this.outlivedMs.get(line.mutant) ?? 0) + line.ms);
    if (!line.isReached) this.doubtful.add(line.mutant);
  }

  #place(line: Line): void {
    if (line.is === 'done') this.done.add(line.file);
    if (line.is === 'unfit') this.unfit.set(line.test, line.reason);
    if (line.is === 'covered') for (const mutant of line.mutants) this.covered.add(mutant);
    if (line.is === 'loaded')
      for (const mutant of line.mutants) this.loaded.set(mutant, [...(this.loaded.get(mutant) ?? []), line.file]);
  }

  statusOf({ id }: Mutant): Status {
    const dead = this.dead.get(id);
    if (dead !== undefined) return dead.status;
    return this.covered.has(id) || this.loaded.has(id) ? 'survived' : 'uncovered';
  }

  /** True where more tests could still kill `mutant`. */
  isOpen(mutant: string, budgetMs: number): boolean {
    return !this.dead.has(mutant) && (this.outlivedMs.get(mutant) ?? 0) < budgetMs;
  }
}
