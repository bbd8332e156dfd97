/** Starts a process of a session and ends it at a moment nobody chose; keeps what it said until then. */
import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Holding, Part, Saying } from './protocol.ts';

export interface Observed {
  /** The newest state that was written for good. */
  readonly holding: Holding | undefined;
  /** What was under way after it. */
  readonly underWay: Extract<Saying, { say: 'will' }> | undefined;
  readonly failures: readonly Extract<Saying, { say: 'failed' }>[];
  /** It came to the end of its operations. */
  readonly isOver: boolean;
  readonly wasOpen: boolean;
  readonly code: number | null;
  readonly errors: string;
}

/** When to end the process: so many milliseconds after it began, or after its session was open; absent: not at all. */
export interface Kill {
  readonly after: 'spawn' | 'open';
  readonly ms: number;
  /** Called when its session is open; the time begins with what it gives. @default at once */
  readonly gate?: () => Promise<void>;
}

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly options?: SpawnOptions;
}

export function launchOf(program: string, part: Part): Launch {
  return { command: process.execPath, args: [program, JSON.stringify(part)] };
}

function endLater(child: ChildProcess, ms: number): void {
  const timer = setTimeout(() => child.kill('SIGKILL'), ms);
  child.once('exit', () => clearTimeout(timer));
}

function whenOpen(child: ChildProcess, { ms, gate = () => Promise.resolve() }: Kill): void {
  void gate().then(() => endLater(child, ms));
}

/** Runs a process until it ends or is ended. */
export async function observe({ command, args, options }: Launch, kill?: Kill): Promise<Observed> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  if (kill?.after === 'spawn') endLater(child, kill.ms);
  const seen: { -readonly [Key in keyof Observed]: Observed[Key] } = {
    holding: undefined,
    underWay: undefined,
    failures: [],
    isOver: false,
    wasOpen: false,
    code: null,
    errors: '',
  };
  child.stderr?.on('data', (chunk: Buffer) => {
    seen.errors += chunk.toString();
  });
  const closed = new Promise<number | null>((resolve, reject) => {
    child.once('close', (code) => resolve(code));
    child.once('error', reject);
  });
  if (child.stdout === null) throw new Error('a pipe was asked for');
  for await (const line of createInterface({ input: child.stdout })) {
    const saying = JSON.parse(line) as Saying;
    if (saying.say === 'open' && kill?.after === 'open') whenOpen(child, kill);
    note(seen, saying);
  }
  seen.code = await closed;
  return seen;
}

function note(seen: { -readonly [Key in keyof Observed]: Observed[Key] }, saying: Saying): void {
  switch (saying.say) {
    case 'open':
      seen.wasOpen = true;
      return;
    case 'will':
      seen.underWay = saying;
      return;
    case 'holds':
      seen.holding = saying.holding;
      // The requests of a run hold more and more; what the run itself will be is still open.
      if (seen.underWay?.op !== 'run') seen.underWay = undefined;
      return;
    case 'failed':
      seen.failures = [...seen.failures, saying];
      return;
    case 'end':
      seen.isOver = true;
  }
}
