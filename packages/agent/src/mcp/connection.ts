/** One MCP server: connected through the official SDK, asked for its tools once, called until it is closed. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult, Tool as McpTool } from '@modelcontextprotocol/sdk/types.js';
import { childEnv } from '../tools/child-env.ts';
import { limitedFetch } from './limited-fetch.ts';
import { fillVariables, type McpHttpSettings, type McpServerSettings, type McpStdioSettings } from './settings.ts';
import { createStdioTransport } from './stdio-transport.ts';

export interface ConnectionOptions {
  readonly workspaceRoot: string;
  readonly env: Readonly<Record<string, string>>;
  readonly connectTimeoutMs: number;
  readonly callTimeoutMs: number;
  readonly signal: AbortSignal;
  /** The server went away by itself, with what it said of it. */
  readonly onGone: (reason: string) => void;
}

export interface McpConnection {
  readonly tools: readonly McpTool[];
  /** Rejects where the server is gone, answers with an error of the protocol or with nonsense, takes too long, or `signal` is aborted. */
  call(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult>;
  close(): Promise<void>;
  kill(): void;
}

/** A message of this size is no answer a model could use; pictures of a few megabytes pass. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;
const MAX_PAGES = 50;
const MAX_TOOLS = 500;
const CLOSE_MS = 3_000;
const VERSION = '0.1.0';

interface Wire {
  readonly transport: Transport;
  readonly kill: () => void;
  /** What the server said of its troubles. */
  readonly complaint: () => string;
  /** Ends the session on the server's side, where there is one. */
  readonly leave?: () => Promise<void>;
}

/** Rejects with a reason for people when the server cannot be used; nothing of it is left running then. */
export async function connectServer(settings: McpServerSettings, options: ConnectionOptions): Promise<McpConnection> {
  const wire = settings.kind === 'stdio' ? await stdioWire(settings, options) : await httpWire(settings, options);
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const client = new Client({ name: 'holdover', version: VERSION }, { capabilities: {} });
  const close = async (): Promise<void> => {
    client.onclose = () => undefined;
    if (wire.leave !== undefined) await within(CLOSE_MS, wire.leave());
    await within(CLOSE_MS, client.close());
    wire.kill();
  };
  try {
    const tools = await bounded(open(client, wire, options), options, wire.kill);
    client.onclose = () => options.onGone(wire.complaint());
    return { tools, call: caller(client, options), close, kill: wire.kill };
  } catch (error) {
    await close();
    throw withComplaint(error, wire.complaint());
  }
}

async function open(client: Client, { transport }: Wire, options: ConnectionOptions): Promise<readonly McpTool[]> {
  const { ListToolsResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const limits = { timeout: options.connectTimeoutMs, signal: options.signal };
  await client.connect(transport, limits);
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const tools: McpTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && tools.length < MAX_TOOLS; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    // Not `listTools`: it compiles the server's output schemas, and a hostile one can take for ever.
    const result = await client.request({ method: 'tools/list', params }, ListToolsResultSchema, limits);
    tools.push(...result.tools);
    cursor = result.nextCursor;
    if (cursor === undefined) break;
  }
  return tools.slice(0, MAX_TOOLS);
}

/** A server that forgot its session, such as one started anew, answers so. */
function isForgotten(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 404;
}

function caller(client: Client, options: ConnectionOptions): McpConnection['call'] {
  const { callTimeoutMs, onGone } = options;
  return async (name, input, signal) => {
    const { CallToolResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const limits = { timeout: callTimeoutMs, maxTotalTimeout: callTimeoutMs, signal };
    const request = { method: 'tools/call' as const, params: { name, arguments: input } };
    try {
      return await client.request(request, CallToolResultSchema, limits);
    } catch (error) {
      if (isForgotten(error)) onGone('it no longer knows this session');
      throw error;
    }
  };
}

async function stdioWire(settings: McpStdioSettings, options: ConnectionOptions): Promise<Wire> {
  const { deserializeMessage } = await import('@modelcontextprotocol/sdk/shared/stdio.js');
  const own = fillVariables(settings.env, options.env);
  if (!own.ok) throw new Error(own.reason);
  const transport = createStdioTransport({
    command: settings.command,
    args: settings.args,
    folder: options.workspaceRoot,
    env: { ...childEnv(options.env), ...own.values },
    maxMessageBytes: MAX_MESSAGE_BYTES,
    parse: deserializeMessage,
  });
  return { transport, kill: () => transport.kill(), complaint: () => transport.complaint() };
}

async function httpWire(settings: McpHttpSettings, options: ConnectionOptions): Promise<Wire> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const headers = fillVariables(settings.headers, options.env);
  if (!headers.ok) throw new Error(headers.reason);
  let complaint = '';
  // The SDK takes a broken stream for one to resume, and the call would wait out its time.
  const giveUp = (): void => {
    complaint = `it sent a message of over ${MAX_MESSAGE_BYTES} bytes`;
    void transport.close();
  };
  const transport = new StreamableHTTPClientTransport(new URL(settings.url), {
    requestInit: { headers: headers.values },
    fetch: limitedFetch(MAX_MESSAGE_BYTES, giveUp),
  });
  return {
    // The SDK types an absent session id in two ways.
    transport: transport as Transport,
    kill: () => undefined,
    complaint: () => complaint,
    leave: () => transport.terminateSession(),
  };
}

/** The work, or a rejection when the time for connecting is over or the caller gave up. */
async function bounded<T>(work: Promise<T>, options: ConnectionOptions, kill: () => void): Promise<T> {
  const { connectTimeoutMs, signal } = options;
  signal.throwIfAborted();
  let stop = (): void => undefined;
  const over = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${connectTimeoutMs} ms`)), connectTimeoutMs);
    const abort = (): void => {
      // At once: the process may be about to exit, with nothing else left of this server to end it by.
      kill();
      reject(new Error('interrupted'));
    };
    signal.addEventListener('abort', abort, { once: true });
    stop = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    };
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    stop();
    work.catch(() => undefined);
  }
}

function withComplaint(error: unknown, complaint: string): Error {
  const reason = error instanceof Error ? error.message : String(error);
  return new Error(complaint === '' || reason.includes(complaint) ? reason : `${reason}: ${complaint}`, {
    cause: error,
  });
}

/** Resolves with the work or after some time, whatever comes of it. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
}
