/** MCP servers of the settings, connected side by side; what they offer becomes tools like any other, each call asked about unless a rule allows it. */
import type { Tool as McpTool } from '@modelcontextprotocol/sdk/types.js';
import type { LongTexts } from '../tools/long-texts.ts';
import { cutMiddle } from '../tools/cut-text.ts';
import { failure, success, type Tool, type ToolContext, type ToolOutput } from '../tools/tool.ts';
import type { ConnectionOptions } from './connection.ts';
import { type LiveServer, openServer } from './live-server.ts';
import { offeredTool } from './offered-tool.ts';
import { resultText } from './result-text.ts';
import type { McpServerSettings } from './settings.ts';
import { toolNames } from './tool-names.ts';

export interface McpOptions {
  /** Where the commands of servers start. */
  readonly workspaceRoot: string;
  /** The agent's environment: its secrets fill `${NAME}` in settings, and reach no server otherwise. */
  readonly env: Readonly<Record<string, string>>;
  /** Gives up connecting, and ends at once what was started for it; calls have the signal of their run. */
  readonly signal?: AbortSignal;
  readonly onStatus?: (status: McpStatus) => void;
  /** Keeps what is over the cap of a result. Absent: the middle of a long result is lost. */
  readonly texts?: LongTexts;
  /** Milliseconds until a server that is not ready counts as failed. @default 30_000 */
  readonly connectTimeoutMs?: number;
  /** Milliseconds one call may take. @default 120_000, as for commands */
  readonly callTimeoutMs?: number;
}

export const DEFAULT_MCP: Required<Pick<McpOptions, 'connectTimeoutMs' | 'callTimeoutMs'>> = {
  connectTimeoutMs: 30_000,
  callTimeoutMs: 120_000,
};

/** Characters of one result, before the engine's budget sees it. */
export const MAX_MCP_RESULT_CHARS: number = 100_000;

/** `gone`: it was connected, and ended by itself; the next call of one of its tools starts it again. */
export type McpState = 'connecting' | 'connected' | 'failed' | 'gone' | 'closed';

export interface McpStatus {
  readonly name: string;
  readonly kind: McpServerSettings['kind'];
  readonly state: McpState;
  /** Why, for people; may quote the server. */
  readonly reason?: string | undefined;
  /** Names of its tools, as the model sees them. */
  readonly tools: readonly string[];
  /** Tools that are left out, with the reason. */
  readonly skipped: readonly string[];
}

export interface McpConnections {
  /** In the order of the settings, each server's by name: the same servers give the same request. */
  readonly tools: readonly Tool[];
  status(): readonly McpStatus[];
  /** Ends all servers, in a few seconds at most; never rejects. */
  close(): Promise<void>;
  /** Ends the processes of servers at once: for a handler of the process's own exit. */
  kill(): void;
}

/** Never rejects: a server that fails is reported, and the others are used. */
export async function connectMcp(
  servers: ReadonlyMap<string, McpServerSettings>,
  options: McpOptions,
): Promise<McpConnections> {
  const statuses = new Map<string, McpStatus>();
  const note = (name: string, change: Partial<McpStatus>): void => {
    const before = statuses.get(name);
    if (before === undefined) return;
    const status = { ...before, ...change };
    statuses.set(name, status);
    options.onStatus?.(status);
  };
  const connected = await Promise.all(
    [...servers].map(async ([name, settings]): Promise<LiveServer | undefined> => {
      statuses.set(name, { name, kind: settings.kind, state: 'connecting', tools: [], skipped: [] });
      note(name, {});
      try {
        const server = await openServer(name, settings, {
          ...connectionOptions(options),
          onChange: (gone) => note(name, { state: gone === undefined ? 'connected' : 'gone', reason: gone }),
        });
        note(name, { state: 'connected' });
        return server;
      } catch (error) {
        note(name, { state: 'failed', reason: reasonOf(error) });
        return undefined;
      }
    }),
  );
  const live = connected.filter((server) => server !== undefined);
  const offers = live.map(offersOf);
  const tools = toolsOf(offers, options);
  for (const { server, skipped } of offers) {
    const names = tools.filter((tool) => tool.server === server.name).map(({ name }) => name);
    note(server.name, { tools: names, skipped });
  }
  return {
    tools: tools.map(({ server: _, ...tool }) => tool),
    status: () => [...statuses.values()],
    async close() {
      await Promise.all(live.map((server) => server.close()));
      for (const { name } of live) note(name, { state: 'closed' });
    },
    kill() {
      for (const server of live) server.kill();
    },
  };
}

