/** Runs the mutants of some source files: in shared processes first, those that need one of their own after that. */
import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { instrument } from './instrument.ts';
import { type Alone, type Line, type Mutant, type Plan, readJournal } from './plan.ts';
import { Verdicts } from './verdicts.ts';

/** A mutant that says nothing for so long hangs; most tests take milliseconds. */
const MUTANT_SILENCE_MS = 25_000;
/** The same for tests as they are. */
const SILENCE_MS = 150_000;
/** Test files that are tried on a mutant alone. */
const FILES_ALONE = 4;
/** A test file that takes longer is not among them. */
const MAX_FILE_ALONE_MS = 2_500;
/** A process that ends without a word this often in a row is broken itself. */
const MAX_CRASHES = 3;

export interface BatchOptions {
  readonly root: string;
  /** Scratch folder of this batch, emptied by the caller. */
  readonly folder: string;
  /** Source files, relative to the root. */
  readonly files: readonly string[];
  /** Test files, cheap ones first. */
  readonly tests: readonly string[];
  readonly budgetMs: number;
  /** Words of earlier runs about mutants of a file, by its position in the file. */
  readonly known: (mutants: readonly Mutant[]) => readonly Line[];
}

export interface BatchResult {
  readonly mutants: readonly Mutant[];
  readonly verdicts: Verdicts;
  /** Time of each test file as it is, ms. */
  readonly testMs: ReadonlyMap<string, number>;
}

export async function runBatch(options: BatchOptions): Promise<BatchResult> {
  const { root, folder, files, tests, budgetMs } = options;
  mkdirSync(folder, { recursive: true });
  const { mutants, contents } = await instrument(root, files);
  const journal = join(folder, 'journal.jsonl');
  writeFileSync(
    journal,
    options
      .known(mutants)
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  );
  const sources = Object.fromEntries(
    [...contents].map(([file, content]) => {
      const path = join(folder, file.replaceAll('/', '__'));
      writeFileSync(path, content);
      return [join(root, file), path];
    }),
  );
  const plan: Plan = { sources, mutants, tests, journal, budgetMs };
  await runPlan(options, plan);
  const alone = aloneOf(plan);
  if (alone.length > 0) await runPlan(options, { ...plan, alone });
  const lines = readJournal(journal);
  return { mutants, verdicts: new Verdicts(lines), testMs: testTimes(lines) };
}

/** Runs `plan` to its end, in a new process wherever one hangs or dies. */
async function runPlan({ root, folder }: BatchOptions, plan: Plan): Promise<void> {
  const path = join(folder, plan.alone === undefined ? 'plan.json' : 'plan-alone.json');
  writeFileSync(path, JSON.stringify(plan));
  const env = {
    ...process.env,
    MUTATION_ROOT: root,
    MUTATION_PLAN: path,
    MUTATION_ACTIVE: join(folder, 'active'),
    CI: '1',
  };
  for (let crashes = 0; crashes < MAX_CRASHES; ) {
    const size = statSync(plan.journal).size;
    const end = await oneProcess(root, env, plan.journal);
    if (end === 'through') return;
    const { running } = new Verdicts(readJournal(plan.journal));
    if (running !== undefined) appendFileSync(plan.journal, `${JSON.stringify({ ...running, is: 'timeout' })}\n`);
    crashes = statSync(plan.journal).size > size ? 0 : crashes + 1;
  }
  throw new Error(`the tests of ${path} do not run: see output.txt beside it`);
}

async function oneProcess(root: string, env: NodeJS.ProcessEnv, journal: string): Promise<'through' | 'ended'> {
  const child = spawn(process.execPath, ['--import', 'tsx', join(root, 'mutation/src/child.ts')], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: its workers end with it.
    detached: true,
  });
  const log = (data: Buffer): void => appendFileSync(`${journal}.output.txt`, data);
  child.stdout.on('data', log);
  child.stderr.on('data', log);
  const endGroup = (): void => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  };
  process.once('exit', endGroup);
  const started = Date.now();
  const watch = setInterval(() => {
    const silence = Date.now() - Math.max(started, statSync(journal).mtimeMs);
    if (silence > SILENCE_MS || (silence > MUTANT_SILENCE_MS && readJournal(journal).at(-1)?.is === 'begun'))
      endGroup();
  }, 1_000);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearInterval(watch);
  process.off('exit', endGroup);
  endGroup();
  return code === 0 ? 'through' : 'ended';
}

/**
 * What code outside of tests makes (tables, patterns, what a module keeps) is made once in a process. Those mutants, and those a test did
 * not reach a second time, get processes of their own and the test files that run most of their source file.
 */
function aloneOf(plan: Plan): readonly Alone[] {
  const lines = readJournal(plan.journal);
  const verdicts = new Verdicts(lines);
  const reach = new Map<string, Map<string, Set<string>>>();
  const fileOf = new Map(plan.mutants.map(({ id, file }) => [id, file]));
  for (const line of lines) if (line.is === 'covered') noteReach(line, fileOf, reach);
  const times = testTimes(lines);
  const broken = new Set([...verdicts.unfit.keys()].map((test) => test.split(' ')[0]!));
  return plan.mutants
    .filter(({ id }) => !verdicts.dead.has(id) && (verdicts.loaded.has(id) || verdicts.doubtful.has(id)))
    .map(({ id, file }) => {
      const ranked = [...(reach.get(file) ?? [])]
        .filter(([test]) => !broken.has(test) && times.get(test)! <= MAX_FILE_ALONE_MS)
        .sort(([, a], [, b]) => b.size - a.size)
        .slice(0, FILES_ALONE)
        .map(([test]) => test);
      return { mutant: id, tests: ranked };
    })
    .filter(({ tests }) => tests.length > 0);
}

function noteReach(
  line: Line & { is: 'covered' },
  fileOf: ReadonlyMap<string, string>,
  reach: Map<string, Map<string, Set<string>>>,
): void {
  const test = line.test.split(' ')[0]!;
  for (const mutant of line.mutants) {
    const file = fileOf.get(mutant)!;
    const tests = reach.get(file) ?? new Map<string, Set<string>>();
    reach.set(file, tests);
    tests.set(test, (tests.get(test) ?? new Set()).add(mutant));
  }
}

function testTimes(lines: readonly Line[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const line of lines) {
    if (line.is !== 'covered') continue;
    const file = line.test.split(' ')[0]!;
    times.set(file, (times.get(file) ?? 0) + line.ms);
  }
  return times;
}
