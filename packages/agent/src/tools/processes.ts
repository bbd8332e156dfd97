/** Running shell commands as process groups, so that a command ends together with everything it started. */
import { type ChildProcess, spawn } from 'node:child_process';
import { hasLiveMember } from './group-members.ts';
import { killStrays, markedEnv } from './strays.ts';

export interface CommandRequest {
  readonly command: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Gets the bytes of standard output and standard error, mixed as they were written. */
  readonly onOutput: (chunk: Uint8Array) => void;
}

export type CommandEnd =
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'killed'; readonly signalName: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'not_started'; readonly reason: string };

export interface Processes {
  /**
   * Resolves when the shell and its process group are gone; never rejects. What moved to a session of its own (`setsid`) may stay when the
   * command ended by itself, as daemons do; after a time-out or an interrupt it is ended too, where the system shows it (Linux).
   */
  run(request: CommandRequest): Promise<CommandEnd>;
  /** Ends every group still running: SIGTERM, then SIGKILL after `graceMs`. Later `run`s work as before. */
  disposeProcesses(): Promise<void>;
  /** SIGKILL to every group still running, at once: for a handler of the process's own exit. */
  killProcesses(): void;
}

export interface ProcessesOptions {
  /** Milliseconds between SIGTERM and SIGKILL. 0 or more. @default 1000 */
  readonly graceMs?: number;
}

export const DEFAULT_PROCESSES_OPTIONS: Required<ProcessesOptions> = { graceMs: 1000 };

/** How often a group that was told to end is looked at. */
const POLL_MS = 20;
/** Searching the whole process table takes a while on a busy machine. */
const LOOKS_PER_SEARCH = 5;
/** After the group is gone its pipes close by themselves, unless a process left the group with them. */
const DRAIN_MS = 250;
/** The inner shell sees the command as its `-c` text; both streams share one pipe, which keeps their order. */
const MERGE_STREAMS = 'exec /bin/bash -c "$1" 2>&1';

export function createProcesses(options: ProcessesOptions = {}): Processes {
  const graceMs = options.graceMs ?? DEFAULT_PROCESSES_OPTIONS.graceMs;
  /** Marks of what runs, by group. */
  const groups = new Map<number, string>();
  return {
    async run(request) {
      if (request.signal.aborted) return { kind: 'aborted' };
      const { mark, env } = markedEnv(request.env);
      const child = start({ ...request, env });
      if (!('pid' in child) || child.pid === undefined) return notStarted(child);
      groups.set(child.pid, mark);
      const end = await waitFor(child, child.pid, { ...request, graceMs });
      if (end.kind === 'timeout' || end.kind === 'aborted') killStrays(mark);
      groups.delete(child.pid);
      return end;
    },
    async disposeProcesses() {
      const ending = [...groups];
      await Promise.all(ending.map(([group]) => endGroup(group, graceMs)));
      for (const [, mark] of ending) killStrays(mark);
    },
    killProcesses() {
      for (const [group, mark] of groups) {
        sendSignal(group, 'SIGKILL');
        killStrays(mark);
      }
    },
  };
}

function start(request: CommandRequest): ChildProcess | Error {
  try {
    return spawn('/bin/bash', ['-c', MERGE_STREAMS, 'bash', request.command], {
      cwd: request.folder,
      env: { ...request.env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Without a process id, the reason follows as an `error` event. */
function notStarted(child: ChildProcess | Error): Promise<CommandEnd> {
  if (child instanceof Error) return Promise.resolve({ kind: 'not_started', reason: child.message });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ kind: 'not_started', reason: error.message }));
  });
}

interface Waiting extends CommandRequest {
  readonly graceMs: number;
}

async function waitFor(child: ChildProcess, group: number, request: Waiting): Promise<CommandEnd> {
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.stdout?.on('data', request.onOutput);
  child.stderr?.on('data', request.onOutput);
  const end = await firstEnd(child, request);
  // whatever the reason, nothing the command started may outlive it
  await endGroup(group, request.graceMs);
  await within(DRAIN_MS, closed);
  child.stdout?.destroy();
  child.stderr?.destroy();
  return end;
}

function firstEnd(child: ChildProcess, request: Waiting): Promise<CommandEnd> {
  return new Promise((resolve) => {
    const settle = (end: CommandEnd): void => {
      clearTimeout(timer);
      request.signal.removeEventListener('abort', onAbort);
      resolve(end);
    };
    const onAbort = (): void => settle({ kind: 'aborted' });
    const timer = setTimeout(() => settle({ kind: 'timeout' }), request.timeoutMs);
    request.signal.addEventListener('abort', onAbort, { once: true });
    child.on('error', (error) => settle({ kind: 'not_started', reason: error.message }));
    child.once('exit', (exitCode, signalName) => {
      settle(
        exitCode === null ? { kind: 'killed', signalName: signalName ?? 'unknown' } : { kind: 'exited', exitCode },
      );
    });
  });
}

/** Resolves when nothing of the group runs, or right after SIGKILL: a process in the kernel's hands may linger. */
export async function endGroup(group: number, graceMs: number): Promise<void> {
  if (!sendSignal(group, 'SIGTERM')) return;
  const startMs = performance.now();
  for (let look = 0; performance.now() - startMs < graceMs; look += 1) {
    await within(POLL_MS);
    if (!sendSignal(group, 0)) return;
    if (look % LOOKS_PER_SEARCH === 0 && !(await hasLiveMember(group))) return;
  }
  sendSignal(group, 'SIGKILL');
}

/** False when the group has no process left. */
export function sendSignal(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch {
    return false;
  }
}

/** Resolves after `ms`, or with `earlier`. */
export function within(ms: number, earlier?: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void earlier?.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
