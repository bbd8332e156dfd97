/** One rule after the other carried through a tree of TypeScript; the user says little. */
import { tweakSomehow, minutes, sample, seconds } from '../habits.ts';
import { runner, vitest } from '../programs/tests.ts';
import type { SessionPlan } from '../record.ts';
import { plantBugs, plantTree, suiteOf } from '../setup.ts';
import { DOMAINS } from '../words.ts';
import type { Module } from '../code/project.ts';

const TARGET_TOKENS = 166_000;

const testFileOf = ({ path }: Module): string => path.replace(/^src\//, 'test/').replace('.ts', '.test.ts');

const RULES = [
  'errors carry the id of what they are about',
  'no number stands in a condition without a reason',
  'log lines say what was decided, not what was called',
  'functions end early where there is nothing to do',
  'limits come from one place',
];

export const refactorErrors: SessionPlan = {
  name: 'refactor-errors',
  about: 'a refactoring in rules across a tree of TypeScript',
  use: 'tune',
  startsAt: '2026-03-02T08:12:00Z',
  style: { talk: 0.35, context: 2, reader: 'tool' },
  build(world, random) {
    const folders = ['src/orders', 'src/payments', 'src/stock', 'src/shared'];
    const { project, modules } = plantTree(world, random, {
      language: 'typescript',
      domain: DOMAINS.shop,
      folders,
      modules: 34,
      functions: [2, 6],
      statements: 9,
    });
    world.write(
      'src/generated/schema.ts',
      `${modules.map(({ functions }) => `export type ${functions[0]}Row = { id: string };`).join('\n')}\n`,
    );
    world.write('AGENTS.md', 'Never touch src/generated. Always keep the names of exported functions.\n');
    const bugs = plantBugs(world, random, { modules, count: 5, testFileOf, testOf: (func) => `${func} adds up` });
    const suite = suiteOf(modules, testFileOf, 6);
    return {
      programs: [runner({ command: /^npx vitest run ?(\S+)?$/, dialect: vitest, suite, bugs, random })],
      *script(coder) {
        const visited: Module[] = [];
        yield* coder.user(
          'Carry our rules for errors through src, one at a time. Never touch src/generated. Start with: errors carry the id of what they are about.',
          0,
        );
        yield* coder.bash('ls src/orders');
        yield* coder.todo(RULES, 0);
        for (let round = 0; coder.tokens < TARGET_TOKENS; round += 1) {
          const index = Math.min(RULES.length - 1, Math.floor((coder.tokens * RULES.length) / TARGET_TOKENS));
          const batch = sample(random, modules, random.int(2, 4));
          const fresh = batch.filter((module) => !visited.includes(module) || random.chance(0.3));
          if (fresh.length > 0) yield* coder.read(fresh.map(({ path }) => path));
          visited.push(...fresh);
          for (const { path } of batch)
            for (let count = random.int(1, 3); count > 0; count -= 1)
              yield* tweakSomehow(coder, project, path, 'This one too.');
          // A place read long ago comes to mind.
          if (visited.length > 8 && random.chance(0.4))
            yield* tweakSomehow(coder, project, random.pick(visited.slice(0, 8)).path, 'The same holds there.');
          if (round % 4 === 3) yield* coder.bash('npx vitest run', 'Do the tests hold?');
          if (round % 7 === 6) yield* coder.todo(RULES, index);
          if (round % 9 !== 8) continue;
          yield* coder.say(`${batch.length} files more follow the rule "${RULES[index]}"; the tests are as before.`);
          yield* coder.user(
            random.pick(['go on', 'next', 'ok, and the rest', `fine. now: ${RULES[index]}`]),
            random.chance(0.5) ? minutes(random.int(6, 40)) : seconds(random.int(10, 120)),
          );
        }
        yield* coder.bash('git status --short');
        yield* coder.say('All five rules are carried through; src/generated is as it was.');
      },
    };
  },
};
