import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createPermissions } from '../../src/permissions/permissions.ts';
import { createWorkspace } from '../../src/workspace/workspace.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

/** Pieces a shell gives meaning to. `evil` leaves a mark when it is run. */
const PIECES = [
  'npm test',
  'npm',
  'test',
  'evil',
  'evil',
  ' ',
  ' ',
  '\n',
  ';',
  '&',
  '&&',
  '|',
  '||',
  '(',
  ')',
  '{',
  '}',
  "'",
  '"',
  '\\',
  '`',
  '$',
  '$(',
  '${',
  '#',
  ' #',
  '>',
  '<',
  '<<',
  '>&',
  '&>',
  '2>&1',
  '/dev/null',
  '!',
  '*',
  '$x',
  'x=',
  '\\\n',
  "$'",
  '=',
  '~',
  '[',
  ']',
  'if',
  'then',
  'fi',
  '\t',
  '\r',
  '\u00a0',
  '\v',
  '-',
  '1',
];
const RUNS = Number(process.env['HOLDOVER_FUZZ_RUNS'] ?? 8000);

/** A small generator with a fixed seed: the same commands on every machine. */
function randomIntegers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

it('no command allowed by a prefix rule runs anything else in a real shell', async () => {
  const root = tempFolder({ 'bin/npm': '#!/bin/sh\n', 'bin/evil': '#!/bin/sh\n: > "$MARK"\n', 'work/a': '' });
  for (const name of ['npm', 'evil']) chmodSync(join(root, 'bin', name), 0o755);
  const mark = join(root, 'mark');
  const permissions = createPermissions({
    workspace: createWorkspace(root),
    rules: { allow: ['bash(npm test*)'] },
    denyList: [],
  });
  const random = randomIntegers(Number(process.env['HOLDOVER_FUZZ_SEED'] ?? 7));
  let executed = 0;
  for (let run = 0; run < RUNS; run += 1) {
    const length = 1 + random(14);
    const command = `npm test ${Array.from({ length }, () => PIECES[random(PIECES.length)]).join('')}`;
    const decision = await permissions.decide('bash', {}, [{ kind: 'command', command }]);
    // only what could run `evil` is worth a process
    if (!decision.allowed || !command.includes('evil')) continue;
    executed += 1;
    try {
      execFileSync('/bin/bash', ['-c', command], {
        cwd: join(root, 'work'),
        env: { PATH: `${join(root, 'bin')}:/usr/bin:/bin`, MARK: mark },
        stdio: 'ignore',
        timeout: 5000,
      });
    } catch {
      // syntax errors are fine
    }
    expect(existsSync(mark), command).toBe(false);
    expect(readdirSync(join(root, 'work')), command).toEqual(['a']);
  }
  expect(executed).toBeGreaterThan(RUNS / 100);
});
