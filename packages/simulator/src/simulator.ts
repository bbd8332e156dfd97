/** The simulator: an HTTP server on loopback that behaves like two vendors. */

import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAnthropicProfile } from './anthropic/profile.ts';
import { createCacheStore } from './cache/store.ts';
import { createFaultQueue, type Fault } from './faults.ts';
import { createIds, type Ids } from './ids.ts';
import { createOpenaiProfile } from './openai/profile.ts';
import { type ResolvedOptions, resolveOptions, type SimulatorOptions } from './options.ts';
import type { Profile } from './profile.ts';
import { handle, type ServerState } from './server/handler.ts';
import { createRecords, type SimRecord, type SimTotals } from './server/records.ts';
import { loadTokenCounter } from './tokens/count.ts';

/** A running simulator. */
export interface Simulator {
  /** `http://127.0.0.1:PORT`: the base URL of the Anthropic SDK. The OpenAI SDK wants `/v1` after it. */
  readonly url: string;
  /** What was asked, oldest first, refused requests too. The newest `keepRequests` are kept, up to 128 MB of bodies. */
  readonly requests: readonly SimRecord[];
  /** Sums over every answered request. */
  totals(): SimTotals;
  /** Puts a failure at the end of the queue. Throws `SimulatorError` when it is malformed. */
  addFault(fault: Fault): void;
  /** Faults that still wait for their request; those for every request are not counted. */
  pendingFaults(): number;
  /** Stops listening and drops open connections. */
  close(): Promise<void>;
}

/**
 * Starts a strict fake provider: `POST /v1/messages`, `POST /v1/messages/count_tokens`, `POST /v1/chat/completions`
 * and `GET /v1/models`, whole and streamed. Any key is accepted and nothing leaves the machine.
 *
 * ```ts
 * const simulator = await createSimulator({ brain: scripted(['Hello.']) });
 * const client = new Anthropic({ baseURL: simulator.url, apiKey: 'any' });
 * ```
 *
 * Throws `SimulatorError` with code `invalid_option` when an option is out of range; rejects when the port is taken.
 */
export async function createSimulator(options: SimulatorOptions): Promise<Simulator> {
  const resolved = resolveOptions(options);
  const state = createState(resolved);
  const server = createServer((request, response) => {
    handle(request, response, state).catch((error: unknown) => failLoudly(response, error));
  });
  await listen(server, resolved);
  const { port } = server.address() as AddressInfo;
  const host = resolved.host.includes(':') ? `[${resolved.host.replace(/[[\]]/g, '')}]` : resolved.host;
  return {
    url: `http://${host}:${port}`,
    requests: state.records.list,
    totals: () => state.records.totals(),
    addFault: (fault) => state.faults.add(fault),
    pendingFaults: () => state.faults.pending(),
    close: () => close(server),
  };
}

function createState(options: ResolvedOptions): ServerState {
  const ids = createIds(options.idTag);
  let profiles: Promise<Readonly<Record<Profile['name'], Profile>>> | undefined;
  return {
    options,
    ids,
    faults: createFaultQueue(options.faults),
    records: createRecords(options.keepRequests),
    generations: 0,
    profiles: () => {
      profiles ??= createProfiles(options, ids);
      return profiles;
    },
  };
}

async function createProfiles(options: ResolvedOptions, ids: Ids): Promise<Readonly<Record<Profile['name'], Profile>>> {
  const deps = {
    ...options,
    ids,
    countTokens: options.countTokens ?? (await loadTokenCounter()),
    cacheStore: createCacheStore(options.now),
  };
  return { anthropic: createAnthropicProfile(deps), openai: createOpenaiProfile(deps) };
}

/** A client that left in the middle ends here too; nobody is listening then. */
function failLoudly(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const message = `simulator failure: ${error instanceof Error ? error.message : String(error)}`;
  response.writeHead(500, { 'content-type': 'application/json', 'x-should-retry': 'false' });
  response.end(JSON.stringify({ type: 'error', error: { type: 'api_error', message } }));
}

async function listen(server: Server, { port, host }: ResolvedOptions): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host.replace(/[[\]]/g, ''), () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function close(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
