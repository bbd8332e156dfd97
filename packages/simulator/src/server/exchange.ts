/** One generation request from accepted call to what is sent: window, faults, brain, cut, cache. */

import type { Brain, SimReply } from '../brain.ts';
import type { CacheOutcome } from '../cache/outcome.ts';
import { SimulatorError } from '../errors.ts';
import type { FaultAction } from '../faults.ts';
import type { Ids } from '../ids.ts';
import { isObject, type JsonObject } from '../json.ts';
import { type ShapedReply, shapeReply } from '../output/shape.ts';
import type { Problem } from '../problem.ts';
import type { Call, Profile, SimUsage, WireEvent } from '../profile.ts';
import { keepNewest, keptAfterTruncation } from './truncate.ts';

/** How a stream ends before it is over, after so many deltas; a hang-up comes before its first byte. */
export type Ending =
  | { readonly kind: 'hang-up' }
  | { readonly kind: 'cut' | 'malformed'; readonly afterDeltas: number }
  | { readonly kind: 'error'; readonly afterDeltas: number; readonly problem: Problem };

/** A 200, ready to be written. */
export interface Delivery {
  readonly events: readonly WireEvent[];
  readonly isStream: boolean;
  readonly usage: SimUsage;
  /** The whole reply. */
  whole(): JsonObject;
  /** To be called when the response begins. */
  begin(): void;
  readonly delayMs: number;
  readonly deltaDelayMs: number;
  readonly ending?: Ending;
}

export interface Exchange {
  readonly call: Call;
  readonly profile: Profile;
  readonly brain: Brain;
  readonly ids: Ids;
  readonly windowTokens: number;
  readonly fault: FaultAction | undefined;
}

type FaultOf<K extends FaultAction['kind']> = Extract<FaultAction, { kind: K }>;

const DEFAULT_DELAY_MS = 50;
const DEFAULT_AFTER_DELTAS = 2;
const DEFAULT_KEEP_TOKENS = 16;

/** Does not throw: a brain that does becomes a 500 with its message. */
export async function answerCall(exchange: Exchange): Promise<Problem | Delivery> {
  const { call, profile, fault, windowTokens } = exchange;
  const refusal = fault === undefined ? undefined : faultProblem(fault, exchange);
  if (refusal !== undefined) return refusal;
  const isOver = call.inputTokens > windowTokens;
  if (isOver && fault?.kind !== 'silent_truncation') return profile.tooLong(call.inputTokens, windowTokens);
  const inputTokens = isOver ? keptAfterTruncation(windowTokens) : call.inputTokens;
  const cache = isOver ? NO_CACHE : call.useCache();
  try {
    const reply = await replyTo(exchange, inputTokens);
    return deliver(exchange, { reply: shape(exchange, reply, inputTokens), cache, inputTokens });
  } catch (error) {
    return profile.problems.brainFailed(error instanceof Error ? error.message : String(error));
  }
}

const NO_CACHE: CacheOutcome = { readTokens: 0, write5mTokens: 0, write1hTokens: 0, commit: () => undefined };

/** Faults that refuse the request; undefined for those that answer it in their way. */
function faultProblem(fault: FaultAction, exchange: Exchange): Problem | undefined {
  const { call, profile, windowTokens } = exchange;
  const { problems } = profile;
  switch (fault.kind) {
    case 'request_too_large':
      return problems.bodyTooLarge;
    case 'too_long': {
      const inputTokens = fault.inputTokens ?? call.inputTokens;
      return profile.tooLong(inputTokens, fault.windowTokens ?? Math.min(windowTokens, inputTokens - 1));
    }
    case 'rate_limit':
      return problems.rateLimited(fault.retryAfter ?? fault.retryAfterSeconds ?? 1);
    case 'overloaded':
      return problems.overloaded;
    case 'server_error':
      return problems.serverError;
    case 'stream_error':
      return call.isStream ? undefined : streamProblem(fault, exchange);
    default:
      return undefined;
  }
}

/** What an error in the middle of a stream says. */
function streamProblem({ error = 'overloaded' }: FaultOf<'stream_error'>, { call, profile }: Exchange): Problem {
  return error === 'overloaded' ? profile.problems.overloaded : profile.tooLong(call.inputTokens, call.inputTokens - 1);
}

