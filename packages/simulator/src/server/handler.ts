/** From an HTTP request to its answer: host, path, credentials, body, then the profile. */

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultAction, FaultQueue } from '../faults.ts';
import { faultFromHeader } from '../faults.ts';
import type { Ids } from '../ids.ts';
import type { JsonObject } from '../json.ts';
import { isLoopback, type ResolvedOptions, windowOf } from '../options.ts';
import type { Problem } from '../problem.ts';
import { type Call, isProblem, type Profile } from '../profile.ts';
import { readBody } from './body.ts';
import { answerCall } from './exchange.ts';
import { encodeModel, encodeModels, type ListedModel } from './models.ts';
import type { Records, SimRecord } from './records.ts';
import { type Reply, sendDelivery, sendJson, sendProblem } from './send.ts';

export interface ServerState {
  readonly options: ResolvedOptions;
  readonly ids: Ids;
  readonly faults: FaultQueue;
  readonly records: Records;
  profiles(): Promise<Readonly<Record<Profile['name'], Profile>>>;
  /** Generation requests that passed validation so far. */
  generations: number;
}

interface Visit {
  readonly reply: Reply;
  readonly request: IncomingMessage;
  readonly path: string;
}

type Route = (visit: Visit, state: ServerState) => Promise<void>;

const ROUTES: Readonly<Record<string, Route>> = {
  'POST /v1/messages': (visit, state) => generate(visit, state, 'create'),
  'POST /v1/messages/count_tokens': (visit, state) => generate(visit, state, 'count'),
  'POST /v1/chat/completions': (visit, state) => generate(visit, state, 'create'),
  'GET /v1/models': async ({ reply }, state) => sendJson(reply, encodeModels(reply.profile.name, modelsOf(state))),
};

export async function handle(request: IncomingMessage, response: ServerResponse, state: ServerState): Promise<void> {
  const path = new URL(request.url ?? '/', 'http://simulator').pathname;
  const profiles = await state.profiles();
  const profile = profiles[profileOf(path, request.headers)];
  const reply: Reply = { response, profile, requestId: state.ids.next('req_sim_') };
  const refusal = checkHeaders(request.headers, profile, state.options);
  const route = ROUTES[`${request.method} ${path}`] ?? modelRoute(request.method, path);
  if (refusal !== undefined || route === undefined) {
    request.resume();
    return sendProblem(reply, refusal ?? profile.problems.notFound(request.method ?? '', path));
  }
  await route({ reply, request, path }, state);
}

function profileOf(path: string, headers: IncomingHttpHeaders): Profile['name'] {
  if (path.startsWith('/v1/chat/')) return 'openai';
  const isAnthropic = path.startsWith('/v1/messages') || 'anthropic-version' in headers || 'x-api-key' in headers;
  return isAnthropic ? 'anthropic' : 'openai';
}

function checkHeaders(headers: IncomingHttpHeaders, profile: Profile, options: ResolvedOptions): Problem | undefined {
  const host = (headers.host ?? '').replace(/:\d+$/, '');
  // A page in a browser can reach loopback under a name of its own; such a name is not let in.
  if (!options.allowRemote && !isLoopback(host)) {
    return { status: 403, type: 'permission_error', message: `Host "${host}" is not allowed` };
  }
  const hasKey = headers['x-api-key'] !== undefined || headers.authorization?.startsWith('Bearer ') === true;
  if (!hasKey) return profile.problems.noCredentials;
  if (profile.name === 'anthropic' && headers['anthropic-version'] === undefined) {
    return { status: 400, type: 'invalid_request_error', message: 'anthropic-version: header is required' };
  }
  return undefined;
}

function modelsOf({ options }: ServerState): readonly ListedModel[] {
  const { windowTokens } = options;
  const named = typeof windowTokens === 'number' ? [] : Object.keys(windowTokens).filter((model) => model !== '*');
  const ids = named.length === 0 ? ['sim-1'] : named;
  return ids.map((id) => ({ id, windowTokens: windowOf(options, id) }));
}

