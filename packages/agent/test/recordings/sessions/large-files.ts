/** Three files of twenty thousand tokens each, read in stretches and changed all over; the user forbids things and interrupts. */
import { DOMAINS, sentences } from '../words.ts';
import { minutes, seconds, tweakSomehow } from '../habits.ts';
import { gradle, runner } from '../programs/tests.ts';
import type { SessionPlan } from '../record.ts';
import { plantBugs, plantTree, suiteOf } from '../setup.ts';
import type { Module } from '../code/project.ts';

const TARGET_TOKENS = 170_000;
const domain = DOMAINS.clinic;

const testFileOf = ({ path }: Module): string => path.replace('src/main', 'src/test').replace('.java', 'Test.java');

export const largeFiles: SessionPlan = {
  name: 'large-files',
  about: 'work on three very large files that are read in stretches',
  use: 'held-out',
  startsAt: '2026-11-09T09:25:00Z',
  style: { talk: 0.3, context: 4, reader: 'sed' },
  build(world, random) {
    const { project, modules } = plantTree(world, random, {
      language: 'java',
      domain,
      folders: ['src/main/java/app/core'],
      modules: 3,
      functions: [52, 60],
      statements: 14,
    });
    const small = plantTree(world, random, {
      language: 'java',
      domain,
      folders: ['src/main/java/app/edge'],
      modules: 8,
      functions: [1, 3],
      statements: 6,
    });
    const bugs = plantBugs(world, random, {
      modules: small.modules,
      count: 3,
      testFileOf,
      testOf: (func) => `${func}Holds`,
    });
    world.write(
      'RULES.md',
      `# Rules\n\n- No public method changes its name.\n- Never touch ${small.modules[0]?.path ?? ''}.\n- ${sentences(random, domain, 1)}\n`,
    );
    return {
      programs: [
        runner({
          command: /^\.\/gradlew test ?(?:--tests )?(\S+)?$/,
          dialect: gradle,
          suite: suiteOf([...modules, ...small.modules], testFileOf, 20),
          bugs,
          random,
        }),
      ],
      *script(coder) {
        yield* coder.user(
          'The three classes in core have grown too large to split now, but they need guards and better limits. RULES.md holds. Do not read a whole file, they are huge.',
          0,
        );
        yield* coder.read(['RULES.md']);
        yield* coder.bash(`wc -l ${modules.map(({ path }) => path).join(' ')}`);
        for (let round = 0; coder.tokens < TARGET_TOKENS; round += 1) {
          const { path } = random.pick(modules);
          const size = world.lines(path).length;
          if (random.chance(0.4))
            yield* coder.grep(random.pick(modules).functions[random.int(0, 40)] ?? 'static', path);
          yield* coder.readRange(path, random.int(0, size - 200), random.int(60, 190));
          for (let edits = random.int(1, 4); edits > 0; edits -= 1)
            yield* tweakSomehow(coder, project, path, 'Here, too.');
          if (random.chance(0.2))
            yield* tweakSomehow(coder, project, random.pick(modules).path, 'That reminds me of the other class.');
          if (round % 4 === 3) yield* coder.bash('./gradlew test');
          if (round % 13 === 12) {
            yield* coder.interrupted();
            yield* coder.user(
              `No. Not in ${path.replace(/.*\//, '')}, that one is frozen until Friday. Do the others.`,
              seconds(3),
            );
          } else if (round % 5 === 4) {
            yield* coder.say('The guards are in.');
            yield* coder.user(
              random.pick([
                'continue',
                'and the limits',
                'Always give the unit in the name of a limit.',
                sentences(random, domain, 1),
              ]),
              random.chance(0.35) ? minutes(random.int(6, 70)) : seconds(random.int(8, 100)),
            );
          }
        }
        yield* coder.bash('git status --short');
        yield* coder.say('All limits have a guard; no public method changed its name.');
      },
    };
  },
};
