import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { appendCommand, appendOnceCommand } from '../../src/brains/rules/rules-change.ts';

const folder = mkdtempSync(join(tmpdir(), 'rules-'));

afterEach(() => rmSync(folder, { recursive: true, force: true }));

it.skipIf(process.platform === 'win32')('appends any line to any file, in a real shell', () => {
  const line = `- it's "a" $(touch x) \`touch y\` \\n %s é 😀 ; rm -rf . #`;
  const file = `-it's $(a).md`;
  const run = (command: string) => execFileSync('sh', ['-c', command], { cwd: folder });
  run(appendCommand(line, file));
  run(appendOnceCommand(line, file));
  run(appendOnceCommand('--other', file));
  run(appendCommand([line, 'last'], file));
  expect(readFileSync(join(folder, file), 'utf8')).toBe(`${line}\n--other\n${line}\nlast\n`);
});
