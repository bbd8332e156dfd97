/** The OpenAI Chat Completions profile. */

import { useAutomaticCache } from '../cache/automatic.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { Problem } from '../problem.ts';
import type { Answer, Call, Incoming, Profile, ProfileDeps, WireEvent } from '../profile.ts';
import { chainUnits, totalTokens } from '../tokens/units.ts';
import { foldOpenai, openaiChunks } from './chunks.ts';
import { decodeOpenai, outputLimitOf } from './decode.ts';
import { contextLengthExceeded, openaiErrorBody, openaiProblems } from './problems.ts';
import { unitsOf } from './units.ts';
import { validateOpenai } from './validate/validate.ts';

export function createOpenaiProfile(deps: ProfileDeps): Profile {
  return {
    name: 'openai',
    requestIdHeader: 'x-request-id',
    callIdPrefix: 'call_sim_',
    countTokens: deps.countTokens,
    accept: (incoming) => acceptRequest(incoming, deps),
    errorBody: openaiErrorBody,
    tooLong: contextLengthExceeded,
    problems: openaiProblems,
  };
}

function acceptRequest({ body }: Incoming, deps: ProfileDeps): Problem | Call {
  return validateOpenai(body) ?? createCall(body, deps);
}

function createCall(body: JsonObject, deps: ProfileDeps): Call {
  const request = decodeOpenai(body);
  const units = unitsOf(body, deps.countTokens);
  const limits = { minimumTokens: deps.minimumCacheTokens, ttlMs: deps.cacheTtlMs };
  return {
    request,
    isStream: body['stream'] === true,
    inputTokens: totalTokens(units),
    maxOutputTokens: outputLimitOf(body),
    stopSequences: [body['stop']].flat().filter((stop) => typeof stop === 'string'),
    useCache: () => useAutomaticCache(deps.cacheStore, chainUnits(cacheRoot(body), units), limits),
    events: (answer) => encode(answer, body, deps),
    fold: foldOpenai,
  };
}

/** Requests with another `prompt_cache_key` land on another machine, and its cache. */
function cacheRoot(body: JsonObject): string {
  return `openai ${String(body['model'])} ${String(body['prompt_cache_key'] ?? '')}`;
}

function encode(answer: Answer, body: JsonObject, deps: ProfileDeps): readonly WireEvent[] {
  const options = body['stream_options'];
  const isAsked = isObject(options) && options['include_usage'] === true;
  return openaiChunks(answer, {
    id: deps.ids.next('chatcmpl-sim-'),
    model: String(body['model']),
    createdSeconds: Math.floor(deps.now() / 1000),
    includesUsage: isAsked || body['stream'] !== true,
  });
}