async function replyTo({ call, profile, brain, fault }: Exchange, inputTokens: number): Promise<SimReply> {
  if (fault?.kind === 'empty_reply' || fault?.kind === 'hang_up') return { parts: [] };
  if (fault?.kind === 'refusal') return refuse(fault);
  if (fault?.kind === 'tool_call') return callTool(fault, call);
  const isShortened = inputTokens < call.inputTokens;
  const request = isShortened ? keepNewest(call.request, inputTokens, profile.countTokens) : call.request;
  return checkReply(await brain.reply(request), brain);
}

function refuse(fault: FaultOf<'refusal'>): SimReply {
  return { parts: [{ kind: 'text', text: fault.text ?? 'I cannot help with that.' }], stop: 'refusal' };
}

function callTool(fault: FaultOf<'tool_call'>, call: Call): SimReply {
  const name = fault.name ?? call.request.tools[0]?.name ?? 'unexpected_tool';
  return { parts: [{ kind: 'call', name, input: fault.input ?? {} }] };
}

const PART_KINDS: readonly unknown[] = ['text', 'thinking', 'call'];

function checkReply(reply: SimReply, brain: Brain): SimReply {
  const parts: unknown = isObject(reply) ? reply['parts'] : undefined;
  if (Array.isArray(parts) && parts.every((part) => isObject(part) && PART_KINDS.includes(part['kind']))) return reply;
  throw new SimulatorError(
    'invalid_reply',
    `brain "${brain.name}" returned no reply with text, thinking or call parts`,
  );
}

/** The output ends at what the client allows, or at what the window has left, whichever is less. */
function shape(
  { call, profile, ids, windowTokens, fault }: Exchange,
  reply: SimReply,
  inputTokens: number,
): ShapedReply {
  const roomTokens = windowTokens - inputTokens;
  const cutTokens = fault?.kind === 'truncated' ? (fault.keepTokens ?? DEFAULT_KEEP_TOKENS) : Number.POSITIVE_INFINITY;
  const capTokens = Math.min(call.maxOutputTokens ?? Number.POSITIVE_INFINITY, cutTokens);
  return shapeReply(reply, {
    limitTokens: Math.min(capTokens, roomTokens),
    limitStop: roomTokens < capTokens ? 'window' : 'cap',
    countTokens: profile.countTokens,
    nextCallId: () => ids.next(profile.callIdPrefix),
    stopSequences: call.stopSequences,
  });
}

interface Answered {
  readonly reply: ShapedReply;
  readonly cache: CacheOutcome;
  readonly inputTokens: number;
}

function deliver(exchange: Exchange, answered: Answered): Delivery {
  const { call, fault } = exchange;
  const { reply, cache, inputTokens } = answered;
  const events = call.events(answered);
  return {
    events,
    isStream: call.isStream,
    usage: {
      inputTokens,
      cacheReadTokens: cache.readTokens,
      cacheWriteTokens: cache.write5mTokens + cache.write1hTokens,
      outputTokens: reply.outputTokens,
    },
    whole: () => call.fold(events),
    begin: () => cache.commit(),
    ...paceOf(fault),
    ...endingOf(exchange),
  };
}

function paceOf(fault: FaultAction | undefined): Pick<Delivery, 'delayMs' | 'deltaDelayMs'> {
  if (fault?.kind !== 'slow') return { delayMs: 0, deltaDelayMs: 0 };
  return { delayMs: fault.delayMs ?? DEFAULT_DELAY_MS, deltaDelayMs: fault.deltaDelayMs ?? 0 };
}

function endingOf(exchange: Exchange): Pick<Delivery, 'ending'> {
  const { fault } = exchange;
  if (fault?.kind === 'hang_up') return { ending: { kind: 'hang-up' } };
  if (fault?.kind !== 'cut_stream' && fault?.kind !== 'stream_error' && fault?.kind !== 'malformed_stream') return {};
  const afterDeltas = fault.afterDeltas ?? DEFAULT_AFTER_DELTAS;
  if (fault.kind === 'stream_error')
    return { ending: { kind: 'error', afterDeltas, problem: streamProblem(fault, exchange) } };
  return { ending: { kind: fault.kind === 'cut_stream' ? 'cut' : 'malformed', afterDeltas } };
}
