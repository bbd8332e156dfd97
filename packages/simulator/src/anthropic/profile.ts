/** The Anthropic Messages profile. */

import { useExplicitCache } from '../cache/explicit.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { Problem } from '../problem.ts';
import type { Answer, Call, Incoming, Profile, ProfileDeps } from '../profile.ts';
import type { CountTokens } from '../tokens/count.ts';
import { chainUnits, totalTokens } from '../tokens/units.ts';
import { type Turn, turnsOf } from './conversation.ts';
import { decodeAnthropic } from './decode.ts';
import { anthropicEvents, foldAnthropic } from './events.ts';
import { anthropicErrorBody, anthropicProblems, promptTooLong } from './problems.ts';
import { createSigner, type Signer } from './signatures.ts';
import { prefixHashes, unitsOf } from './units.ts';
import { lastThinkingNonce } from './validate/thinking-rules.ts';
import { validateAnthropic } from './validate/validate.ts';

/** The public o200k vocabulary counts about a fifth fewer tokens than Claude's tokenizer. */
const TOKEN_SCALE = 1.22;

interface Setting {
  readonly deps: ProfileDeps;
  readonly signer: Signer;
  readonly countTokens: CountTokens;
  /** Ids of calls issued together with thinking. */
  readonly thoughtfulCalls: Set<string>;
}

export function createAnthropicProfile(deps: ProfileDeps): Profile {
  const countTokens: CountTokens = (text) => Math.ceil(deps.countTokens(text) * TOKEN_SCALE);
  const setting: Setting = { deps, signer: createSigner(deps.signingKey), countTokens, thoughtfulCalls: new Set() };
  return {
    name: 'anthropic',
    requestIdHeader: 'request-id',
    callIdPrefix: 'toolu_sim_',
    errorEventName: 'error',
    countTokens,
    accept: (incoming) => acceptRequest(incoming, setting),
    errorBody: anthropicErrorBody,
    tooLong: promptTooLong,
    problems: anthropicProblems,
  };
}

function acceptRequest({ body, endpoint, hasBeta }: Incoming, setting: Setting): Problem | Call {
  const turns = turnsOf(body);
  const { deps, signer, thoughtfulCalls } = setting;
  const isBound = deps.bindsThinking(String(body['model']));
  const hashes = prefixHashes(body, turns);
  const problem = validateAnthropic({
    body,
    endpoint,
    hasBeta,
    turns,
    signer,
    cameWithThinking: (callId) => thoughtfulCalls.has(callId),
    ...(isBound ? { prefixHashBefore: hashes } : {}),
  });
  return problem ?? createCall({ body, turns, prefixHash: isBound ? hashes(turns.length) : '-' }, setting);
}

interface Valid {
  readonly body: JsonObject;
  readonly turns: readonly Turn[];
  readonly prefixHash: string;
}

function createCall(valid: Valid, setting: Setting): Call {
  const { body, turns } = valid;
  const { deps, countTokens } = setting;
  const request = decodeAnthropic(body);
  const units = unitsOf(body, turns, { countTokens, cacheTtlMs: deps.cacheTtlMs });
  const stops = body['stop_sequences'];
  return {
    request,
    isStream: body['stream'] === true,
    inputTokens: totalTokens(units),
    maxOutputTokens: request.maxOutputTokens,
    stopSequences: Array.isArray(stops) ? stops.map(String) : [],
    useCache: () =>
      useExplicitCache(deps.cacheStore, chainUnits(`anthropic ${request.model}`, units), deps.minimumCacheTokens),
    events: (answer) => encode(answer, valid, setting),
    fold: foldAnthropic,
  };
}

function encode(
  answer: Answer,
  { body, turns, prefixHash }: Valid,
  { deps, signer, thoughtfulCalls }: Setting,
): ReturnType<Call['events']> {
  const thinking = body['thinking'];
  let previous = lastThinkingNonce({ turns, signer });
  const { parts } = answer.reply;
  if (parts.some((part) => part.kind === 'thinking')) {
    for (const part of parts) if (part.kind === 'call') thoughtfulCalls.add(part.id);
  }
  return anthropicEvents(answer, {
    messageId: deps.ids.next('msg_sim_'),
    model: String(body['model']),
    omitsThinking: isObject(thinking) && thinking['display'] === 'omitted',
    sign: (text, index) => {
      const nonce = deps.ids.next('th');
      const position = parts.slice(0, index).filter((part) => part.kind !== 'thinking').length;
      const signature = signer.sign(text, { nonce, previous, position, prefixHash });
      previous = nonce;
      return signature;
    },
  });
}
