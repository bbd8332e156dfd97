/** A feature through all layers of a web application: migration, server, client, styles, tests. The user changes their mind and interrupts. */
import { minutes, sample, seconds, tweakSomehow } from '../habits.ts';
import { createProject, type Module } from '../code/project.ts';
import { LANGUAGES } from '../code/languages.ts';
import { runner, vitest } from '../programs/tests.ts';
import { typeErrors } from '../programs/builds.ts';
import type { Coder } from '../coder.ts';
import type { Does } from '../steps.ts';
import type { SessionPlan } from '../record.ts';
import { page, plantBugs, plantTree, suiteOf } from '../setup.ts';
import { camel, DOMAINS, kebab, pascal, sentences, snake } from '../words.ts';
import type { Random } from '../../soak/random.ts';

const TARGET_TOKENS = 178_000;
const domain = DOMAINS.media;
const STEPS = ['store', 'api', 'client', 'tests'];

const testFileOf = ({ path }: Module): string => `${path.replace('.ts', '')}.test.ts`;

function component(random: Random, words: readonly string[]): string {
  const name = pascal(words);
  const rows = Array.from({ length: random.int(6, 14) }, () => {
    const [noun = '', other = ''] = sample(random, domain.nouns, 2);
    return `      <li className="${noun}-row" data-${other}={props.${camel([noun, other])}}>{format(props.${camel([noun, 'label'])}, ${random.int(10, 90)})}</li>`;
  });
  const effect = `  useEffect(() => subscribe('${snake(words)}', (event) => setState(event.${camel([random.pick(domain.nouns), 'id'])})), [props.id]);`;
  return [
    "import { useEffect, useState } from 'react';",
    "import { format, subscribe } from '../lib/events.ts';",
    '',
    `// ${sentences(random, domain, 1)}`,
    `export function ${name}(props: ${name}Props) {`,
    `  const [state, setState] = useState<string | undefined>('${random.pick(domain.verbs)}');`,
    effect,
    '  return (',
    `    <ul className="${kebab(words)}" aria-busy={state === undefined}>`,
    ...rows,
    '    </ul>',
    '  );',
    '}',
    '',
  ].join('\n');
}

function migration(random: Random, number: number): { readonly path: string; readonly text: string } {
  const [noun = '', other = ''] = sample(random, domain.nouns, 2);
  const columns = Array.from(
    { length: random.int(4, 9) },
    () =>
      `  ${random.pick(domain.nouns)}_${random.pick(['id', 'count', 'label', 'at'])} ${random.pick(['text not null', 'bigint', 'timestamptz default now()', `varchar(${random.int(20, 200)})`])},`,
  );
  return {
    path: `migrations/${String(number).padStart(4, '0')}_${noun}_${other}.sql`,
    text: `-- ${sentences(random, domain, 1)}\ncreate table ${noun}_${other} (\n  id uuid primary key,\n${columns.join('\n')}\n  created_at timestamptz not null\n);\ncreate index ${noun}_${other}_by_time on ${noun}_${other} (created_at);\n`,
  };
}

/** One row more in a component. */
function* showShared(coder: Coder, path: string, name: readonly string[]): Does<void> {
  const { random, world } = coder;
  const rows = coder.seenLines(path).filter((index) => (world.lines(path)[index] ?? '').includes('<li'));
  if (rows.length === 0) return;
  const owner = camel([...name, 'owner']);
  const row = `      <li className="${kebab(name)}-shared">{format(props.${owner}, ${random.int(10, 90)})}</li>`;
  yield* coder.editLine(path, random.pick(rows), (line) => `${line}\n${row}`, 'And the client shows it.');
}

/** Checks of one kind or the other, and the list of what is to do. */
function* checks(coder: Coder, round: number): Does<void> {
  if (round % 4 === 1) yield* coder.bash('npm test', 'Do the tests pass?');
  if (round % 4 === 3) yield* coder.bash('npx tsc --noEmit');
  if (round % 5 === 4) yield* coder.todo(STEPS, Math.min(3, Math.floor(round / 6)));
}

