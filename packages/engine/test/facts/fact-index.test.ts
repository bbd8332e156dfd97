import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallRecord } from '../../src/core/facts/call-record.ts';
import { FactIndex } from '../../src/core/facts/fact-index.ts';
import { factsOf } from '../../src/core/facts/facts-of.ts';
import { pathKey } from '../../src/core/facts/paths.ts';
import type { History, Place } from '../../src/core/history.ts';
import { defaultLens } from '../../src/core/lenses/default.ts';
import { generic } from '../../src/core/lenses/generic.ts';
import { openaiChatBuilder } from '../../src/testing/wire-builder.ts';
import { Rounds } from './calls.ts';

/** What superseded each result, oldest first: how, and the number of the call that did. */
function superseded(history: History): readonly (string | undefined)[] {
  const facts = factsOf(history, defaultLens);
  return facts.calls.map(({ result }) => {
    const found = result === undefined ? undefined : facts.superseding(result);
    return found === undefined ? undefined : `${found.how} by ${found.by.seq}`;
  });
}

describe('what calls did', () => {
  const { history } = new Rounds()
    .user('go')
    .read('a.ts')
    .did(
      { name: 'edit_file', input: { path: './a.ts' }, text: 'edited a.ts at line 1' },
      { name: 'bash', input: { command: 'npm test' }, text: 'boom\n(exit code 1)', isError: true },
    )
    .did({ name: 'bash', input: { command: 'npm test' } });

  it('is kept by call', () => {
    const facts = factsOf(history, defaultLens);
    expect(facts.calls.map(({ seq, call, result, fact, outcome }) => ({ seq, call, result, fact, outcome }))).toEqual([
      {
        seq: 0,
        call: { entry: 1, part: 0 },
        result: { entry: 2, part: 0 },
        fact: { kind: 'read', path: 'a.ts' },
        outcome: { isError: false },
      },
      {
        seq: 1,
        call: { entry: 3, part: 0 },
        result: { entry: 4, part: 0 },
        fact: { kind: 'edited', path: './a.ts' },
        outcome: { isError: false },
      },
      {
        seq: 2,
        call: { entry: 3, part: 1 },
        result: { entry: 4, part: 1 },
        fact: { kind: 'ran', command: 'npm test' },
        outcome: { isError: true, exitCode: 1 },
      },
      {
        seq: 3,
        call: { entry: 5, part: 0 },
        result: undefined,
        fact: { kind: 'ran', command: 'npm test' },
        outcome: undefined,
      },
    ]);
  });

  it('is kept by file and by command', () => {
    const facts = factsOf(history, defaultLens);
    expect(facts.file('a.ts')?.operations.map(({ kind, record }) => [kind, record.seq])).toEqual([
      ['read', 0],
      ['edited', 1],
    ]);
    expect(facts.file('src/../a.ts')?.path).toBe('a.ts');
    expect(facts.file('b.ts')).toBeUndefined();
    expect(facts.runs('npm test')?.records.map(({ seq }) => seq)).toEqual([2, 3]);
    expect(facts.runs('npm run build')).toBeUndefined();
    expect(facts.answeredAt({ entry: 4, part: 1 })?.id).toBe('call_2');
    expect(facts.answeredAt({ entry: 0, part: 0 })).toBeUndefined();
  });

  it('is remembered by history and lens, and grows with the history', () => {
    const rounds = new Rounds().user('go').read('a.ts');
    const facts = factsOf(rounds.history, defaultLens);
    expect(factsOf(rounds.history, generic)).not.toBe(facts);
    rounds.read('b.ts');
    expect(factsOf(rounds.history, defaultLens)).toBe(facts);
    expect(facts.calls.length).toBe(2);
    expect(facts.length).toBe(5);
  });
});

