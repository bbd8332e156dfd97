/** Tests for a Rust crate that has hardly any: modules are read, tests are written, and what they find is put right. */
import { DOMAINS, sentences, snake } from '../words.ts';
import { minutes, sample, seconds } from '../habits.ts';
import { cargo, runner } from '../programs/tests.ts';
import type { SessionPlan } from '../record.ts';
import { fixBug, plantBugs, plantTree, suiteOf } from '../setup.ts';
import type { Module } from '../code/project.ts';
import type { Random } from '../../soak/random.ts';

const TARGET_TOKENS = 157_000;
const domain = DOMAINS.compiler;

const moduleOf = ({ path }: Module): string => path.replace(/.*\/|\.rs$/g, '');
const testFileOf = (module: Module): string => `tests/${moduleOf(module)}.rs`;

function testText(random: Random, module: Module): string {
  const cases = module.functions.flatMap((func) =>
    Array.from({ length: random.int(2, 4) }, () => {
      const name = snake([func, ...sample(random, domain.nouns, 2)]);
      const items = Array.from(
        { length: random.int(1, 4) },
        () => `Item::new(${random.int(1, 90)}, ${random.int(1, 900)})`,
      );
      return `#[test]\nfn ${name}() {\n    // ${sentences(random, domain, 1)}\n    let items = vec![${items.join(', ')}];\n    let got = ${moduleOf(module)}::${func}(&items, ${random.int(2, 400)}).unwrap();\n    assert_eq!(got, ${random.int(10, 90_000)});\n}\n`;
    }),
  );
  return `use crate_under_test::${moduleOf(module)};\nuse crate_under_test::item::Item;\n\n${cases.join('\n')}`;
}

export const testWriting: SessionPlan = {
  name: 'test-writing',
  about: 'tests written for a crate in Rust that has none',
  use: 'held-out',
  startsAt: '2026-08-12T08:45:00Z',
  style: { talk: 0.55, context: 3, reader: 'tool' },
  build(world, random) {
    const { modules } = plantTree(world, random, {
      language: 'rust',
      domain,
      folders: ['src/parse', 'src/lower', 'src/emit'],
      modules: 40,
      functions: [3, 7],
      statements: 9,
    });
    const bugs = plantBugs(world, random, { modules, count: 16, testFileOf, testOf: (func) => `${func}_is_stable` });
    world.write(
      'Cargo.toml',
      `[package]\nname = "crate_under_test"\nversion = "0.9.${random.int(1, 30)}"\nedition = "2024"\n`,
    );
    return {
      programs: [
        runner({
          command: /^cargo test ?(?:--test )?(\S+)?$/,
          dialect: cargo,
          suite: suiteOf(modules, testFileOf, 7),
          bugs,
          random,
        }),
      ],
      *script(coder) {
        yield* coder.user(
          'This crate is to be released and has no tests. Write some for each module, table of cases where it helps. Always use unwrap in tests, never expect: our style guide forbids it. If a test finds a bug, fix the code and tell me which.',
          0,
        );
        yield* coder.bash('ls src/parse');
        yield* coder.read(['Cargo.toml']);
        const found: string[] = [];
        let count = 0;
        for (const module of modules) {
          if (coder.tokens > TARGET_TOKENS) break;
          yield* coder.read([module.path]);
          yield* coder.write(testFileOf(module), testText(random, module), `Tests for ${moduleOf(module)}.`);
          yield* coder.bash(`cargo test --test ${moduleOf(module)}`);
          for (const bug of bugs.filter(({ path }) => path === module.path)) {
            yield* fixBug(coder, bug, `cargo test --test ${moduleOf(module)}`);
            found.push(bug.func);
          }
          const test = testFileOf(module);
          const numbers = coder
            .seenLines(test)
            .filter((index) => (world.lines(test)[index] ?? '').includes('assert_eq'));
          for (const index of sample(random, numbers, random.int(0, 3)))
            yield* coder.editLine(
              test,
              index,
              (line) => line.replace(/\d+\)/, (digits) => `${Number.parseInt(digits, 10) + random.int(1, 70)})`),
              'The expected number was mine.',
            );
          count += 1;
          if (count % 4 !== 0) continue;
          yield* coder.bash('cargo test');
          yield* coder.say(
            `${count} modules have tests. Bugs found so far: ${found.length === 0 ? 'none' : found.join(', ')}.`,
          );
          yield* coder.user(
            random.pick([
              `Good. ${sentences(random, domain, 2)}`,
              'Go on, but smaller cases please.',
              `Is ${found.at(-1) ?? 'anything'} used elsewhere?`,
            ]),
            random.chance(0.4) ? minutes(random.int(6, 50)) : seconds(random.int(30, 200)),
          );
          if (found.length > 0) yield* coder.grep(found.at(-1) ?? 'fn');
        }
        yield* coder.bash('cargo test');
        yield* coder.say(`All ${count} modules have tests; the bugs were in ${found.join(', ')}.`);
      },
    };
  },
};
