/** An evening with a build that will not work: long outputs, few edits, many digests and versions to keep in mind. */
import { minutes, seconds } from '../habits.ts';
import { cargoBuild, dockerBuild, makeBuild, npmInstall } from '../programs/builds.ts';
import type { SessionPlan } from '../record.ts';
import { page } from '../setup.ts';
import { DOMAINS, hex } from '../words.ts';
import type { Random } from '../../soak/random.ts';

const TARGET_TOKENS = 160_000;
const domain = DOMAINS.fleet;

const PLACES = ['edge', 'core', 'field', 'bench', 'depot'];

function makefile(random: Random): string {
  const targets = domain.verbs.map((verb) => {
    const noun = random.pick(domain.nouns);
    return `${verb}: build/${noun}.o build/${random.pick(domain.nouns)}.o\n\t$(CC) $(CFLAGS) -DLIMIT_${noun.toUpperCase()}=${random.int(10, 9_000)} -o bin/${verb} $^\n\t./tools/stamp --label ${verb}-${random.int(100, 999)} bin/${verb}\n`;
  });
  return `CC = cc\nCFLAGS = -O2 -g -Wall\nJOBS = 8\n\n${targets.join('\n')}`;
}

function compose(random: Random): string {
  const services = PLACES.map(
    (place) =>
      `  ${place}:\n    image: registry.example.org/fleet/${place}@sha256:${hex(random, 64)}\n    environment:\n      WINDOW_MS: "${random.int(100, 9_000)}"\n      PARALLEL_UPLOADS: "${random.int(2, 64)}"\n    ports: ["${random.int(3_000, 9_900)}:8080"]\n`,
  );
  return `services:\n${services.join('')}`;
}

function running(random: Random): string {
  return [
    'CONTAINER ID   IMAGE   STATUS',
    ...PLACES.map(
      (place) =>
        `${hex(random, 12)}   fleet/${place}   ${random.pick(['Up 3 minutes', 'Restarting (1) 8 seconds ago', 'Up 2 hours', 'Exited (137)'])}`,
    ),
  ].join('\n');
}

export const shellMarathon: SessionPlan = {
  name: 'shell-marathon',
  about: 'a build that fails, with long outputs and few edits',
  use: 'tune',
  startsAt: '2026-07-01T17:20:00Z',
  style: { talk: 0.45, context: 1, reader: 'cat' },
  build(world, random) {
    world.write('Makefile', makefile(random));
    world.write('compose.yaml', compose(random));
    world.write('docs/build.md', page(random, domain, 'Building', 6));
    const isFine = (): boolean => random.chance(0.6);
    return {
      programs: [
        {
          command: /^make (?:-j8 )?(\w+)$/,
          run: ([, target = '']) => ({
            out: `${makeBuild(random, domain, random.int(40, 130))}${isFine() ? '' : `\nmake: *** [Makefile:${random.int(10, 60)}: ${target}] Error 1`}`,
            ms: 61_000,
          }),
        },
        { command: /^cargo build.*$/, run: () => ({ out: cargoBuild(random, random.int(60, 160)), ms: 140_000 }) },
        { command: /^npm ci.*$/, run: () => ({ out: npmInstall(random, random.int(40, 110)), ms: 38_000 }) },
        {
          command: /^docker compose build (\w+)$/,
          run: () => ({ out: dockerBuild(random, random.int(14, 40)), ms: 190_000 }),
        },
        { command: /^docker compose ps$/, run: () => ({ out: running(random) }) },
        {
          command: /^docker inspect (\w+)$/,
          run: ([, place = '']) => ({
            out: JSON.stringify(
              {
                Name: place,
                Id: hex(random, 64),
                RestartCount: random.int(0, 90),
                Digest: `sha256:${hex(random, 64)}`,
                Mounts: Array.from({ length: random.int(3, 9) }, () => ({
                  Source: `/srv/${random.pick(domain.nouns)}/${hex(random, 8)}`,
                  Mode: 'rw',
                })),
              },
              null,
              2,
            ),
          }),
        },
        {
          command: /^docker compose up --wait (\w+)$/,
          run: ([, place = '']) => ({
            out: `Container fleet-${place}-1  Starting\nContainer fleet-${place}-1  Unhealthy after 300 s`,
            ms: 300_000,
            isInterrupted: true,
          }),
        },
      ],
      *script(coder) {
        yield* coder.user(
          'nothing builds since the base image moved. get all five containers up. never touch the tools folder, and pin what you change by digest.',
          0,
        );
        yield* coder.bash('ls');
        yield* coder.read(['Makefile']);
        yield* coder.read(['compose.yaml']);
        for (let round = 0; coder.tokens < TARGET_TOKENS; round += 1) {
          const target = random.pick(domain.verbs);
          const place = random.pick(PLACES);
          yield* coder.bash(`make -j8 ${target}`, `I build ${target}.`);
          if (random.chance(0.6)) {
            const at = world.lines('Makefile').findIndex((line) => line.startsWith(`${target}:`)) + 1;
            yield* coder.editLine(
              'Makefile',
              at,
              (line) => line.replace(/=(\d+)/, (_, digits: string) => `=${Number(digits) + random.int(1, 40)}`),
              'The limit is too small.',
            );
          }
          yield* coder.bash(
            random.pick(['cargo build --workspace', 'npm ci --ignore-scripts', `docker compose build ${place}`]),
          );
          const { text } = yield* coder.bash(`docker inspect ${place}`, `What does ${place} run?`);
          const digest = /sha256:[0-9a-f]{64}/.exec(text)?.[0] ?? '';
          if (digest !== '') {
            const at = world.lines('compose.yaml').findIndex((line) => line.includes(`fleet/${place}@`));
            yield* coder.editLine(
              'compose.yaml',
              at,
              (line) => line.replace(/@sha256:\w+/, `@${digest}`),
              'Pinned by what runs.',
            );
          }
          if (random.chance(0.5)) yield* coder.bash('docker compose ps');
          if (round % 7 === 5) {
            yield* coder.bash(`docker compose up --wait ${place}`, 'I wait until it is healthy.');
            yield* coder.user(`that hangs, leave ${place} alone for now`, seconds(4));
          } else if (round % 4 === 3) {
            yield* coder.say(`${target} builds; ${place} is pinned to ${digest.slice(0, 19)}.`);
            yield* coder.user(
              random.pick(['and the others?', 'still red here', `why ${place}?`, 'ok']),
              random.chance(0.4) ? minutes(random.int(6, 45)) : seconds(random.int(10, 90)),
            );
          }
        }
        yield* coder.read(['compose.yaml']);
        yield* coder.say('All five are pinned by digest and build.');
      },
    };
  },
};
