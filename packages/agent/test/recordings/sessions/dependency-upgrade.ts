/** A major version of a framework: a guide too long to read at once, and type errors by the hundred that go away file by file. */
import { camel, DOMAINS, pascal, sentences } from '../words.ts';
import { minutes, sample, seconds } from '../habits.ts';
import { npmInstall, type TypeProblem, typeErrors } from '../programs/builds.ts';
import type { SessionPlan } from '../record.ts';
import { plantTree } from '../setup.ts';
import type { Module } from '../code/project.ts';
import type { Coder } from '../coder.ts';
import type { Does } from '../steps.ts';
import type { Random } from '../../soak/random.ts';

const TARGET_TOKENS = 161_000;
const domain = DOMAINS.fleet;
const GUIDE = 'docs/UPGRADING.md';

interface Renamed {
  readonly old: string;
  readonly fresh: string;
}

function guide(random: Random, renames: readonly Renamed[]): string {
  const parts = renames.map(
    ({ old, fresh }, index) =>
      `### ${index + 1}. \`${old}\` became \`${fresh}\`\n\n${sentences(random, domain, random.int(4, 8))}\n\n\`\`\`ts\n// before\nconst reading = ${old}(device, { timeoutMs: ${random.int(10, 900)} });\n// after\nconst reading = await ${fresh}(device, AbortSignal.timeout(${random.int(10, 900)}));\n\`\`\`\n`,
  );
  return `# Upgrading to 5\n\n${sentences(random, domain, 6)}\n\n${parts.join('\n')}`;
}

/** What the guide says of a name is looked up again now and then. */
function* mend(coder: Coder, { path, message }: TypeProblem, line: number | undefined): Does<void> {
  const { random, world } = coder;
  const [, old = '', fresh = ''] = /named '(\w+)'. Did you mean '(\w+)'/.exec(message) ?? [];
  const place = world.lines(GUIDE).findIndex((text) => text.includes(`\`${old}\``));
  if (place >= 0 && random.chance(0.35)) yield* coder.readRange(GUIDE, place, 16);
  const change = (text: string): string =>
    text.replace(`${old}(device, { timeoutMs: `, `await ${fresh}(device, AbortSignal.timeout(`).replace(' });', '));');
  if (line !== undefined) yield* coder.editLine(path, line - 1, change, `${old} is ${fresh} now.`);
}

export const dependencyUpgrade: SessionPlan = {
  name: 'dependency-upgrade',
  about: 'the upgrade of a framework across a code base in TypeScript',
  use: 'held-out',
  startsAt: '2026-09-03T12:30:00Z',
  style: { talk: 0.4, context: 2, reader: 'tool' },
  build(world, random) {
    const renames = Array.from({ length: 90 }, (): Renamed => {
      const [noun = '', other = ''] = sample(random, domain.nouns, 2);
      const verb = random.pick(domain.verbs);
      return {
        old: camel([verb, noun, other]),
        fresh: camel([verb, `${noun}${pascal([other])}`, random.pick(['async', 'once', 'safely'])]),
      };
    });
    const { modules } = plantTree(world, random, {
      language: 'typescript',
      domain,
      folders: ['src/devices', 'src/routes', 'src/alerts'],
      modules: 72,
      functions: [2, 4],
      statements: 8,
    });
    const problems: TypeProblem[] = [];
    for (const { path } of modules) {
      for (const { old, fresh } of sample(random, renames, random.int(3, 7))) {
        const use = `  const ${camel([random.pick(domain.nouns), 'was', String(random.int(10, 99))])} = ${old}(device, { timeoutMs: ${random.int(10, 990)} });`;
        const lines = world.lines(path);
        const at = lines.findIndex((line, index) => index > random.int(5, 60) && line.startsWith('export function'));
        if (at < 0) continue;
        world.write(path, [...lines.slice(0, at + 1), use, ...lines.slice(at + 1)].join('\n'));
        problems.push({
          path,
          while: use,
          code: `TS${random.pick(['2345', '2554', '2305', '2724'])}`,
          message: `'"@fleet/sdk"' has no exported member named '${old}'. Did you mean '${fresh}'?`,
        });
      }
    }
    world.write(GUIDE, guide(random, renames));
    world.write(
      'package.json',
      `${JSON.stringify({ name: 'fleet-console', dependencies: { '@fleet/sdk': '^4.9.2', hono: '^4.6.0' }, scripts: { check: 'tsc --noEmit' } }, null, 2)}\n`,
    );
    const lineOf = ({ path, while: use }: TypeProblem): number | undefined => {
      const at = world.lines(path).indexOf(use);
      return at < 0 ? undefined : at + 1;
    };
    return {
      programs: [
        {
          command: /^npx tsc --noEmit(?: \| head -(\d+))?$/,
          run([, cap]) {
            const { out, code } = typeErrors(problems, lineOf);
            return {
              out: cap === undefined ? out : out.split('\n').slice(0, Number(cap)).join('\n'),
              code: cap === undefined ? code : 0,
              ms: 14_000,
            };
          },
        },
        { command: /^npm install @fleet\/sdk@5$/, run: () => ({ out: npmInstall(random, 120), ms: 41_000 }) },
      ],
      *script(coder) {
        yield* coder.user(
          `Upgrade @fleet/sdk from 4 to 5. The guide is ${GUIDE}. Never add a compatibility layer, and leave src/alerts for last.`,
          0,
        );
        yield* coder.read(['package.json']);
        yield* coder.bash('npm install @fleet/sdk@5');
        yield* coder.editLine(
          'package.json',
          world.lines('package.json').findIndex((line) => line.includes('@fleet/sdk')),
          (line) => line.replace('^4.9.2', '^5.0.1'),
        );
        const size = world.lines(GUIDE).length;
        for (let from = 0; from < Math.min(size, 700); from += 140) yield* coder.readRange(GUIDE, from, 140);
        yield* coder.bash('npx tsc --noEmit', 'Now the errors.');
        const isLast = ({ path }: Module): boolean => path.startsWith('src/alerts');
        const order = [...modules.filter((module) => !isLast(module)), ...modules.filter(isLast)];
        let count = 0;
        for (const { path } of order) {
          if (coder.tokens > TARGET_TOKENS) break;
          yield* coder.read([path]);
          for (const problem of problems.filter((one) => one.path === path))
            yield* mend(coder, problem, lineOf(problem));
          count += 1;
          if (count % 3 === 0) yield* coder.bash('npx tsc --noEmit | head -30', 'What is left?');
          if (count % 7 !== 0) continue;
          yield* coder.say(`${count} files compile against 5.`);
          yield* coder.user(
            random.pick([
              'Go on.',
              `Why ${renames[count]?.fresh ?? ''} and not the old one?`,
              `${sentences(random, domain, 1)} Keep going.`,
            ]),
            random.chance(0.3) ? minutes(random.int(6, 35)) : seconds(random.int(10, 150)),
          );
        }
        yield* coder.bash('npx tsc --noEmit | head -60');
        yield* coder.say(`${count} of ${modules.length} files are through.`);
      },
    };
  },
};
