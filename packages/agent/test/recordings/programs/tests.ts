/** Test runners that look at the files: a test fails while the line it is about is wrong. */
import type { Random } from '../../soak/random.ts';
import type { Program } from '../shell.ts';
import type { World } from '../world.ts';

export interface Bug {
  readonly path: string;
  readonly good: string;
  readonly bad: string;
  readonly func: string;
  readonly testFile: string;
  readonly test: string;
  readonly expected: string;
  readonly actual: string;
}

/** Breaks a line of a file before anybody looks at it. Undefined where no line lends itself to it. */
export function plantBug(
  world: World,
  random: Random,
  about: { readonly path: string; readonly func: string; readonly testFile: string; readonly test: string },
): Bug | undefined {
  const lines = world.lines(about.path);
  const start = lines.findIndex(
    (line) => line.includes(about.func) && /function|def |func |pub fn|public static/.test(line),
  );
  const body = lines.slice(start + 1, start + 25).filter((line) => /[<>=+*-] \d{2,}/.test(line));
  const once = body.filter((line) => world.text(about.path).split(`\n${line}\n`).length === 2);
  if (start < 0 || once.length === 0) return undefined;
  const good = random.pick(once);
  const bad = good.replace(/\d{2,}/, (digits) => String(Number(digits) * 10 + 1));
  world.write(
    about.path,
    world.text(about.path).replace(`\n${good}\n`, () => `\n${bad}\n`),
  );
  const expected = String(random.int(100, 90_000));
  return { ...about, good, bad, expected, actual: String(Number(expected) + random.int(3, 900)) };
}

export function isBroken(world: World, { path, good }: Bug): boolean {
  return !world.text(path).includes(`\n${good}\n`);
}

export interface Suite {
  readonly files: readonly string[];
  readonly perFile: number;
}

export interface TestRun {
  readonly failed: readonly Bug[];
  readonly suite: Suite;
  readonly seconds: number;
  readonly lineOf: (bug: Bug) => number;
}

export type Dialect = (run: TestRun) => string;

const rule = (text: string, char: string, width = 80): string => {
  const side = Math.max(3, Math.floor((width - text.length - 2) / 2));
  return `${char.repeat(side)} ${text} ${char.repeat(side)}`;
};

const countOf = ({ suite }: TestRun): number => suite.files.length * suite.perFile;

export const pytest: Dialect = (run) => {
  const { failed, suite, seconds, lineOf } = run;
  const rows = suite.files.map((file, index) => {
    const fails = failed.filter(({ testFile }) => testFile === file).length;
    const dots = '.'.repeat(suite.perFile - fails) + 'F'.repeat(fails);
    return `${file} ${dots} [${String(Math.round(((index + 1) * 100) / suite.files.length)).padStart(3)}%]`;
  });
  const details = failed.flatMap((bug) => [
    rule(bug.test, '_'),
    '',
    `    def ${bug.test}(sample_items):`,
    `>       assert ${bug.func}(sample_items, 40) == ${bug.expected}`,
    `E       assert ${bug.actual} == ${bug.expected}`,
    `E        +  where ${bug.actual} = ${bug.func}([Item(id=1, count=3), Item(id=2, count=8)], 40)`,
    '',
    `${bug.testFile}:${20 + bug.test.length}: AssertionError`,
    `${bug.path}:${lineOf(bug)}: in ${bug.func}`,
  ]);
  const summary = failed.map((bug) => `FAILED ${bug.testFile}::${bug.test} - assert ${bug.actual} == ${bug.expected}`);
  const passed = countOf(run) - failed.length;
  return [
    rule('test session starts', '='),
    'platform linux -- Python 3.12.3, pytest-8.2.0, pluggy-1.5.0',
    `collected ${countOf(run)} items`,
    '',
    ...rows,
    ...(failed.length === 0
      ? []
      : ['', rule('FAILURES', '='), ...details, rule('short test summary info', '='), ...summary]),
    rule(`${failed.length === 0 ? '' : `${failed.length} failed, `}${passed} passed in ${seconds.toFixed(2)}s`, '='),
  ].join('\n');
};

export const vitest: Dialect = (run) => {
  const { failed, suite, seconds, lineOf } = run;
  const rows = suite.files.map((file) => {
    const fails = failed.filter(({ testFile }) => testFile === file);
    return fails.length === 0
      ? ` ✓ ${file} (${suite.perFile} tests)`
      : [
          ` ❯ ${file} (${suite.perFile} tests | ${fails.length} failed)`,
          ...fails.map(({ test }) => `   × ${test}`),
        ].join('\n');
  });
  const details = failed.flatMap((bug) => [
    ` FAIL  ${bug.testFile} > ${bug.test}`,
    `AssertionError: expected ${bug.actual} to be ${bug.expected} // Object.is equality`,
    '',
    `- Expected   ${bug.expected}`,
    `+ Received   ${bug.actual}`,
    '',
    ` ❯ ${bug.func} ${bug.path}:${lineOf(bug)}:9`,
    ` ❯ ${bug.testFile}:${20 + bug.test.length}:38`,
    '',
  ]);
  return [
    ...rows,
    '',
    ...details,
    ` Test Files  ${failed.length === 0 ? '' : `${new Set(failed.map(({ testFile }) => testFile)).size} failed | `}${suite.files.length} total`,
    `      Tests  ${failed.length === 0 ? '' : `${failed.length} failed | `}${countOf(run) - failed.length} passed (${countOf(run)})`,
    `   Duration  ${seconds.toFixed(2)}s`,
  ].join('\n');
};

