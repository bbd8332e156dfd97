/**
 * Plays examples/trial.txt through the real binary, one process a prompt, into one session, and compares the order of events with the
 * golden file beside this one. `--update` writes it anew.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { labelsOf } from './labels.ts';
import { makeWorkspace } from './workspace.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const BINARY = join(ROOT, 'packages/cli/bin/holdover.js');
const GOLDEN = fileURLToPath(new URL('./golden.txt', import.meta.url));
const PROMPTS = join(ROOT, 'examples/trial.txt');

/** Markers the trial has to show; the golden file says where. */
const PROMISED = ['[budget]', '[snip]', '[micro]', '[auto compact]', '[reactive compact]', '[compact]'];
const WINDOW_TOKENS = '16000';

function prompts(): readonly string[] {
  return readFileSync(PROMPTS, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
}

function play(prompt: string, folder: string, isFirst: boolean): readonly string[] {
  const args = [
    BINARY,
    '-p',
    prompt,
    '--output-format',
    'stream-json',
    '--window',
    WINDOW_TOKENS,
    ...['bash', 'write_file', 'edit_file'].flatMap((rule) => ['--allow', rule]),
  ];
  const env = { ...process.env, XDG_CONFIG_HOME: join(folder, '.config') };
  const output = execFileSync(process.execPath, isFirst ? args : [...args, '--continue'], {
    cwd: folder,
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  return labelsOf(output);
}

function filesIn(folder: string, ...path: readonly string[]): readonly string[] {
  return readdirSync(join(folder, ...path)).filter((name) => !name.startsWith('.'));
}

function main(): number {
  const folder = mkdtempSync(join(tmpdir(), 'holdover-trial-'));
  try {
    makeWorkspace(folder);
    const lines = prompts().flatMap((prompt, index) => [
      `> ${prompt}`,
      ...play(prompt, folder, index === 0).map((label) => `  ${label}`),
    ]);
    const played = `${lines.join('\n')}\n`;
    if (process.argv.includes('--update')) writeFileSync(GOLDEN, played);
    const missing = PROMISED.filter((marker) => !played.includes(marker));
    const failures = [
      ...(played === readFileSync(GOLDEN, 'utf8')
        ? []
        : ['the order of events differs from the golden file; see --update']),
      ...missing.map((marker) => `${marker} never appeared`),
      ...(filesIn(folder, '.transcripts').length > 0 ? [] : ['.transcripts/ is empty']),
      ...(filesIn(folder, '.task_outputs', 'tool-results').length > 0 ? [] : ['.task_outputs/tool-results/ is empty']),
    ];
    process.stdout.write(played);
    for (const failure of failures) process.stdout.write(`FAILED: ${failure}\n`);
    const turns = prompts().length;
    process.stdout.write(
      failures.length === 0
        ? `trial: ${turns} prompts, events as in the golden file\n`
        : `trial: ${failures.length} failures\n`,
    );
    return failures.length === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = main();
