/**
 * An MCP server as a child process. Its own process group, as a command of `bash` has: it ends with everything it started, and a Ctrl-C in the
 * terminal is not its end. What it sends is bounded; a line that is no message is passed over.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { tail } from '../tools/cut-text.ts';
import { endGroup, sendSignal } from '../tools/processes.ts';

export interface StdioOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** A server whose line is longer is ended. */
  readonly maxMessageBytes: number;
  /** Reads one line; throws where it is no message. */
  readonly parse: (line: string) => JSONRPCMessage;
}

export interface StdioTransport extends Transport {
  /** SIGKILL to the server and all it started, at once. */
  kill(): void;
  /** The end of what it wrote to standard error, for people. */
  complaint(): string;
}

/** A server that minds the end of its input gets this long to go by itself. */
const LEAVE_MS = 300;
const GRACE_MS = 1_000;
/** What was written just before the end may still be on its way. */
const DRAIN_MS = 100;
const MAX_COMPLAINT_CHARS = 2_000;
const LINE_FEED = 10;

export function createStdioTransport(options: StdioOptions): StdioTransport {
  let child: ChildProcess | undefined;
  let isOver = false;
  let complaint = '';
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    transport.onclose?.();
  };
  const kill = (): void => {
    if (child?.pid !== undefined) sendSignal(child.pid, 'SIGKILL');
  };
  const fail = (error: Error): void => {
    complaint = error.message;
    transport.onerror?.(error);
    kill();
    end();
  };
  const lines = createLines(options.maxMessageBytes, {
    onLine: (line) => receive(line, transport, options),
    onTooLong: () => fail(new Error(`it sent a message of over ${options.maxMessageBytes} bytes`)),
  });
  const transport: StdioTransport = {
    async start() {
      const started = await startChild(options);
      child = started;
      started.stdout?.on('data', (chunk: Uint8Array) => (isOver ? undefined : lines(chunk)));
      started.stderr?.on('data', (chunk: Buffer) => {
        complaint = tail(complaint + chunk.toString('utf8'), MAX_COMPLAINT_CHARS);
      });
      started.stdin?.on('error', (error) => transport.onerror?.(error));
      started.once('exit', () => {
        if (started.pid !== undefined) void endGroup(started.pid, GRACE_MS);
        setTimeout(end, DRAIN_MS);
      });
    },
    async send(message) {
      if (isOver || child?.stdin?.writable !== true) throw new Error('the server is not running');
      child.stdin.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      if (child !== undefined) await endChild(child);
      end();
    },
    kill,
    complaint: () => complaint.trim(),
  };
  return transport;
}

function receive(line: string, transport: Transport, { parse }: StdioOptions): void {
  let message: JSONRPCMessage;
  try {
    message = parse(line);
  } catch {
    // Many servers print to standard output what is meant for people.
    return;
  }
  transport.onmessage?.(message);
}

function startChild(options: StdioOptions): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const child = spawn(options.command, [...options.args], {
      cwd: options.folder,
      env: { ...options.env },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.once('spawn', () => resolve(child));
    // Also later: a process that cannot be told to end says so here.
    child.on('error', reject);
  });
}

async function endChild(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  child.stdin?.end();
  await exited(child, LEAVE_MS);
  await endGroup(pid, GRACE_MS);
  await exited(child, LEAVE_MS);
  child.stdout?.destroy();
  child.stderr?.destroy();
}

function exited(child: ChildProcess, ms: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

interface LineHandlers {
  readonly onLine: (line: string) => void;
  readonly onTooLong: () => void;
}

/** Cuts bytes into lines, each character whole; holds one unfinished line at most. */
function createLines(maxBytes: number, handlers: LineHandlers): (chunk: Uint8Array) => void {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  return (chunk) => {
    let rest = chunk;
    for (let at = rest.indexOf(LINE_FEED); at >= 0; at = rest.indexOf(LINE_FEED)) {
      const line = Buffer.concat([...held, rest.subarray(0, at)]).toString('utf8');
      held = [];
      heldBytes = 0;
      rest = rest.subarray(at + 1);
      handlers.onLine(line);
    }
    heldBytes += rest.length;
    if (heldBytes > maxBytes) {
      held = [];
      return handlers.onTooLong();
    }
    if (rest.length > 0) held.push(rest);
  };
}
