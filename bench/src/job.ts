/** Runs one case in a process of its own, so that none meets another's heap, and stops it when its time is over. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Row } from './row.ts';

/** One measurement. */
export interface Job {
  /** File of the case, below `src`, without ending. */
  readonly file: string;
  /** The line of the table it fills. */
  readonly section: string;
  readonly subject: string;
  /** @default 0 */
  readonly size?: number;
  /** Seconds from `begin`, after which it is stopped. @default 600 */
  readonly limitSeconds?: number;
  readonly flags?: readonly string[];
}

/** What the process of a case says. */
export type Said =
  | { readonly kind: 'begin' }
  | { readonly kind: 'rows'; readonly rows: readonly Row[] }
  | { readonly kind: 'failed'; readonly reason: string };

/** A peer that takes longer is stopped, seconds. */
export const PEER_SECONDS = 60;

const DEFAULT_SECONDS = 600;

/** The rows of a job; one that says why, where it was stopped or failed. */
export function runJob(job: Job): Promise<readonly Row[]> {
  const { file, section, subject, size = 0, limitSeconds = DEFAULT_SECONDS, flags = [] } = job;
  const without = (note: string): readonly Row[] => [
    { section, who: subject, ...(size === 0 ? {} : { size }), values: {}, note },
  ];
  return new Promise((resolve) => {
    const child = fork(fileURLToPath(new URL('./child.js', import.meta.url)), [file, subject, String(size)], {
      execArgv: ['--expose-gc', '--no-warnings', ...flags],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const stop = (seconds: number): NodeJS.Timeout =>
      setTimeout(() => {
        resolve(without(`> ${seconds} s`));
        child.kill('SIGKILL');
      }, seconds * 1_000);
    let timer = stop(DEFAULT_SECONDS);
    child.on('message', (said: Said) => {
      if (said.kind === 'rows') resolve(said.rows);
      if (said.kind === 'failed') resolve(without(`failed: ${said.reason}`));
      if (said.kind !== 'begin') return;
      clearTimeout(timer);
      timer = stop(limitSeconds);
    });
    child.on('exit', (code) => {
      clearTimeout(timer);
      resolve(without(`ended without a result, code ${code}`));
    });
  });
}
