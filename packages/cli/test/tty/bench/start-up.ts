/**
 * How long from the start of the process until the prompt is on the screen: `holdover` beside a bare program of the same library, in turns, in
 * one run. `npm run bench:start`; the last line is JSON.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import { BINARY } from '../../support/binary.ts';

const RUNS = 10;
const PROGRAMS = {
  holdover: BINARY,
  'bare library': fileURLToPath(new URL('bare.mjs', import.meta.url)),
} as const;

type Program = keyof typeof PROGRAMS;

/** Milliseconds until the prompt's mark is written. */
function startOnce(binary: string, folder: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const startMs = performance.now();
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      XDG_CONFIG_HOME: folder,
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
    };
    const pty = spawn(process.execPath, [binary], { cols: 80, rows: 24, cwd: folder, env });
    let seen = '';
    pty.onData((data) => {
      seen += data;
      if (!seen.includes('❯')) return;
      resolve(performance.now() - startMs);
      pty.kill('SIGKILL');
    });
    pty.onExit(() => reject(new Error(`it ended without a prompt: ${seen}`)));
  });
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

const folder = mkdtempSync(join(tmpdir(), 'holdover-start-'));
const times: Record<Program, number[]> = { holdover: [], 'bare library': [] };
const names = Object.keys(PROGRAMS) as Program[];
try {
  // The first start reads the files from the disk.
  for (const name of names) await startOnce(PROGRAMS[name], folder);
  for (let run = 0; run < RUNS; run += 1)
    for (const name of names) times[name].push(await startOnce(PROGRAMS[name], folder));
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

const rows = names.map((name) => ({
  program: name,
  medianMs: Math.round(median(times[name])),
  fastestMs: Math.round(Math.min(...times[name])),
  slowestMs: Math.round(Math.max(...times[name])),
}));
console.log(`start to prompt, ${RUNS} runs each, Node ${process.versions.node}`);
for (const { program, medianMs, fastestMs, slowestMs } of rows)
  console.log(`${program.padEnd(14)} median ${String(medianMs).padStart(4)} ms   ${fastestMs} to ${slowestMs} ms`);
console.log(JSON.stringify({ runs: RUNS, node: process.versions.node, programs: rows }));