export const webappFeature: SessionPlan = {
  name: 'webapp-feature',
  about: 'a feature of a web application from the migration to the button',
  use: 'tune',
  startsAt: '2026-06-18T10:05:00Z',
  style: { talk: 0.7, context: 3, reader: 'tool' },
  build(world, random) {
    const { project, modules } = plantTree(world, random, {
      language: 'typescript',
      domain,
      folders: ['server/api', 'server/store'],
      modules: 18,
      functions: [2, 5],
      statements: 10,
    });
    const words = createProject({ random, domain, language: LANGUAGES.typescript, folders: ['client'] }).names;
    const components = Array.from({ length: 16 }, () => words.noun());
    const pathOf = (name: readonly string[]): string => `client/${kebab(name)}.tsx`;
    for (const name of components) world.write(pathOf(name), component(random, name));
    for (let number = 1; number <= 11; number += 1) {
      const { path, text } = migration(random, number);
      world.write(path, text);
    }
    world.write('docs/feature.md', page(random, domain, 'Shared queues', 9));
    const bugs = plantBugs(world, random, {
      modules,
      count: 4,
      testFileOf,
      testOf: (func) => `keeps ${func} in order`,
    });
    const suite = suiteOf(modules, testFileOf, 5);
    return {
      programs: [
        runner({ command: /^npm test ?(?:-- )?(\S+)?$/, dialect: vitest, suite, bugs, random }),
        { command: /^npx tsc --noEmit$/, run: () => ({ ...typeErrors([], () => undefined), ms: 9_000 }) },
      ],
      *script(coder) {
        yield* coder.user(
          'We build shared queues, the specification is docs/feature.md. Begin with the server. Always write a migration for what is stored, never change one that exists. The interface stays in English.',
          0,
        );
        yield* coder.read(['docs/feature.md']);
        yield* coder.bash('ls migrations');
        let number = 11;
        yield* coder.todo(STEPS, 0);
        for (let round = 0; coder.tokens < TARGET_TOKENS; round += 1) {
          const [one, other] = sample(random, modules, 2);
          if (one === undefined || other === undefined) break;
          yield* coder.read([one.path, other.path]);
          if (random.chance(0.5)) {
            number += 1;
            const { path, text } = migration(random, number);
            yield* coder.write(path, text, 'What is new has to be stored.');
          }
          yield* tweakSomehow(coder, project, one.path, 'The handler takes the queue into account.');
          yield* tweakSomehow(coder, project, other.path);
          const name = random.pick(components);
          yield* coder.read([pathOf(name)]);
          yield* showShared(coder, pathOf(name), name);
          if (round % 3 === 0) {
            const fresh = words.noun();
            yield* coder.write(pathOf(fresh), component(random, fresh), 'A component of its own.');
            components.push(fresh);
          }
          yield* checks(coder, round);
          if (round === 6 || round === 15) {
            yield* coder.interrupted();
            yield* coder.user(
              `Stop. The ${random.pick(domain.nouns)} must not be shared; take that out of ${one.path} again before you go on.`,
              seconds(8),
            );
            yield* tweakSomehow(coder, project, one.path, 'Taken out.');
          } else if (round % 5 === 2) {
            yield* coder.say(`${one.path} and ${other.path} know shared queues now, and ${pascal(name)} shows them.`);
            yield* coder.user(
              `${sentences(random, domain, random.int(1, 3))} Also look at ${random.pick(modules).path}.`,
              random.chance(0.3) ? minutes(random.int(8, 60)) : seconds(random.int(15, 200)),
            );
          }
        }
        yield* coder.bash('npm test');
        yield* coder.say(`Shared queues work from migration ${number} to the client.`);
      },
    };
  },
};