interface Offers {
  readonly server: LiveServer;
  readonly tools: readonly (Extract<ReturnType<typeof offeredTool>, { ok: true }> & { readonly name: string })[];
  readonly skipped: readonly string[];
}

function connectionOptions(options: McpOptions): Omit<ConnectionOptions, 'onGone'> {
  const { connectTimeoutMs, callTimeoutMs } = { ...DEFAULT_MCP, ...options };
  const { workspaceRoot, env, signal = new AbortController().signal } = options;
  return { workspaceRoot, env, connectTimeoutMs, callTimeoutMs, signal };
}

function offersOf(server: LiveServer): Offers {
  const byName = new Map<string, McpTool>(server.tools.map((tool) => [tool.name, tool]));
  const sorted = [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  const read = sorted.map((tool) => ({ name: tool.name, offer: offeredTool(tool, server.name) }));
  return {
    server,
    tools: read.flatMap(({ name, offer }) => (offer.ok ? [{ ...offer, name }] : [])),
    skipped: read.flatMap(({ name, offer }) => (offer.ok ? [] : [`${name}: ${offer.reason}`])),
  };
}

function toolsOf(offers: readonly Offers[], options: McpOptions): readonly (Tool & { readonly server: string })[] {
  const all = offers.flatMap(({ server, tools }) => tools.map((tool) => ({ server, tool })));
  const names = toolNames(all.map(({ server, tool }) => ({ server: server.name, tool: tool.name })));
  return all.map(({ server, tool }, index) => {
    const name = names[index] ?? tool.name;
    const call: CallPort = {
      name,
      texts: options.texts,
      run: (input, signal) => server.call(tool.name, input, signal),
    };
    return {
      server: server.name,
      name,
      description: tool.description,
      inputSchema: tool.inputSchema,
      ...(tool.isReadOnly ? { isConcurrent: true } : {}),
      // It may touch anything: without a rule the user is asked.
      access: () => [],
      run: (input, context) => runTool(input, context, call),
    };
  });
}

interface CallPort {
  readonly name: string;
  readonly texts: LongTexts | undefined;
  readonly run: (input: Record<string, unknown>, signal: AbortSignal) => ReturnType<LiveServer['call']>;
}

async function runTool(input: unknown, { signal }: ToolContext, call: CallPort): Promise<ToolOutput> {
  if (input === null || typeof input !== 'object' || Array.isArray(input))
    return failure(`${call.name}: the input must be an object with named fields`);
  if (signal.aborted) return failure(`${call.name}: interrupted, it was not called`);
  try {
    const result = await call.run(input as Record<string, unknown>, signal);
    const whole = resultText(result);
    const text = await shortened(whole, call.texts);
    const details = { chars: whole.length };
    return result.isError === true ? failure(text, details) : success(text, details);
  } catch (error) {
    if (signal.aborted) return failure(`${call.name}: interrupted; it may still have run`);
    return failure(`${call.name} failed: ${reasonOf(error)}`);
  }
}

function shortened(text: string, texts: LongTexts | undefined): string | Promise<string> {
  return texts === undefined ? cutMiddle(text, MAX_MCP_RESULT_CHARS) : texts.shorten(text, MAX_MCP_RESULT_CHARS);
}

/** The SDK's errors about nonsense quote all of it. */
const MAX_REASON_CHARS = 500;

function reasonOf(error: unknown): string {
  const reason = (error instanceof Error ? error.message : String(error)).toWellFormed();
  return reason.length <= MAX_REASON_CHARS ? reason : `${reason.slice(0, MAX_REASON_CHARS).toWellFormed()}…`;
}
