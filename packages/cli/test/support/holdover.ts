/** The real binary as a process of its own, in a folder of its own. */
import { type ChildProcess, execFile, type ExecFileException } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { BINARY } from './binary.ts';

export { BINARY };

export interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  /** @default the repository's */
  readonly binary?: string;
}

/** Files by path relative to the new folder, which is removed when the test is over. */
export function workFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdover-cli-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** No setting of the person who runs the tests reaches the binary. */
function cleanEnv(folder: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: folder, XDG_CONFIG_HOME: join(folder, '.config') };
}

/** Starts the binary; `ended` never rejects. */
export function start(
  args: readonly string[],
  { folder, env = {}, binary = BINARY }: RunOptions,
): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  let child: ChildProcess | undefined;
  const ended = new Promise<Ended>((resolve) => {
    const options = { cwd: folder, env: { ...cleanEnv(folder), ...env }, maxBuffer: 2 ** 27 };
    child = execFile(
      process.execPath,
      [binary, ...args],
      options,
      (error: ExecFileException | null, stdout, stderr) => {
        const status = error === null ? 0 : error.code;
        resolve({ status: typeof status === 'number' ? status : -1, stdout, stderr });
      },
    );
  });
  if (child === undefined) throw new Error('the binary did not start');
  return { child, ended };
}

export function holdover(args: readonly string[], options: RunOptions): Promise<Ended> {
  return start(args, options).ended;
}

/** Resolves when the standard error of a process contains `text`. */
export function saysOnError(child: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let seen = '';
    child.stderr?.on('data', (chunk: unknown) => {
      seen += String(chunk);
      if (seen.includes(text)) resolve();
    });
    child.once('exit', () => reject(new Error(`it ended without saying ${JSON.stringify(text)}: ${seen}`)));
  });
}
