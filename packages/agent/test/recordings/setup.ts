/** Worlds that several sessions begin with. */
import type { Random } from '../soak/random.ts';
import { LANGUAGES, type LanguageName } from './code/languages.ts';
import { createProject, type Module, type Project } from './code/project.ts';
import type { Coder } from './coder.ts';
import { sample } from './habits.ts';
import { type Bug, plantBug, type Suite } from './programs/tests.ts';
import type { Does } from './steps.ts';
import { type Domain, sentences } from './words.ts';
import type { World } from './world.ts';

export interface TreeOptions {
  readonly language: LanguageName;
  readonly domain: Domain;
  readonly folders: readonly string[];
  readonly modules: number;
  /** Of each module, from and to. */
  readonly functions: readonly [number, number];
  readonly statements: number;
}

export interface Tree {
  readonly project: Project;
  readonly modules: readonly Module[];
}

export function plantTree(world: World, random: Random, options: TreeOptions): Tree {
  const { language, domain, folders, functions, statements } = options;
  const project = createProject({ random, domain, language: LANGUAGES[language], folders });
  const modules = Array.from({ length: options.modules }, (_, index) => {
    const folder = folders[index % folders.length] ?? 'src';
    const module = project.module({ functions: random.int(...functions), statements, folder });
    world.write(module.path, module.text);
    return module;
  });
  return { project, modules };
}

/** A bug in each of some modules, and the suite that finds them. */
export function plantBugs(
  world: World,
  random: Random,
  about: {
    readonly modules: readonly Module[];
    readonly count: number;
    readonly testFileOf: (module: Module) => string;
    readonly testOf: (func: string) => string;
  },
): readonly Bug[] {
  const { modules, count, testFileOf, testOf } = about;
  return sample(random, modules, modules.length)
    .flatMap((module) => {
      const func = random.pick(module.functions);
      return (
        plantBug(world, random, { path: module.path, func, testFile: testFileOf(module), test: testOf(func) }) ?? []
      );
    })
    .slice(0, count);
}

export function suiteOf(modules: readonly Module[], testFileOf: (module: Module) => string, perFile: number): Suite {
  return { files: [...new Set(modules.map(testFileOf))].sort(), perFile };
}

/** Markdown with headings, prose, lists and a table. */
export function page(random: Random, domain: Domain, title: string, sections: number): string {
  const parts = Array.from({ length: sections }, () => {
    const [noun, other] = sample(random, domain.nouns, 2);
    const points = Array.from({ length: random.int(2, 6) }, () => `- ${sentences(random, domain, 1)}`);
    const rows = sample(random, domain.nouns, random.int(2, 5)).map(
      (name) => `| ${name} | ${random.int(1, 900)} | ${sentences(random, domain, 1)} |`,
    );
    return [
      `## How the ${noun} meets the ${other}`,
      '',
      sentences(random, domain, random.int(2, 5)),
      '',
      ...(random.chance(0.6) ? [...points, ''] : []),
      ...(random.chance(0.3) ? ['| name | default | meaning |', '| --- | --- | --- |', ...rows, ''] : []),
    ].join('\n');
  });
  return `# ${title}\n\n${sentences(random, domain, 3)}\n\n${parts.join('\n')}`;
}

/** Finds what a failing test is about and puts it right, as the traceback leads. */
export function* fixBug(coder: Coder, bug: Bug, rerun: string): Does<void> {
  const { random, world } = coder;
  if (random.chance(0.6)) yield* coder.grep(bug.func);
  const at = world.lines(bug.path).indexOf(bug.bad);
  const from = Math.max(0, at - random.int(10, 30));
  if (random.chance(0.5)) yield* coder.read([bug.path]);
  else yield* coder.readRange(bug.path, from, random.int(45, 90));
  const line = world.lines(bug.path).indexOf(bug.bad);
  if (!coder.hasSeen(bug.path, bug.bad)) yield* coder.readRange(bug.path, Math.max(0, line - 8), 20);
  if (random.chance(0.15)) yield* coder.misremember(bug.path, line);
  // The line above comes with a re-read where a stub stood for the text.
  const words = `${bug.actual} instead of ${bug.expected}: the number in ${bug.func} is wrong.`;
  yield* coder.edit(bug.path, [line, line + 1], [bug.good], words);
  yield* coder.bash(rerun, 'Again, only these tests.');
}
