/** Long outputs of builds, installs and containers. */
import type { Random } from '../../soak/random.ts';
import { type Domain, hex } from '../words.ts';

const version = (random: Random): string => `${random.int(0, 9)}.${random.int(0, 30)}.${random.int(0, 20)}`;

const LIBRARIES =
  'serde tokio bytes hyper tower rustls ring regex memchr syn quote log rand time url http mime base64 sha2 flate2 nom clap anyhow tracing futures'.split(
    ' ',
  );

export function cargoBuild(random: Random, crates: number): string {
  const rows = Array.from({ length: crates }, () => {
    const verb = random.weighted({ Compiling: 6, Downloaded: 2, Checking: 1 });
    const name = `${random.pick(LIBRARIES)}-${random.pick(LIBRARIES)}`;
    return `   ${verb} ${name} v${version(random)}`;
  });
  return [
    ...rows,
    `    Finished \`dev\` profile [unoptimized + debuginfo] target(s) in ${random.int(20, 180)}.${random.int(10, 99)}s`,
  ].join('\n');
}

export function makeBuild(random: Random, { nouns, verbs }: Domain, files: number): string {
  const rows = Array.from({ length: files }, (_, index) => {
    const name = `${random.pick(verbs)}_${random.pick(nouns)}`;
    const compile = `[${index + 1}/${files}] cc -O2 -g -Wall -Wextra -Iinclude -Ithird_party/include -DNDEBUG -MMD -c src/${name}.c -o build/${name}.o`;
    if (!random.chance(0.08)) return compile;
    return `${compile}\nsrc/${name}.c:${random.int(10, 900)}:${random.int(3, 60)}: warning: unused variable '${random.pick(nouns)}_${random.pick(nouns)}' [-Wunused-variable]`;
  });
  return rows.join('\n');
}

export function npmInstall(random: Random, packages: number): string {
  const rows = Array.from({ length: packages }, () => {
    const name = `${random.pick(LIBRARIES)}-${random.pick(['utils', 'core', 'plugin', 'types', 'cli', 'loader'])}`;
    return random.chance(0.15)
      ? `npm warn deprecated ${name}@${version(random)}: no longer maintained, use ${random.pick(LIBRARIES)} instead`
      : `npm http fetch GET 200 https://registry.example.org/${name} ${random.int(20, 900)}ms (cache ${random.pick(['miss', 'hit', 'revalidated'])})`;
  });
  return [
    ...rows,
    '',
    `added ${packages * 3} packages, and audited ${packages * 4} packages in ${random.int(4, 60)}s`,
  ].join('\n');
}

export function dockerBuild(random: Random, steps: number): string {
  const rows = Array.from({ length: steps }, (_, index) => [
    `#${index + 5} [stage ${random.int(1, 3)}/3] RUN ${random.pick(['apt-get install -y', 'npm ci --omit', 'cp -a', 'chown -R'])} ${random.pick(LIBRARIES)}-${random.pick(LIBRARIES)}`,
    `#${index + 5} sha256:${hex(random, 64)} ${random.int(1, 90)}.${random.int(10, 99)}MB / ${random.int(91, 200)}.${random.int(10, 99)}MB`,
    `#${index + 5} DONE ${random.int(0, 30)}.${random.int(0, 9)}s`,
  ]);
  return rows.flat().join('\n');
}

export interface TypeProblem {
  readonly path: string;
  /** The file is wrong while this stands in it. */
  readonly while: string;
  readonly code: string;
  readonly message: string;
}

export function typeErrors(
  problems: readonly TypeProblem[],
  lineOf: (problem: TypeProblem) => number | undefined,
): { readonly out: string; readonly code: number } {
  const open = problems.flatMap((problem) => {
    const line = lineOf(problem);
    return line === undefined ? [] : [`${problem.path}(${line},5): error ${problem.code}: ${problem.message}`];
  });
  if (open.length === 0) return { out: '', code: 0 };
  const files = new Set(open.map((text) => text.replace(/\(.*/, ''))).size;
  return { out: `${open.join('\n')}\n\nFound ${open.length} errors in ${files} files.`, code: 2 };
}
