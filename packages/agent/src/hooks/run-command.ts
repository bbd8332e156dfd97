/** One hook's command: JSON in, text out, within its time; nothing it starts outlives it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { head } from '../tools/cut-text.ts';
import { endGroup, sendSignal, within } from '../tools/processes.ts';
import { killStrays, markedEnv } from '../tools/strays.ts';

export interface HookRun {
  readonly command: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  readonly timeoutMs: number;
}

export type HookEnd =
  | { readonly kind: 'exited'; readonly exitCode: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: 'failed'; readonly reason: string };

export interface HookProcesses {
  /** Never rejects. */
  run(request: HookRun): Promise<HookEnd>;
  /** SIGKILL to all that still run: for a handler of the process's own exit, or an interrupt. */
  kill(): void;
}

/** Characters of what a hook has to say, not what a log holds. */
export const MAX_HOOK_CHARS = 10_000;
/** Characters of standard output that are kept: an answer has to be read whole before its words are cut, or a long refusal would be none. */
export const MAX_ANSWER_CHARS = 1_000_000;

/** Time between SIGTERM and SIGKILL, milliseconds. */
const GRACE_MS = 500;
/** A command that moved to a session of its own may hold the pipes; they are closed then. */
const DRAIN_MS = 250;

export function createHookProcesses(): HookProcesses {
  /** Marks of what runs, by group. */
  const groups = new Map<number, string>();
  return {
    async run(request) {
      const { mark, env } = markedEnv(request.env);
      const child = start({ ...request, env });
      if (child.pid === undefined) return notStarted(child);
      groups.set(child.pid, mark);
      try {
        const end = await waitFor(child, child.pid, request);
        if (end.kind === 'failed') killStrays(mark);
        return end;
      } finally {
        groups.delete(child.pid);
      }
    },
    kill() {
      for (const [group, mark] of groups) {
        sendSignal(group, 'SIGKILL');
        killStrays(mark);
      }
    },
  };
}

/** Standard input is a socket here, and a shell that finds one there takes itself for a remote login and reads the user's start file, unless told not to. */
function start({ command, folder, env }: HookRun): ChildProcess {
  return spawn('/bin/bash', ['--norc', '-c', command], {
    cwd: folder,
    env: { ...env },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** Without a process id, the reason follows as an event. */
function notStarted(child: ChildProcess): Promise<HookEnd> {
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve({ kind: 'failed', reason: `it could not be started: ${message}` }));
  });
}

/** The beginning of a stream as text; the rest is read and let go, so that the command does not wait for a reader. */
function collect(stream: NodeJS.ReadableStream | null, maxChars: number): () => string {
  const decoder = new StringDecoder('utf8');
  let text = '';
  stream?.on('data', (chunk: Buffer) => {
    if (text.length <= maxChars) text += decoder.write(chunk);
  });
  return () => head(text, maxChars).toWellFormed().trim();
}

async function waitFor(child: ChildProcess, group: number, { input, timeoutMs }: HookRun): Promise<HookEnd> {
  const [stdout, stderr] = [collect(child.stdout, MAX_ANSWER_CHARS), collect(child.stderr, MAX_HOOK_CHARS)];
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  // A command that does not read what it is told is none the worse for it.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
  const end = await firstEnd(child, timeoutMs);
  await endGroup(group, GRACE_MS);
  await within(DRAIN_MS, closed);
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  if (typeof end === 'number') return { kind: 'exited', exitCode: end, stdout: stdout(), stderr: stderr() };
  return { kind: 'failed', reason: end };
}

/** The exit code, or what happened instead of an exit. */
function firstEnd(child: ChildProcess, timeoutMs: number): Promise<number | string> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(`it took longer than ${timeoutMs} ms`), timeoutMs);
    child.once('error', ({ message }) => resolve(message));
    child.once('exit', (exitCode, signal) => {
      clearTimeout(timer);
      resolve(exitCode ?? `it was ended by ${signal ?? 'a signal'}`);
    });
  });
}
