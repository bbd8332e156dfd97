/**
 * Runs every test once as it is, and then once for each mutant it reaches, in the same process: a mutant costs one call of one test.
 * A failure counts only if the test passes again without the mutant afterwards, or if the process had run no mutant before.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { TestRunner, type RunnerTestCase, type RunnerTestFile } from 'vitest';
import { type Line, type Plan, readJournal } from './plan.ts';
import { Verdicts } from './verdicts.ts';

/** What instrumented sources share; Stryker's names. */
interface Switchboard {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage: { static: Record<string, number>; perTest: Record<string, Record<string, number>> };
}

const BASELINE = 'baseline';
const HITS_PER_HIT = 100;
/** New processes a test is worth. */
const MAX_DIRTY = 3;
/** Share of a mutant's time that one test file may take, so that tests of other kinds get their turn. */
const FILE_SHARE = 0.2;
/** A slower test runs as it is only: with a mutant each it would take the time of all others. */
const MAX_TEST_MS = 800;

const plan = JSON.parse(readFileSync(process.env['MUTATION_PLAN']!, 'utf8')) as Plan;
const root = process.env['MUTATION_ROOT']!;
/** The mutant of the second phase; written before each of its processes starts. */
const alone = plan.alone === undefined ? undefined : readFileSync(process.env['MUTATION_ACTIVE']!, 'utf8');
const board: Switchboard = { mutantCoverage: { static: {}, perTest: {} }, activeMutant: alone };
if (alone !== undefined) {
  board.hitCount = 0;
  board.hitLimit = 10_000_000;
}
(globalThis as unknown as { __stryker__: Switchboard }).__stryker__ = board;

// oxlint-disable-next-line import/no-default-export -- vitest takes a runner by its default export
export default class MutationRunner extends TestRunner {
  readonly #verdicts = new Verdicts(alone === undefined ? readJournal(plan.journal) : []);
  /** Time each mutant has outlived in this file, ms. */
  readonly #outlivedHere = new Map<string, number>();
  #hasRunMutants = false;
  /** True once something a mutant left behind makes tests fail. */
  #isDirty = false;

  async runTask(test: RunnerTestCase): Promise<void> {
    const run = TestRunner.getTestFn(test) as () => Promise<void>;
    if (alone !== undefined) return run();
    if (this.#isDirty) return;
    const name = nameOf(test);
    board.mutantCoverage.perTest = {};
    board.currentTestId = BASELINE;
    const began = performance.now();
    const usage = process.cpuUsage();
    let hits: Readonly<Record<string, number>>;
    try {
      await run();
      hits = board.mutantCoverage.perTest[BASELINE] ?? {};
    } catch (error) {
      // After mutants it may be what one of them left behind: a new process tells.
      this.#isDirty = this.#hasRunMutants;
      if (this.#isDirty) return this.#say({ is: 'dirty', mutant: '', test: name });
      return this.#say({ is: 'unfit', test: name, reason: error instanceof Error ? error.message.slice(0, 200) : '' });
    } finally {
      board.currentTestId = 'other';
    }
    const ms = performance.now() - began;
    this.#say({ is: 'covered', test: name, mutants: Object.keys(hits), ms: Math.round(ms) });
    if (cpuMs(usage) > MAX_TEST_MS || (this.#verdicts.dirty.get(name) ?? 0) > MAX_DIRTY) return;
    for (const [mutant, count] of Object.entries(hits)) {
      if (this.#isDirty) return;
      await this.#try({ name, run, mutant, hitLimit: count * HITS_PER_HIT, limitMs: ms * 10 + 2_000 });
    }
  }

  async #try(one: Trial): Promise<void> {
    const { name, run, mutant } = one;
    const here = this.#outlivedHere.get(mutant) ?? 0;
    if (here > plan.budgetMs * FILE_SHARE || !this.#verdicts.isOpen(mutant, plan.budgetMs)) return;
    if (this.#verdicts.tried.has(`${mutant} ${name}`)) return;
    this.#say({ is: 'begun', mutant, test: name });
    const isFirst = !this.#hasRunMutants;
    this.#hasRunMutants = true;
    const began = process.cpuUsage();
    board.activeMutant = mutant;
    board.hitCount = 0;
    board.hitLimit = one.hitLimit;
    const hasPassed = await passes(run, one.limitMs);
    const isReached = (board.hitCount ?? 0) > 0;
    board.activeMutant = undefined;
    board.hitCount = undefined;
    const ms = cpuMs(began);
    this.#outlivedHere.set(mutant, here + ms);
    if (hasPassed) return this.#say({ is: 'lived', mutant, test: name, ms, isReached });
    this.#isDirty = !(await passes(run, one.limitMs));
    this.#say({ is: this.#isDirty && !isFirst ? 'dirty' : 'killed', mutant, test: name });
  }

  override onAfterRunFiles(files?: readonly RunnerTestFile[]): void {
    super.onAfterRunFiles();
    if (alone !== undefined) return;
    for (const { filepath } of files ?? []) {
      const file = relative(root, filepath);
      this.#say({ is: 'loaded', file, mutants: Object.keys(board.mutantCoverage.static) });
      if (!this.#isDirty) this.#say({ is: 'done', file });
    }
  }

  #say(line: Line): void {
    this.#verdicts.add(line);
    appendFileSync(plan.journal, `${JSON.stringify(line)}\n`);
  }
}

interface Trial {
  readonly name: string;
  readonly run: () => Promise<void>;
  readonly mutant: string;
  /** How often the changed code may run before it counts as endless. */
  readonly hitLimit: number;
  readonly limitMs: number;
}

/** Time of the processor since `before`, ms: a busy machine must not shorten the search. */
function cpuMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return Math.round((user + system) / 100) / 10;
}

async function passes(run: () => Promise<void>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  try {
    const passed = Promise.resolve()
      .then(run)
      .then(() => true);
    passed.catch(() => undefined);
    return await Promise.race([passed, late]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

function nameOf(test: RunnerTestCase): string {
  return `${relative(root, test.file.filepath)} #${test.id.split('_').slice(1).join('_')} ${test.name}`;
}
