/**
 * Waiting out 429 and 529: min(500 * 2^n, 32,000) ms plus up to 25 % jitter, the server's Retry-After first, at most ten tries. The numbers are
 * the teaching system's (its lesson on error recovery).
 */
import { classifyError } from '@holdover/engine';

export interface RetryPorts {
  /** Rejects when `signal` is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** 0 to 1. */
  readonly random: () => number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The model that takes over, one object for each run: it carries whether it has. */
export interface Fallback {
  readonly model: string;
  /** Set by the first call that needed it; every later call of the run goes to `model`. */
  isInForce?: boolean;
}

export const MAX_TRIES = 10;
/** Where nothing listens, a server that is just being restarted gets a few seconds and no more. */
const MAX_TRIES_REFUSED = 4;
/** Overload answers in a row after which a fallback takes over. */
export const MAX_OVERLOADS = 3;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 32_000;
const JITTER = 0.25;
/** A server that wants more patience than this has run out of something that waiting in a terminal will not bring back. */
const MAX_TOLD_WAIT_MS = 15 * 60_000;

/** Milliseconds to wait before try number `attempt` (from 1), or undefined where waiting does not help. */
export function waitBefore(
  attempt: number,
  error: unknown,
  { random, now }: Pick<RetryPorts, 'random' | 'now'>,
): number | undefined {
  const known = classifyError(error);
  if (attempt >= triesFor(error) || isFinal(error)) return undefined;
  if (known.kind === 'rate' && known.shrinkWouldHelp) return undefined;
  const isBusy = known.kind === 'rate' || known.kind === 'overloaded';
  if (!isBusy && !isConnectionFault(error)) return undefined;
  const told = (isBusy ? known.retryAfterMs : undefined) ?? untilDate(error, now);
  if (told !== undefined) return told > MAX_TOLD_WAIT_MS ? undefined : told;
  const base = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), MAX_WAIT_MS);
  return Math.round(base * (1 + JITTER * random()));
}

function triesFor(error: unknown): number {
  return systemErrorOf(error)?.code === 'ECONNREFUSED' ? MAX_TRIES_REFUSED : MAX_TRIES;
}

/** An HTTP date always names a weekday or a month; `Date.parse` alone would read a bare number as a year. */
const HTTP_DATE = /[A-Za-z]{3}/;

/** Milliseconds until the date in Retry-After; a date that has passed means now. The engine has no clock to read it by. */
function untilDate(error: unknown, now: () => number): number | undefined {
  const text = headerOf(error, 'retry-after');
  if (text === undefined || !HTTP_DATE.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now());
}

function headerOf(error: unknown, name: string): string | undefined {
  const { headers } = error as { headers?: { get?: (name: string) => string | null } };
  return headers?.get?.(name) ?? undefined;
}

/** What went wrong, for people: for a connection that failed, what the system said of it. */
export function reasonOf(error: unknown): string {
  const message = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
  const system = systemErrorOf(error);
  return system === undefined || system === error ? message : `${message} (${system.message})`;
}

/** The error of the system at the end of the chain of causes, such as ECONNREFUSED. */
function systemErrorOf(error: unknown): (Error & { readonly code: string }) | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1)
    if ('syscall' in cause && 'code' in cause) return cause as Error & { readonly code: string };
  return undefined;
}

export interface PatientOptions extends RetryPorts {
  readonly signal: AbortSignal;
  readonly onWait: (wait: { readonly error: unknown; readonly attempt: number; readonly waitMs: number }) => void;
  /** Asked when a model is overloaded again and again: who may take over, for this call and the run it belongs to. */
  readonly fallback?: () => Fallback | undefined;
}

/**
 * Sends until there is an answer, waiting between the tries; rejects with the error that waiting does not mend. `send` gets the fallback's id
 * once that has taken over.
 */
export async function sendPatiently<Reply>(
  send: (fallbackModel?: string) => Promise<Reply>,
  options: PatientOptions,
): Promise<Reply> {
  const fallback = options.fallback?.();
  let overloads = 0;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await (fallback?.isInForce === true ? send(fallback.model) : send());
    } catch (error) {
      options.signal.throwIfAborted();
      overloads = classifyError(error).kind === 'overloaded' ? overloads + 1 : 0;
      if (fallback !== undefined && fallback.isInForce !== true && overloads >= MAX_OVERLOADS) {
        fallback.isInForce = true;
        continue;
      }
      const waitMs = waitBefore(attempt, error, options);
      if (waitMs === undefined) throw error;
      options.onWait({ error, attempt, waitMs });
      await options.sleep(waitMs, options.signal);
    }
  }
}

/** A server may say that asking again will not help; the official SDKs heed it too. */
function isFinal(error: unknown): boolean {
  return headerOf(error, 'x-should-retry') === 'false';
}

/** A stream cut in the middle or a connection refused: nothing was taken in, so the same request may go again. */
function isConnectionFault(error: unknown): boolean {
  const { status, cause } = error as { status?: number; cause?: { code?: string } };
  if (status !== undefined) return status >= 500 && status !== 501;
  const text =
    error instanceof Error
      ? `${error.message} ${cause?.code ?? ''} ${(error.cause as Error | undefined)?.message ?? ''}`
      : '';
  return /terminated|ECONNRESET|ECONNREFUSED|EPIPE|socket hang up|premature close|connection error|other side closed|ended without|malformed stream/i.test(
    text,
  );
}
