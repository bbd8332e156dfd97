/** What the server asks of a provider profile. Everything vendor-specific is behind this. */

import type { SimRequest } from './brain.ts';
import type { CacheOutcome } from './cache/outcome.ts';
import type { CacheStore } from './cache/store.ts';
import type { Ids } from './ids.ts';
import type { JsonObject } from './json.ts';
import type { ShapedReply } from './output/shape.ts';
import type { Problem } from './problem.ts';
import type { CountTokens } from './tokens/count.ts';

/** What profiles share with the simulator they run in. */
export interface ProfileDeps {
  readonly ids: Ids;
  readonly now: () => number;
  readonly countTokens: CountTokens;
  readonly cacheStore: CacheStore;
  readonly cacheTtlMs: number;
  readonly minimumCacheTokens: number;
  readonly signingKey: string;
  readonly bindsThinking: (model: string) => boolean;
}

export interface Incoming {
  readonly body: JsonObject;
  readonly endpoint: 'create' | 'count';
  readonly hasBeta: boolean;
}

/** Numbers of one call, the same for every profile. */
export interface SimUsage {
  /** The whole prompt: read from the cache, written to it, and neither. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
}

/** One event of a stream; `name` is absent where the vendor sends bare data lines. */
export interface WireEvent {
  readonly name?: string;
  readonly data: JsonObject | '[DONE]';
  /** True where a slow stream pauses and a cut one may end. */
  readonly isDelta: boolean;
}

export interface Answer {
  readonly reply: ShapedReply;
  readonly cache: CacheOutcome;
  readonly inputTokens: number;
}

/** A validated request, ready to be answered. */
export interface Call {
  readonly request: SimRequest;
  readonly isStream: boolean;
  readonly inputTokens: number;
  /** Undefined when the client set none. */
  readonly maxOutputTokens: number | undefined;
  readonly stopSequences: readonly string[];
  useCache(): CacheOutcome;
  /** The whole stream, written once; the whole reply is folded from it. */
  events(answer: Answer): readonly WireEvent[];
  fold(events: readonly WireEvent[]): JsonObject;
}

export interface Profile {
  readonly name: 'anthropic' | 'openai';
  readonly requestIdHeader: string;
  readonly callIdPrefix: string;
  /** Event name of an error in the middle of a stream; absent where the vendor sends bare data lines. */
  readonly errorEventName?: string;
  /** Scaled for the vendor's tokenizer. */
  readonly countTokens: CountTokens;
  accept(incoming: Incoming): Problem | Call;
  errorBody(problem: Problem, requestId: string): object;
  tooLong(inputTokens: number, windowTokens: number): Problem;
  /** The refusals a server makes without reading the body, in the vendor's words. */
  readonly problems: ProfileProblems;
}

export interface ProfileProblems {
  readonly bodyTooLarge: Problem;
  readonly badJson: Problem;
  readonly noCredentials: Problem;
  readonly overloaded: Problem;
  readonly serverError: Problem;
  /** Seconds, or the header as it is to be sent; empty: none. */
  rateLimited(retryAfter: number | string): Problem;
  notFound(method: string, path: string): Problem;
  brainFailed(message: string): Problem;
}

export function isProblem(value: Problem | Call): value is Problem {
  return 'status' in value;
}