const MODEL_PATH = /^\/v1\/models\/([^/]+)$/;

function modelRoute(method: string | undefined, path: string): Route | undefined {
  const encoded = method === 'GET' ? MODEL_PATH.exec(path)?.[1] : undefined;
  if (encoded === undefined) return undefined;
  return async ({ reply }, state) => {
    const model = modelsOf(state).find(({ id }) => encodeURIComponent(id) === encoded || id === encoded);
    if (model === undefined) sendProblem(reply, reply.profile.problems.notFound('GET', path));
    else sendJson(reply, encodeModel(reply.profile.name, model));
  };
}

async function generate(visit: Visit, state: ServerState, endpoint: 'create' | 'count'): Promise<void> {
  const { reply, request } = visit;
  const { profile } = reply;
  const read = await readBody(request, state.options.maxBodyBytes);
  if (read.kind !== 'body') {
    const problem = read.kind === 'too_large' ? profile.problems.bodyTooLarge : profile.problems.badJson;
    return refuse(visit, state, { body: {}, bytes: 0, problem });
  }
  const { body, bytes } = read;
  const hasBeta = request.headers['anthropic-beta'] !== undefined;
  const accepted = profile.accept({ body, endpoint, hasBeta });
  if (isProblem(accepted)) return refuse(visit, state, { body, bytes, problem: accepted });
  if (endpoint === 'create') return answer(visit, state, { body, bytes, call: accepted });
  record(visit, state, { body, bytes, status: 200 });
  sendJson(reply, { input_tokens: accepted.inputTokens });
}

async function answer(
  visit: Visit,
  state: ServerState,
  { body, bytes, call }: { readonly body: JsonObject; readonly bytes: number; readonly call: Call },
): Promise<void> {
  const { profile } = visit.reply;
  const { options, ids } = state;
  const fault = takeFault(visit, state, { body, call });
  state.generations += 1;
  const windowTokens = windowOf(options, call.request.model);
  const outcome = await answerCall({ call, profile, brain: options.brain, ids, windowTokens, fault });
  // Slept after the cache was read and before the response begins: requests in flight together all miss.
  if (options.latencyMs > 0) await sleep(options.latencyMs);
  const mark = fault === undefined ? {} : { fault: fault.kind };
  if ('status' in outcome) return refuse(visit, state, { body, bytes, problem: outcome, ...mark });
  record(visit, state, { body, bytes, status: 200, usage: outcome.usage, ...mark });
  await sendDelivery(visit.reply, outcome);
}

function takeFault(
  { reply, request }: Visit,
  { faults, generations }: ServerState,
  { body, call }: { readonly body: JsonObject; readonly call: Call },
): FaultAction | undefined {
  const header = request.headers['x-sim-fault'];
  const asked = typeof header === 'string' ? faultFromHeader(header) : undefined;
  return (
    asked ??
    faults.take({
      profile: reply.profile.name,
      index: generations,
      isStream: call.isStream,
      inputTokens: call.inputTokens,
      request: call.request,
      body,
    })
  );
}

type Outcome = Pick<SimRecord, 'body' | 'bytes' | 'fault'> & { readonly problem: Problem };

function refuse(visit: Visit, state: ServerState, { problem, ...rest }: Outcome): void {
  record(visit, state, { ...rest, status: problem.status, error: problem.message });
  sendProblem(visit.reply, problem);
}

function record(
  { reply, path }: Visit,
  state: ServerState,
  known: Pick<SimRecord, 'body' | 'bytes' | 'status' | 'usage' | 'error' | 'fault'>,
): void {
  const { body } = known;
  state.records.add({
    requestId: reply.requestId,
    profile: reply.profile.name,
    path,
    model: typeof body['model'] === 'string' ? body['model'] : '',
    isStream: body['stream'] === true,
    ...known,
  });
}
