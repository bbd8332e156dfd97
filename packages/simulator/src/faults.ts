/** Failures on demand: which there are, and which request each one meets. */

import type { SimRequest } from './brain.ts';
import { SimulatorError } from './errors.ts';
import { type JsonObject, lookUp } from './json.ts';

/** What a fault's `when` is asked about: a request that passed validation. */
export interface FaultRequest {
  readonly profile: 'anthropic' | 'openai';
  /** Generation requests so far, this one not counted. */
  readonly index: number;
  readonly isStream: boolean;
  readonly inputTokens: number;
  readonly request: SimRequest;
  /** As it came over the wire. */
  readonly body: JsonObject;
}

/** One-shot unless `times` says more. */
interface FaultTarget {
  /** How many requests it meets; `Infinity` for all. @default 1 */
  readonly times?: number;
  /** Only requests for which this is true. @default every request */
  readonly when?: (request: FaultRequest) => boolean;
}

export type FaultAction =
  /** 413 `request_too_large`, whatever the size of the body. */
  | { readonly kind: 'request_too_large' }
  /** The window error with these numbers; without them, the real count against one token less. */
  | { readonly kind: 'too_long'; readonly inputTokens?: number; readonly windowTokens?: number }
  /** 429 with a `retry-after` header: seconds, or the text of the header; an empty text sends none. @default 1 second */
  | { readonly kind: 'rate_limit'; readonly retryAfterSeconds?: number; readonly retryAfter?: string }
  /** 529 `overloaded_error` (503 in the OpenAI profile). */
  | { readonly kind: 'overloaded' }
  /** 500. */
  | { readonly kind: 'server_error' }
  /** The socket is destroyed after some deltas, or at once when the reply is not streamed. @default 2 deltas */
  | { readonly kind: 'cut_stream'; readonly afterDeltas?: number }
  /** The connection is closed before the first byte of an answer. The brain is not asked. */
  | { readonly kind: 'hang_up' }
  /**
   * An error event in the middle of a stream that began with 200: overloaded, or the window error for one token less than the prompt has. A
   * whole reply is refused with the error. @default overloaded, after 2 deltas
   */
  | { readonly kind: 'stream_error'; readonly afterDeltas?: number; readonly error?: 'overloaded' | 'too_long' }
  /** Half an event that is no JSON in the middle of a stream, then its end. A whole reply is cut the same way. @default 2 deltas */
  | { readonly kind: 'malformed_stream'; readonly afterDeltas?: number }
  /** 200 without content. The brain is not asked. */
  | { readonly kind: 'empty_reply' }
  /** A tool call in place of the reply: the request's first tool unless named. The brain is not asked. */
  | { readonly kind: 'tool_call'; readonly name?: string; readonly input?: Record<string, unknown> }
  /** The brain's reply stops after this many tokens as if the output limit were reached. @default 16 */
  | { readonly kind: 'truncated'; readonly keepTokens?: number }
  /** The model declines. The brain is not asked. */
  | { readonly kind: 'refusal'; readonly text?: string }
  /** Waits before the first byte, and between deltas. @default 50 and 0 */
  | { readonly kind: 'slow'; readonly delayMs?: number; readonly deltaDelayMs?: number }
  /** As Ollama does: over the window, the start of the prompt is dropped without a word, usage counts the rest. */
  | { readonly kind: 'silent_truncation' };

export type FaultKind = FaultAction['kind'];
export type Fault = FaultAction & FaultTarget;

export const FAULT_KINDS: readonly FaultKind[] = [
  'request_too_large',
  'too_long',
  'rate_limit',
  'overloaded',
  'server_error',
  'cut_stream',
  'hang_up',
  'stream_error',
  'malformed_stream',
  'empty_reply',
  'tool_call',
  'truncated',
  'refusal',
  'slow',
  'silent_truncation',
];

export interface FaultQueue {
  /** Throws `SimulatorError` for an unknown kind or a bad number. */
  add(fault: Fault): void;
  /** The first fault that fits, with one use of it spent. */
  take(request: FaultRequest): FaultAction | undefined;
  /** Faults not yet used up, those for every request left out. */
  pending(): number;
}

export function createFaultQueue(faults: readonly Fault[]): FaultQueue {
  const queue: { readonly fault: Fault; left: number }[] = [];
  const add = (fault: Fault): void => {
    checkFault(fault);
    queue.push({ fault, left: fault.times ?? 1 });
  };
  for (const fault of faults) add(fault);
  return {
    add,
    take(request) {
      const entry = queue.find(({ fault, left }) => left > 0 && (fault.when?.(request) ?? true));
      if (entry === undefined) return undefined;
      entry.left -= 1;
      return entry.fault;
    },
    pending: () => queue.filter(({ left }) => left > 0 && left !== Number.POSITIVE_INFINITY).length,
  };
}

const NUMBERS = [
  'inputTokens',
  'windowTokens',
  'retryAfterSeconds',
  'afterDeltas',
  'keepTokens',
  'delayMs',
  'deltaDelayMs',
];

function checkFault(fault: Fault): void {
  if (!FAULT_KINDS.includes(fault.kind)) {
    throw new SimulatorError('invalid_option', `fault.kind is "${fault.kind}"; use one of ${FAULT_KINDS.join(', ')}`);
  }
  const { times = 1 } = fault;
  if (times !== Number.POSITIVE_INFINITY && !(Number.isInteger(times) && times >= 1)) {
    throw new SimulatorError('invalid_option', `fault.times is ${times}; use a whole number from 1, or Infinity`);
  }
  const numbers = Object.entries(fault).filter(([field]) => NUMBERS.includes(field));
  const wrong = numbers.find(([, value]) => typeof value !== 'number' || !(value >= 0));
  if (wrong !== undefined) {
    throw new SimulatorError('invalid_option', `fault.${wrong[0]} is ${String(wrong[1])}; use a number from 0`);
  }
}

/** The `x-sim-fault` header names a kind, or the status of one. */
const BY_STATUS: Readonly<Record<string, FaultKind>> = {
  413: 'request_too_large',
  429: 'rate_limit',
  500: 'server_error',
  529: 'overloaded',
};

/** Undefined for a header that names no fault. */
export function faultFromHeader(header: string): FaultAction | undefined {
  const kind = lookUp(BY_STATUS, header) ?? FAULT_KINDS.find((known) => known === header);
  return kind === undefined ? undefined : { kind };
}
