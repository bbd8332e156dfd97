/** What outputs of runners and compilers say went wrong. */
import { describe, expect, it } from 'vitest';
import { commandStem } from '../../src/core/facts/command-stem.ts';
import { diagnose, firstErrorLine } from '../../src/core/facts/diagnose.ts';

type Row = readonly [runner: string, output: string, tests: readonly string[], count: number | undefined];

const VITEST = `
 ❯ test/a.test.ts (3 tests | 1 failed) 12ms
   ✓ adds 2ms
   × takes away 8ms

⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯

 FAIL  test/a.test.ts > sums > takes away
AssertionError: expected 1 to be 2 // Object.is equality

 Test Files  1 failed (1)
      Tests  1 failed | 2 passed (3)
`;

const JEST = `FAIL src/a.test.js
  ✓ adds (2 ms)
  ✕ takes away (5 ms)

  ● sums › takes away

    expect(received).toBe(expected)

Tests:       1 failed, 1 passed, 2 total
`;

const MOCHA = `
  Array
    #indexOf()
      1) should return -1


  0 passing (5ms)
  1 failing

  1) Array
       #indexOf()
         should return -1:

      AssertionError [ERR_ASSERTION]: 1 == -1
`;

const NODE = `✔ adds (0.5ms)
✖ takes away (1.2ms)
ℹ tests 2
ℹ fail 1

✖ failing tests:

✖ takes away (1.2ms)
`;

const TAP = `TAP version 13
ok 1 - adds
not ok 2 - takes away
not ok 3 - later # TODO not yet
1..3
# fail 1
`;

const PYTEST = `
=================================== FAILURES ===================================
E       assert 1 == 2
test_a.py:4: AssertionError
=========================== short test summary info ============================
FAILED tests/test_a.py::test_sum - assert 1 == 2
FAILED tests/test_a.py::TestX::test_y[a-b]
========================= 2 failed, 3 passed in 0.12s ==========================
`;

const UNITTEST = `F.
======================================================================
FAIL: test_sum (test_a.TestSum)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/w/test_a.py", line 6, in test_sum
    self.assertEqual(1, 2)
AssertionError: 1 != 2

FAILED (failures=1)
`;

const GO = `--- FAIL: TestSum (0.00s)
    --- FAIL: TestSum/negative (0.00s)
        sum_test.go:9: got 1, want 2
FAIL
FAIL	example.com/sum	0.002s
`;

const CARGO = `running 2 tests
test tests::adds ... ok
test tests::takes_away ... FAILED

test result: FAILED. 1 passed; 1 failed; 0 ignored
`;

const SUREFIRE = `[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0
[ERROR] com.acme.SumTest.takesAway  Time elapsed: 0.01 s  <<< FAILURE!
`;

const GRADLE = `SumTest > takesAway() FAILED
    org.opentest4j.AssertionFailedError at SumTest.java:9
`;

const PHPUNIT = `There was 1 failure:

1) Acme\\SumTest::testTakesAway
Failed asserting that 1 matches expected 2.

Tests: 2, Assertions: 2, Failures: 1.
`;

const RSPEC = `rspec ./spec/sum_spec.rb:4 # Sum takes away
2 examples, 1 failure
`;

const ROWS: readonly Row[] = [
  ['vitest', VITEST, ['takes away', 'test/a.test.ts > sums > takes away'], 1],
  ['jest', JEST, ['sums › takes away'], 1],
  ['mocha', MOCHA, ['Array #indexOf() should return -1'], 1],
  ['node:test', NODE, ['takes away'], 1],
  ['TAP', TAP, ['takes away'], 1],
  ['pytest', PYTEST, ['tests/test_a.py::test_sum', 'tests/test_a.py::TestX::test_y[a-b]'], 2],
  ['unittest', UNITTEST, ['test_sum (test_a.TestSum)'], 1],
  ['go test', GO, ['TestSum', 'TestSum/negative'], undefined],
  ['cargo test', CARGO, ['tests::takes_away'], 1],
  ['surefire', SUREFIRE, ['com.acme.SumTest.takesAway'], 1],
  ['gradle', GRADLE, ['SumTest > takesAway()'], undefined],
  ['phpunit', PHPUNIT, ['Acme\\SumTest::testTakesAway'], 1],
  ['rspec', RSPEC, ['./spec/sum_spec.rb:4 # Sum takes away'], 1],
  ['a run without failures', ' ✓ a.test.ts (3 tests) 5ms\n      Tests  3 passed (3)\n# fail 0\n', [], undefined],
];