describe('a result is superseded', () => {
  const PART = { offset: 10, limit: 10 };
  const cases: readonly (readonly [what: string, rounds: Rounds, expected: readonly (string | undefined)[]])[] = [
    ['by a newer reading of the file', new Rounds().read('a').read('./a'), ['read-again by 1', undefined]],
    ['by an edit since', new Rounds().read('a').edited('a'), ['changed by 1', undefined]],
    ['by a write since', new Rounds().read('a').wrote('a').read('b'), ['changed by 1', undefined, undefined]],
    ['not by a failed edit', new Rounds().read('a').failedEdit('a'), [undefined, undefined]],
    [
      'by an edit, and the failed one before it is fixed',
      new Rounds().failedEdit('a').edited('a'),
      ['fixed by 1', undefined],
    ],
    ['not by a reading of other lines', new Rounds().read('a').read('a', 'x', PART), [undefined, undefined]],
    ['by a reading of more lines', new Rounds().read('a', 'x', PART).read('a'), ['read-again by 1', undefined]],
    [
      'by a reading of the same lines, the newest of them',
      new Rounds().read('a', 'x', PART).read('a', 'x', PART).read('a', 'x', { offset: 5, limit: 30 }),
      ['read-again by 2', 'read-again by 2', undefined],
    ],
    [
      'not by one that only points back',
      new Rounds()
        .read('a')
        .read('a', '(Unchanged: a is on disk as you read it before. They are not repeated here.)')
        .read('b'),
      [undefined, undefined, undefined],
    ],
    [
      'by the same command run again',
      new Rounds().ran('npm test').ran('npm test', 'boom', 1),
      ['run-again by 1', undefined],
    ],
    ['not by another command', new Rounds().ran('npm test').ran('npm run build'), [undefined, undefined]],
    [
      'by the success of a command that failed',
      new Rounds().ran('npm test', 'boom', 1).ran('npm test'),
      ['fixed by 1', undefined],
    ],
    [
      'not by a run that was interrupted',
      new Rounds().ran('npm test').did({
        name: 'bash',
        input: { command: 'npm test' },
        text: '(interrupted; the command and everything it started were ended)',
        isError: true,
      }),
      [undefined, undefined],
    ],
    [
      'not by a call that has no result yet',
      new Rounds().read('a').did({ name: 'read_file', input: { path: 'a' } }),
      [undefined, undefined],
    ],
    [
      'by a repeated search of the same folder',
      new Rounds()
        .did({ name: 'grep', input: { pattern: 'x', path: 'src' }, text: 'none' })
        .did({ name: 'grep', input: { pattern: 'x' }, text: 'none' })
        .did({ name: 'grep', input: { pattern: 'x', path: 'src' }, text: 'none' }),
      ['run-again by 2', undefined, undefined],
    ],
    [
      'of several files only when all of them are',
      new Rounds()
        .did({ name: 'read_files', input: { files: ['a', 'b'] }, text: 'both' })
        .did({ name: 'read_files', input: { files: ['c', 'd'] }, text: 'both' })
        .edited('a')
        .edited('b')
        .edited('c'),
      ['changed by 3', undefined, undefined, undefined, undefined],
    ],
    [
      'within one batch by the later call',
      new Rounds().did(
        { name: 'read_file', input: { path: 'a' }, text: 'x' },
        { name: 'read_file', input: { path: 'a' }, text: 'x' },
      ),
      ['read-again by 1', undefined],
    ],
    [
      'where an edit was followed by a reading of the whole',
      new Rounds().edited('a').read('a'),
      ['read-again by 1', undefined],
    ],
  ];

  it.each(cases)('%s', (_, { history }, expected) => {
    expect(superseded(history)).toEqual(expected);
  });

  it('in a format without error flags too', () => {
    const { history } = new Rounds(openaiChatBuilder)
      .failedEdit('a')
      .ran('npm test', 'boom', 1)
      .edited('a')
      .ran('npm test');
    expect(superseded(history)).toEqual(['fixed by 2', 'fixed by 3', undefined, undefined]);
  });
});

describe('spellings of a path', () => {
  it.each([
    ['a/b.ts', 'a/b.ts'],
    ['./a/b.ts', 'a/b.ts'],
    ['a//b.ts', 'a/b.ts'],
    ['a/./c/../b.ts', 'a/b.ts'],
    ['/a/b/', '/a/b'],
    ['/a/.hidden/b..c', '/a/.hidden/b..c'],
    ['../../x', '../../x'],
    ['.', '.'],
    ['/', '/'],
  ])('%s is %s', (path, key) => {
    expect(pathKey(path)).toBe(key);
  });
});

