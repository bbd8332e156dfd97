/**
 * What an output says went wrong: names of failing tests and how many, and the lines of compilers and tracebacks that name an
 * error. Line by line, each line against anchored patterns: time is linear in the text.
 */

export interface Diagnosis {
  /** Names of failing tests, in order, each once. */
  readonly failedTests: readonly string[];
  /** How many tests the runner says failed, where it says so. */
  readonly failedCount?: number;
  /** Lines that name an error, with file and place where the line has them, in order, each once. */
  readonly errors: readonly string[];
}

/** More names or errors than this only repeat that much is broken. */
const MAX_TESTS = 100;
const MAX_ERRORS = 20;
/** Characters looked at, from either end; and of a line. */
const MAX_END_CHARS = 200_000;
const MAX_LINE_CHARS = 400;

/** Patterns whose first group is a test's name, by runner. */
const TESTS: readonly RegExp[] = [
  // vitest: ` FAIL  test/a.test.ts > suite > name`; jest's `FAIL src/a.test.ts` is the file, named again by its tests.
  /^\s*FAIL\s+(\S.* > .+)$/,
  // jest: `  ● suite › name`
  /^\s*● ((?!Console$|Test suite failed).*\S)\s*$/,
  // vitest's list: `   × name 12ms`
  /^\s+[×✗] (.+?)(?: \d+ ?m?s)?$/,
  // node's spec reporter: `✖ name (1.2ms)`
  /^\s*✖ (?!failing tests)(.+?) \(\d[\d.]*m?s\)/,
  // TAP: `not ok 3 - name`
  /^\s*not ok \d+ -? ?((?:(?! # (?:TODO|SKIP)).)+)$/i,
  // pytest: `FAILED tests/test_a.py::test_x - AssertionError: …`
  /^(?:FAILED|ERROR) (\S+::.+?)(?: - .*)?$/,
  // unittest: `FAIL: test_x (pkg.Class)`
  /^(?:FAIL|ERROR): (\w+ \([\w.]+\))/,
  // go test: `--- FAIL: TestX (0.00s)`
  /^\s*--- FAIL: (\S+)/,
  // cargo test: `test a::b ... FAILED`
  /^test (\S.*) \.\.\. FAILED$/,
  // surefire: `[ERROR] com.acme.FooTest.bar  Time elapsed: 0.01 s  <<< FAILURE!`, `FooTest.bar:12 expected`
  /^\[ERROR\]\s+([\w.$]+\.\w+(?:\(.*?\))?)\s+(?:--\s+)?Time elapsed/,
  /^\[ERROR\]\s{2,}([\w$]+\.\w+):\d+/,
  // gradle: `FooTest > bar() FAILED`
  /^(\w[\w.$]* > .+) FAILED$/,
  // phpunit: `1) FooTest::testBar`
  /^\d+\) (\w[\w\\]*::\w+.*)$/,
  // rspec: `rspec ./spec/a_spec.rb:12 # Foo bar`
  /^rspec (\.?\/?\S+ # .+)$/,
  // dotnet: `  Failed Acme.Tests.Bar [5 ms]`
  /^\s+Failed ([\w.]+\S*) \[/,
];

/** mocha: `  1) suite`, then deeper `name:` lines. */
const MOCHA_NUMBER = /^\s+\d+\) (.*[^:])$/;
const MOCHA_NAME = /^\s{4,}(\S.*)$/;

/** Patterns whose first group is how many tests failed. */
const COUNTS: readonly RegExp[] = [
  /^\s*Tests:?\s+(\d+) failed/,
  /^# fail (\d+)$/,
  /^ℹ fail (\d+)$/,
  /^\s+(\d+) failing$/,
  /^=+ (?:.*, )?(\d+) failed\b.* in .*=+$/,
  /^FAILED \((?:failures|errors)=(\d+)/,
  /^test result: FAILED\. \d+ passed; (\d+) failed/,
  /^(?:\[ERROR\] )?Tests run: \d+, Failures: (\d+)/,
  /^Tests: \d+, .*?Failures: (\d+)/,
  /^\d+ examples?, (\d+) failures?/,
];

/** Lines that name an error and often its place. */
const ERRORS: readonly RegExp[] = [
  // tsc in both its forms
  /^\S.*\(\d+,\d+\): error TS\d+: /,
  /^\S+:\d+:\d+ - error TS\d+: /,
  /^error TS\d+: /,
  // gcc, clang, go vet: `a.c:3:5: error: …`; go: `./a.go:3:5: undefined: x`
  /^\S+:\d+(?::\d+)?: (?:fatal )?error: /,
  /^\S+\.go:\d+:\d+: /,
  // rustc
  /^error(?:\[E\d+\])?: (?!could not compile|aborting due to)/,
  // linters: `a.ts:16:22 lint/correctness/noUnusedImports`, eslint's `  3:5  error  …`
  /^\S+:\d+:\d+ (?:lint|parse|format|assist)\b/,
  /^\s+\d+:\d+\s+error\s+\S/,
  // exceptions of Python, JavaScript, Java
  /^(?:Uncaught )?(?:[\w$]+\.)*[A-Z][\w$]*(?:Error|Exception|Interrupt|Exit)(?: \[\w+\])?(?::|$)/,
  /^Exception in thread /,
  /^\[ERROR\] \S+\.java:\[\d+,\d+\] /,
  // shells, make, git, npm
  /^\S*(?:sh|bash|zsh): .*(?:command not found|No such file|Permission denied)/,
  /^make(?:\[\d+\])?: \*\*\* /,
  /^(?:fatal|panic): /,
  /^npm (?:ERR!|error) (?!A complete log|code |path |errno )\S/,
  /^thread '.*' panicked at /,
];

const TRACEBACK = /^Traceback \(most recent call last\):/;
const TRACE_PLACE = /^ {2}File "(.+)", line (\d+)/;
const RUST_PLACE = /^\s+--> (\S+:\d+:\d+)/;
const ESCAPE = '\u001b[';
/** Colours of a terminal. */
const COLOURS = new RegExp(`${ESCAPE.replace('[', '\\[')}[\\d;]*m`, 'g');

/** Lines of both ends of a text, colours taken out. */
function linesOf(text: string): readonly string[] {
  const cut =
    text.length <= 2 * MAX_END_CHARS ? text : `${text.slice(0, MAX_END_CHARS)}\n${text.slice(-MAX_END_CHARS)}`;
  const plain = cut.includes(ESCAPE) ? cut.replace(COLOURS, '') : cut;
  return plain
    .split('\n')
    .map((line) => (line.length > MAX_LINE_CHARS ? line.slice(0, MAX_LINE_CHARS) : line).trimEnd());
}

function firstGroup(patterns: readonly RegExp[], line: string): string | undefined {
  for (const pattern of patterns) {
    const group = pattern.exec(line)?.[1];
    if (group !== undefined) return group;
  }
  return undefined;
}

/** Letters that every pattern of a failing test or an error needs: most lines have none of them. */
const HINT =
  /fail|error|●|×|✗|✖|not ok|\d\) |rspec|exception|interrupt|exit|panic|\*\*\*|fatal|not found|no such|denied|undefined|\.go:|lint|parse|format|assist|traceback|-->/i;

class Reader {
  readonly tests = new Set<string>();
  readonly errors: string[] = [];
  count: number | undefined;
  /** The numbered suite whose deeper lines are still to come. */
  #mocha: string | undefined;
  /** The newest place inside a traceback; undefined outside. */
  #trace: string | undefined;

  read(line: string): void {
    if (this.#readMocha(line) || this.#readTrace(line)) return;
    if (line === '' || !HINT.test(line)) return;
    this.#readPlace(line);
    const name = firstGroup(TESTS, line);
    if (name !== undefined) this.#test(name);
    const count = firstGroup(COUNTS, line);
    if (count !== undefined) this.count = Number(count);
    if (name === undefined && count === undefined && ERRORS.some((pattern) => pattern.test(line)))
      this.#error(line.trim());
  }

  #test(name: string): void {
    if (this.tests.size < MAX_TESTS) this.tests.add(name.trim());
  }

  #error(line: string): void {
    if (this.errors.length < MAX_ERRORS && !this.errors.includes(line)) this.errors.push(line);
  }

  /** rustc names the place on the line behind. */
  #readPlace(line: string): void {
    const place = RUST_PLACE.exec(line)?.[1];
    const last = this.errors.length - 1;
    if (place !== undefined && this.errors[last]?.startsWith('error') === true) this.errors[last] += ` at ${place}`;
  }

  /** A number and a suite open a failure of mocha's; of the deeper lines that go on with its name the last ends in a colon. */
  #readMocha(line: string): boolean {
    const suite = this.#mocha;
    if (suite === undefined) {
      this.#mocha = line.includes(') ') ? MOCHA_NUMBER.exec(line)?.[1] : undefined;
      return false;
    }
    const name = MOCHA_NAME.exec(line)?.[1];
    this.#mocha = name === undefined || name.endsWith(':') ? undefined : `${suite} ${name}`;
    if (name?.endsWith(':') === true) this.#test(`${suite} ${name.slice(0, -1)}`);
    return name !== undefined;
  }

  /** The last place and the first line that is not indented: what a traceback comes to. */
  #readTrace(line: string): boolean {
    if (TRACEBACK.test(line)) {
      this.#trace = '';
      return true;
    }
    if (this.#trace === undefined) return false;
    const place = TRACE_PLACE.exec(line);
    if (place !== null) this.#trace = ` at ${place[1]}:${place[2]}`;
    if (line === '' || line.startsWith(' ')) return true;
    this.#error(line + this.#trace);
    this.#trace = undefined;
    return true;
  }
}

/** Reads an output. What it does not recognise it leaves out. */
export function diagnose(text: string): Diagnosis {
  const reader = new Reader();
  for (const line of linesOf(text)) reader.read(line);
  const { tests, errors, count } = reader;
  const found = { failedTests: [...tests], errors };
  return count === undefined || count === 0 ? found : { ...found, failedCount: count };
}

/** Something went wrong, in words: the last resort of `firstErrorLine`. */
const COMPLAINT =
  /\b(?:error|fail(?:ed|ure)?|cannot|can't|could not|not found|no such|denied|invalid|refused|unable|missing|abort(?:ed)?)\b/i;

/** Lines of a failed result looked at for a complaint. */
const MAX_COMPLAINT_LINES = 400;

/** One line for a failed result: what `diagnose` finds first, else the first that complains, else the first that says anything. */
export function firstErrorLine(text: string): string {
  const [error] = diagnose(text).errors;
  if (error !== undefined) return error;
  const lines = linesOf(text)
    .filter((line) => line.trim() !== '')
    .slice(0, MAX_COMPLAINT_LINES);
  return (lines.find((line) => COMPLAINT.test(line)) ?? lines[0] ?? '').trim();
}
