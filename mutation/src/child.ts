/** A process that runs the tests of a plan: one test file after the other, each in a new worker. Its parent ends it where it hangs. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createVitest, type Vitest } from 'vitest/node';
import { type Line, type Plan, readJournal } from './plan.ts';
import { Verdicts } from './verdicts.ts';

const root = process.env['MUTATION_ROOT']!;
const plan = JSON.parse(readFileSync(process.env['MUTATION_PLAN']!, 'utf8')) as Plan;
/** A crash of a worker is found by the parent; a file that never gets through is given up after so many workers. */
const MAX_WORKERS_PER_FILE = 40;

function say(line: Line): void {
  appendFileSync(plan.journal, `${JSON.stringify(line)}\n`);
}

async function runFiles(vitest: Vitest, files: readonly string[]): Promise<boolean> {
  const paths = new Set(files.map((file) => join(root, file)));
  const specifications = (await vitest.globTestSpecifications()).filter(({ moduleId }) => paths.has(moduleId));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  return unhandledErrors.length === 0 && testModules.every((module) => module.ok());
}

/** Every test file, in new workers until it is through: a worker ends early where a mutant left something behind. */
async function together(vitest: Vitest): Promise<void> {
  for (const file of plan.tests) {
    for (let worker = 0; worker < MAX_WORKERS_PER_FILE; worker += 1) {
      const { done, running } = new Verdicts(readJournal(plan.journal));
      if (running !== undefined) say({ ...running, is: 'timeout' });
      if (done.has(file)) break;
      await runFiles(vitest, [file]);
    }
  }
}

async function eachAlone(vitest: Vitest): Promise<void> {
  const { tried, dead } = new Verdicts(readJournal(plan.journal));
  for (const { mutant, tests } of plan.alone ?? []) {
    const test = 'alone';
    if (dead.has(mutant) || tried.has(`${mutant} ${test}`)) continue;
    say({ is: 'begun', mutant, test });
    writeFileSync(process.env['MUTATION_ACTIVE']!, mutant);
    const began = Date.now();
    const hasPassed = await runFiles(vitest, tests);
    if (hasPassed) say({ is: 'lived', mutant, test, ms: Date.now() - began, isReached: true });
    else say({ is: 'killed', mutant, test: killer(vitest) ?? tests[0]! });
  }
}

/** The first test file that failed. */
function killer(vitest: Vitest): string | undefined {
  const failed = vitest.state.getTestModules().find((module) => !module.ok());
  return failed?.moduleId.slice(root.length + 1);
}

if (plan.alone !== undefined) writeFileSync(process.env['MUTATION_ACTIVE']!, '');
const vitest = await createVitest('test', {
  config: join(root, 'mutation/src/vitest.config.ts'),
  watch: false,
  reporters: [{}],
  bail: plan.alone === undefined ? 0 : 1,
});
await vitest.standalone();
await (plan.alone === undefined ? together(vitest) : eachAlone(vitest));
await vitest.close();
