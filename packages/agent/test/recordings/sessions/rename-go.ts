/** Names changed all over a Go code base, straight from what grep shows; short orders. */
import { capital, DOMAINS, pascal } from '../words.ts';
import { minutes, sample, seconds, tweakSomehow } from '../habits.ts';
import { goTest, runner } from '../programs/tests.ts';
import type { SessionPlan } from '../record.ts';
import { plantBugs, plantTree, suiteOf } from '../setup.ts';
import type { Coder } from '../coder.ts';
import type { Does } from '../steps.ts';
import type { Module } from '../code/project.ts';

const TARGET_TOKENS = 153_000;
const domain = DOMAINS.media;

const testFileOf = ({ path }: Module): string => path.replace('.go', '_test.go');

const lower = (name: string): string => name.slice(0, 1).toLowerCase() + name.slice(1);

/** Renames one function in every file that names it; calls are written with a small letter in this code base. */
function* rename(coder: Coder, name: string, fresh: string): Does<number> {
  const { world } = coder;
  const pattern = `${name}|${lower(name)}`;
  yield* coder.grepLines(`\\b(${pattern})\\(`, 'Every place that names it:');
  let edits = 0;
  for (const path of world.paths()) {
    const first = world.lines(path).findIndex((line) => new RegExp(`\\b(${pattern})\\(`).test(line));
    if (first >= 0 && coder.random.chance(0.4))
      yield* coder.readRange(path, Math.max(0, first - 30), coder.random.int(50, 110));
    for (;;) {
      const at = world.lines(path).findIndex((line) => new RegExp(`\\b(${pattern})\\(`).test(line));
      if (at < 0) break;
      const isDone = yield* coder.editLine(path, at, (line) =>
        line.replace(`${name}(`, `${fresh}(`).replace(`${lower(name)}(`, `${lower(fresh)}(`),
      );
      if (!isDone) yield* coder.readRange(path, Math.max(0, at - 6), 14);
      else edits += 1;
      if (edits > 40) return edits;
    }
  }
  return edits;
}

export const renameGo: SessionPlan = {
  name: 'rename-go',
  about: 'names changed all over a code base in Go',
  use: 'held-out',
  startsAt: '2026-03-23T14:00:00Z',
  style: { talk: 0.25, context: 1, reader: 'sed' },
  build(world, random) {
    const folders = ['stream', 'queue', 'licence', 'ingest', 'internal/store'];
    const { project, modules } = plantTree(world, random, {
      language: 'go',
      domain,
      folders,
      modules: 30,
      functions: [2, 5],
      statements: 8,
    });
    const bugs = plantBugs(world, random, { modules, count: 3, testFileOf, testOf: (func) => `Test${capital(func)}` });
    world.write(
      'NAMES.md',
      `# Names\n\nA verb first, then what it is about. Never shorten a noun.\n\n${domain.nouns.map((noun) => `- ${noun}`).join('\n')}\n`,
    );
    return {
      programs: [
        runner({
          command: /^go test (?:\.\/\.\.\.|\.\/(\S+)\/\.\.\.)$/,
          dialect: goTest,
          suite: suiteOf(modules, testFileOf, 4),
          bugs,
          random,
        }),
        { command: /^go vet \.\/\.\.\.$/, run: () => ({ out: '', ms: 7_000 }) },
      ],
      *script(coder) {
        yield* coder.user(
          'Rename functions so that they follow NAMES.md. One at a time, tests after each three. Never rename what internal/store exports.',
          0,
        );
        yield* coder.read(['NAMES.md']);
        yield* coder.bash('ls stream');
        const names = modules.filter(({ path }) => !path.startsWith('internal/')).flatMap(({ functions }) => functions);
        let count = 0;
        for (const name of sample(random, names, names.length)) {
          if (coder.tokens > TARGET_TOKENS) break;
          const fresh = pascal(project.names.verb());
          const edits = yield* rename(coder, name, fresh);
          count += 1;
          if (random.chance(0.5)) {
            const module = random.pick(modules);
            yield* coder.read([module.path]);
            yield* tweakSomehow(coder, project, module.path);
          }
          if (count % 3 === 0) yield* coder.bash(random.chance(0.5) ? 'go test ./...' : 'go vet ./...');
          if (count % 4 !== 0) continue;
          yield* coder.say(`${name} is ${fresh} now, ${edits} places.`);
          yield* coder.user(
            random.pick(['next', 'more', 'fine', `was ${name} not used in licence?`]),
            random.chance(0.2) ? minutes(random.int(6, 30)) : seconds(random.int(5, 60)),
          );
        }
        yield* coder.bash('go test ./...');
        yield* coder.say(`${count} functions have new names.`);
      },
    };
  },
};