export const goTest: Dialect = ({ failed, suite, seconds, lineOf }) =>
  suite.files
    .flatMap((file) => {
      const pack = file.replace(/\/[^/]*$/, '');
      const fails = failed.filter(({ testFile }) => testFile === file);
      if (fails.length === 0) return [`ok  \texample.org/app/${pack}\t${(seconds / suite.files.length).toFixed(3)}s`];
      return [
        ...fails.flatMap((bug) => [
          `--- FAIL: ${bug.test} (0.02s)`,
          `    ${bug.testFile.replace(/.*\//, '')}:${20 + bug.test.length}: ${bug.func}() = ${bug.actual}, want ${bug.expected}`,
          `    ${bug.path}:${lineOf(bug)}`,
        ]),
        'FAIL',
        `FAIL\texample.org/app/${pack}\t${(seconds / suite.files.length).toFixed(3)}s`,
      ];
    })
    .join('\n');

export const cargo: Dialect = (run) => {
  const { failed, suite, seconds, lineOf } = run;
  const rows = suite.files.flatMap((file) => {
    const module = file.replace(/^tests\/|\.rs$/g, '');
    const fails = failed.filter(({ testFile }) => testFile === file);
    const fine = Array.from(
      { length: suite.perFile - fails.length },
      (_, index) => `test ${module}::case_${index + 1} ... ok`,
    );
    return [...fine, ...fails.map(({ test }) => `test ${module}::${test} ... FAILED`)];
  });
  const details = failed.flatMap((bug) => [
    `---- ${bug.test} stdout ----`,
    `thread '${bug.test}' panicked at ${bug.path}:${lineOf(bug)}:13:`,
    'assertion `left == right` failed',
    `  left: ${bug.actual}`,
    ` right: ${bug.expected}`,
    '',
  ]);
  return [
    `running ${countOf(run)} tests`,
    ...rows,
    '',
    ...(failed.length === 0 ? [] : ['failures:', '', ...details]),
    `test result: ${failed.length === 0 ? 'ok' : 'FAILED'}. ${countOf(run) - failed.length} passed; ${failed.length} failed; 0 ignored; finished in ${seconds.toFixed(2)}s`,
  ].join('\n');
};

export const gradle: Dialect = (run) => {
  const { failed, seconds, lineOf } = run;
  const details = failed.flatMap((bug) => [
    `${bug.testFile.replace(/.*\/|\.java$/g, '')} > ${bug.test}() FAILED`,
    `    org.opentest4j.AssertionFailedError: expected: <${bug.expected}> but was: <${bug.actual}>`,
    `        at app//${bug.path
      .replace(/^src\/main\/java\//, '')
      .replaceAll('/', '.')
      .replace('.java', '')}.${bug.func}(${bug.path.replace(/.*\//, '')}:${lineOf(bug)})`,
    '',
  ]);
  return [
    '> Task :compileJava',
    '> Task :processResources NO-SOURCE',
    '> Task :compileTestJava',
    '> Task :test',
    '',
    ...details,
    `${countOf(run)} tests completed, ${failed.length} failed`,
    '',
    `BUILD ${failed.length === 0 ? 'SUCCESSFUL' : 'FAILED'} in ${Math.round(seconds)}s`,
  ].join('\n');
};

export interface RunnerOptions {
  readonly command: RegExp;
  readonly dialect: Dialect;
  readonly suite: Suite;
  readonly bugs: readonly Bug[];
  readonly random: Random;
}

/** A command that runs the suite; with a word in its first group only the files that have it in their path. */
export function runner({ command, dialect, suite, bugs, random }: RunnerOptions): Program {
  return {
    command,
    run([, filter], world) {
      const files = suite.files.filter((file) => filter === undefined || file.includes(filter));
      const failed = bugs.filter((bug) => files.includes(bug.testFile) && isBroken(world, bug));
      const seconds = 1 + files.length * 0.4 + random.int(0, 400) / 100;
      const lineOf = ({ path, bad }: Bug): number => world.lines(path).indexOf(bad) + 1;
      const out = dialect({ failed, suite: { ...suite, files }, seconds, lineOf });
      return { out, code: failed.length === 0 ? 0 : 1, ms: seconds * 1_000 };
    },
  };
}
