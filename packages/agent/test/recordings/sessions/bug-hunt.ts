/** Failing tests in Python, one after the other; the user pastes what the pipeline said and explains a lot. */
import { minutes, seconds, tweakSomehow } from '../habits.ts';
import { type Bug, pytest, runner } from '../programs/tests.ts';
import type { SessionPlan } from '../record.ts';
import { fixBug, plantBugs, plantTree, suiteOf, type Tree } from '../setup.ts';
import { DOMAINS, sentences } from '../words.ts';
import type { Coder } from '../coder.ts';
import type { Does } from '../steps.ts';
import type { Module } from '../code/project.ts';

const TARGET_TOKENS = 172_000;

const testFileOf = ({ path }: Module): string => `tests/test_${path.replace(/.*\//, '')}`;

function told(bug: Bug | undefined): string {
  return bug === undefined ? 'nothing' : `${bug.testFile}: ${bug.test} expected ${bug.expected}`;
}

/** All failures are gone: what could go wrong in the same way is put right too. */
function* lookForMore(coder: Coder, { project, modules }: Tree): Does<void> {
  while (coder.tokens < TARGET_TOKENS) {
    const { path } = coder.random.pick(modules);
    yield* coder.read([path]);
    yield* tweakSomehow(coder, project, path, 'The same slip could happen here.');
    yield* coder.bash(`python -m pytest -q ${path.replace(/.*\//, '')}`);
  }
}

export const bugHunt: SessionPlan = {
  name: 'bug-hunt',
  about: 'a hunt for bugs in Python by failing tests',
  use: 'tune',
  startsAt: '2026-04-14T13:40:00Z',
  style: { talk: 0.8, context: 4, reader: 'tool' },
  build(world, random) {
    const domain = DOMAINS.bank;
    const tree = plantTree(world, random, {
      language: 'python',
      domain,
      folders: ['ledger', 'posting', 'rates'],
      modules: 26,
      functions: [4, 9],
      statements: 8,
    });
    const { project, modules } = tree;
    const bugs = plantBugs(world, random, { modules, count: 22, testFileOf, testOf: (func) => `test_${func}` });
    const suite = suiteOf(modules, testFileOf, 9);
    return {
      programs: [
        runner({ command: /^python -m pytest -q ?(?:tests\/test_)?(\S+)?$/, dialect: pytest, suite, bugs, random }),
      ],
      *script(coder) {
        yield* coder.user(
          `Since the merge on Monday the nightly run is red and I cannot make sense of it. ${sentences(random, domain, 5)} Please find out what is wrong, one failure at a time, and always run the tests of the file before you go on. Do not change a test: the numbers in them come from the auditors.`,
          0,
        );
        yield* coder.bash('python -m pytest -q', 'First I see what fails.');
        let index = 0;
        for (const bug of bugs) {
          if (coder.tokens > TARGET_TOKENS) break;
          index += 1;
          const file = bug.testFile.replace(/^tests\/test_/, '');
          yield* fixBug(coder, bug, `python -m pytest -q ${file}`);
          if (random.chance(0.4))
            yield* tweakSomehow(coder, project, bug.path, 'While I am here, the guard was missing.');
          if (index % 3 !== 0) continue;
          yield* coder.bash('python -m pytest -q', 'The whole suite once more.');
          yield* coder.say(`Fixed: ${bug.func} gives ${bug.expected} again. ${sentences(random, domain, 2)}`);
          yield* coder.user(
            `Thanks, that helps. ${sentences(random, domain, 2)} Here is what the pipeline says now, it still stops:\n\n${told(bugs[index])}\n\nCould you also tell me whether ${random.pick(domain.nouns)}s are concerned?`,
            random.chance(0.3) ? minutes(random.int(6, 90)) : seconds(random.int(30, 240)),
          );
        }
        yield* lookForMore(coder, tree);
        yield* coder.bash('python -m pytest -q');
        yield* coder.say('The suite is green. No test was changed.');
      },
    };
  },
};
