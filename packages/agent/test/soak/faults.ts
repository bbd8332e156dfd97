/** Which request meets which fault, by chance from a seed. */
import type { Fault, FaultRequest } from '@holdover/simulator';
import { MODELS } from './protocol.ts';
import { createRandom, type Random } from './random.ts';

/** One request in so many meets a fault. */
const FAULT_CHANCE = 0.1;
/**
 * A request under this share of the window it is meant for is not told that it is too long: the agent believes what it is told for the rest of the
 * session, and one that learns of ever smaller windows ends in none.
 */
const LARGE_SHARE = 0.6;
const HOUR_SECONDS = 3_600;

const isLarge = ({ inputTokens, request }: FaultRequest): boolean =>
  inputTokens > LARGE_SHARE * (MODELS[request.model]?.real ?? 0);

const MAKERS: Readonly<Record<string, (random: Random) => Fault>> = {
  rate: () => ({ kind: 'rate_limit', retryAfterSeconds: 2 }),
  rateBare: () => ({ kind: 'rate_limit', retryAfter: '' }),
  rateDate: () => ({ kind: 'rate_limit', retryAfter: new Date(Date.now() + 3_000).toUTCString() }),
  /** More patience than an agent has: the run ends with it. */
  rateFinal: () => ({ kind: 'rate_limit', retryAfterSeconds: HOUR_SECONDS }),
  /** Three in one turn hand it over to the fallback. */
  overloaded: (random) => ({ kind: 'overloaded', times: random.int(1, 4) }),
  serverError: () => ({ kind: 'server_error' }),
  cut: (random) => ({ kind: 'cut_stream', afterDeltas: random.int(0, 9) }),
  hangUp: () => ({ kind: 'hang_up' }),
  malformed: (random) => ({ kind: 'malformed_stream', afterDeltas: random.int(0, 6) }),
  streamOverloaded: (random) => ({ kind: 'stream_error', afterDeltas: random.int(0, 4) }),
  streamTooLong: () => ({ kind: 'stream_error', error: 'too_long', when: isLarge }),
  tooLong: () => ({ kind: 'too_long', when: isLarge }),
  tooLarge: () => ({ kind: 'request_too_large', when: isLarge }),
  capped: (random) => ({ kind: 'truncated', keepTokens: random.int(1, 60) }),
  refusal: () => ({ kind: 'refusal' }),
  empty: () => ({ kind: 'empty_reply' }),
  oddCall: (random) => ({ kind: 'tool_call', ...random.pick([{}, { name: 'no_such_tool' }, { input: { path: 7 } }]) }),
  slow: (random) => ({ kind: 'slow', delayMs: random.int(1, 30), deltaDelayMs: random.int(0, 2) }),
  silentCut: () => ({ kind: 'silent_truncation', when: isLarge }),
};

const WEIGHTS: Readonly<Record<string, number>> = {
  rate: 8,
  rateBare: 4,
  rateDate: 3,
  rateFinal: 2,
  overloaded: 8,
  serverError: 6,
  cut: 12,
  hangUp: 5,
  malformed: 5,
  streamOverloaded: 4,
  streamTooLong: 4,
  tooLong: 4,
  tooLarge: 2,
  capped: 8,
  refusal: 3,
  empty: 4,
  oddCall: 4,
  slow: 12,
  silentCut: 6,
};

/** A fault that meets nothing, and now and then puts another at the end of the queue, for a request to come. */
export function planner(seed: string, add: (fault: Fault) => void): Fault {
  let planned = -1;
  return {
    kind: 'slow',
    times: Number.POSITIVE_INFINITY,
    when({ index }) {
      if (index === planned) return false;
      planned = index;
      const random = createRandom(`${seed}/fault/${index}`);
      if (random.chance(FAULT_CHANCE)) add((MAKERS[random.weighted(WEIGHTS)] ?? never)(random));
      return false;
    },
  };
}

function never(): never {
  throw new Error('every weight has a maker');
}
