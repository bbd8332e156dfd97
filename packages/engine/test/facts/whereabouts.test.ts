import { describe, expect, it } from 'vitest';
import { factsOf } from '../../src/core/facts/facts-of.ts';
import { whereaboutsIn } from '../../src/core/facts/whereabouts.ts';
import { defaultLens } from '../../src/core/lenses/default.ts';
import { Rounds } from './calls.ts';

function told(rounds: Rounds): readonly [directory: string | undefined, branch: string | undefined] {
  const { directory, branch } = whereaboutsIn(factsOf(rounds.history, defaultLens).calls, rounds.history);
  return [directory?.text, branch?.text];
}

describe('where the work stands', () => {
  const rows: readonly (readonly [
    command: string,
    output: string,
    directory: string | undefined,
    branch: string | undefined,
  ])[] = [
    ['git checkout -b fix-sum', "Switched to a new branch 'fix-sum'", undefined, 'fix-sum'],
    ['git switch -c a/b', '', undefined, 'a/b'],
    ['git status', 'On branch main\nnothing to commit', undefined, 'main'],
    ['git status -sb', '## main...origin/main [ahead 1]\n M a.ts', undefined, 'main'],
    ['git branch', '  main\n* work', undefined, 'work'],
    ['git branch', '* (HEAD detached at 3fa9c21)', undefined, undefined],
    ['git branch --show-current', 'work', undefined, 'work'],
    ['git commit -m "x"', '[work 3fa9c21] x\n 1 file changed', undefined, 'work'],
    ['cd /w/repo && npm test', 'ok', '/w/repo', undefined],
    ['cd "/w/my repo"', '', '/w/my repo', undefined],
    ['pwd', '/w/repo', '/w/repo', undefined],
    ['cd -', '', undefined, undefined],
    ['echo "On branch main"', 'On branch main', undefined, undefined],
  ];

  it.each(rows)('%s: %j', (command, output, directory, branch) => {
    expect(told(new Rounds().ran(command, output))).toEqual([directory, branch]);
  });

  it('is what was told last, by commands that succeeded', () => {
    const rounds = new Rounds()
      .ran('cd /old && git checkout old', "Switched to branch 'old'")
      .ran('cd /new && git checkout new', "Switched to branch 'new'")
      .ran('cd /gone && git checkout gone', 'fatal: no', 1);
    expect(told(rounds)).toEqual(['/new', 'new']);
  });
});