describe('failing tests', () => {
  it.each(ROWS)('%s', (_, output, tests, count) => {
    const { failedTests, failedCount } = diagnose(output);
    expect(failedTests).toEqual(tests);
    expect(failedCount).toBe(count);
  });

  it('in colour', () => {
    expect(diagnose('\u001b[31m FAIL \u001b[39m a.test.ts > x').failedTests).toEqual(['a.test.ts > x']);
  });
});

describe('errors', () => {
  const rows: readonly (readonly [what: string, output: string, errors: readonly string[]])[] = [
    [
      'tsc',
      "\nsrc/a.ts(5,3): error TS2339: Property 'x' does not exist.\n",
      ["src/a.ts(5,3): error TS2339: Property 'x' does not exist."],
    ],
    ['tsc --pretty', 'src/a.ts:5:3 - error TS2339: No.\n', ['src/a.ts:5:3 - error TS2339: No.']],
    ['gcc', 'a.c: In function main:\na.c:3:5: error: x undeclared\n', ['a.c:3:5: error: x undeclared']],
    ['go', '# example.com/a\n./a.go:3:5: undefined: x\n', ['./a.go:3:5: undefined: x']],
    [
      'rustc',
      'error[E0308]: mismatched types\n  --> src/a.rs:3:5\n   |\nerror: aborting due to 1 previous error\n',
      ['error[E0308]: mismatched types at src/a.rs:3:5'],
    ],
    [
      'biome',
      'a.ts:16:22 lint/correctness/noUnusedImports  FIXABLE  ━━━\n\n  ! Unused.\n',
      ['a.ts:16:22 lint/correctness/noUnusedImports  FIXABLE  ━━━'],
    ],
    [
      'a traceback',
      'Traceback (most recent call last):\n  File "/w/a.py", line 1, in <module>\n    f()\n  File "/w/b.py", line 7, in f\n    raise ValueError("no")\nValueError: no\n',
      ['ValueError: no at /w/b.py:7'],
    ],
    [
      'node',
      'file:///a.js:1\nthrow 1\n^\n\nTypeError: x is not a function\n    at a.js:1:1\n',
      ['TypeError: x is not a function'],
    ],
    [
      'java',
      'Exception in thread "main" java.lang.NullPointerException\n',
      ['Exception in thread "main" java.lang.NullPointerException'],
    ],
    ['bash', 'bash: line 1: foo: command not found\n', ['bash: line 1: foo: command not found']],
    ['git', 'fatal: not a git repository\n', ['fatal: not a git repository']],
    ['the same again', 'fatal: x\nfatal: x\n', ['fatal: x']],
    ['prose', 'The error: handling is described in errors.md\nno failures\n', []],
  ];

  it.each(rows)('%s', (_, output, errors) => {
    expect(diagnose(output).errors).toEqual(errors);
  });

  it('are one line for a result, and that a line that complains', () => {
    expect(firstErrorLine('> app@1.0.0 check\n> biome check\n\nsrc/a.ts(1,1): error TS1005: no\n')).toBe(
      'src/a.ts(1,1): error TS1005: no',
    );
    expect(firstErrorLine('> app@1.0.0 check\nCould not find the exact text in a.ts.')).toBe(
      'Could not find the exact text in a.ts.',
    );
    expect(firstErrorLine('\n\nhm\n')).toBe('hm');
    expect(firstErrorLine('')).toBe('');
  });

  it('are found at both ends of a long output', () => {
    const long = `fatal: first\n${'noise\n'.repeat(100_000)}fatal: last\n`;
    expect(diagnose(long).errors).toEqual(['fatal: first', 'fatal: last']);
  });
});

describe('what a command is about', () => {
  it.each([
    ['npm test', 'npm test'],
    ['cd /w && npm test 2>&1 | tail -20', 'npm test'],
    ['npm test 2>&1 | grep -E "(a|b)" | head -3', 'npm test | grep -E "(a|b)"'],
    ['make || true', 'make'],
    ['cat a | sort', 'cat a | sort'],
    ['a || b', 'a || b'],
  ])('%s: %s', (command, stem) => {
    expect(commandStem(command)).toBe(stem);
  });
});