describe('over random histories', () => {
  const paths = fc.constantFrom('a', './a', 'b', 'src/c', '/d');
  const step = fc.oneof(
    fc.record({ do: fc.constant('read' as const), path: paths, offset: fc.nat(3), limit: fc.option(fc.nat(4)) }),
    fc.record({ do: fc.constantFrom('edited' as const, 'wrote' as const, 'failedEdit' as const), path: paths }),
    fc.record({ do: fc.constant('ran' as const), command: fc.constantFrom('x', 'y'), exitCode: fc.nat(1) }),
    fc.record({ do: fc.constantFrom('user' as const, 'says' as const, 'open' as const), path: paths }),
  );
  type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

  function play(rounds: Rounds, made: Step): void {
    switch (made.do) {
      case 'read':
        rounds.read(made.path, 'x', { offset: made.offset, limit: made.limit });
        return;
      case 'ran':
        rounds.ran(made.command, 'out', made.exitCode);
        return;
      case 'open':
        rounds.did({ name: 'read_file', input: { path: made.path } });
        return;
      default:
        rounds[made.do](made.path);
    }
  }

  const found = (facts: FactIndex): unknown => ({
    calls: facts.calls,
    files: [...facts.files()],
    commands: [...facts.commands()],
    superseding: facts.calls.map(({ result }) => (result === undefined ? undefined : facts.superseding(result))),
  });

  it('growing bit by bit equals reading from scratch', () => {
    const check = (steps: readonly (readonly [Step, boolean])[]): void => {
      const rounds = new Rounds();
      for (const [made, isAsked] of steps) {
        play(rounds, made);
        if (isAsked) factsOf(rounds.history, defaultLens);
      }
      const grown = factsOf(rounds.history, defaultLens);
      expect(found(grown)).toEqual(found(new FactIndex(rounds.history, defaultLens).extend()));
      const fork = rounds.history.fork(rounds.history.length);
      expect(found(factsOf(fork, defaultLens))).toEqual(found(grown));
    };
    fc.assert(fc.property(fc.array(fc.tuple(step, fc.boolean()), { maxLength: 40 }), check));
  });

  /** The rules told without an index, by looking at all later calls. */
  function plainly(calls: readonly CallRecord[], { fact, seq, outcome }: CallRecord): boolean {
    if (outcome === undefined) return false;
    const later = calls.filter((other) => other.seq > seq && other.outcome?.isError === false);
    if (fact.kind === 'ran')
      return calls.some(
        ({ fact: other, ...rest }) =>
          rest.seq > seq && rest.outcome !== undefined && other.kind === 'ran' && other.command === fact.command,
      );
    if (fact.kind !== 'read' && fact.kind !== 'edited' && fact.kind !== 'wrote') return false;
    const onFile = later.filter(
      ({ fact: other }) => 'path' in other && other.path !== undefined && pathKey(other.path) === pathKey(fact.path),
    );
    if (outcome.isError) return onFile.some(({ fact: other }) => fact.kind === 'read' || other.kind !== 'read');
    const lines = fact.lines ?? { from: 1, to: Number.POSITIVE_INFINITY };
    return onFile.some(({ fact: other }) => {
      if (other.kind !== 'read') return true;
      const given = other.lines ?? { from: 1, to: Number.POSITIVE_INFINITY };
      return given.from <= lines.from && given.to >= lines.to;
    });
  }

  it('agrees with the rules told plainly', () => {
    const check = (steps: readonly Step[]): void => {
      const rounds = new Rounds();
      for (const made of steps) play(rounds, made);
      const facts = factsOf(rounds.history, defaultLens);
      const at = ({ result }: CallRecord): Place => result ?? { entry: -1, part: -1 };
      expect(facts.calls.map((record) => facts.superseding(at(record)) !== undefined)).toEqual(
        facts.calls.map((record) => plainly(facts.calls, record)),
      );
    };
    fc.assert(fc.property(fc.array(step, { maxLength: 30 }), check), { numRuns: 300 });
  });
});
