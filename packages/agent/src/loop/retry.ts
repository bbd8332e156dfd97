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
}

export const MAX_TRIES = 10;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 32_000;
const JITTER = 0.25;

/** Milliseconds to wait before try number `attempt` (from 1), or undefined where waiting does not help. */
export function waitBefore(attempt: number, error: unknown, random: () => number): number | undefined {
  const known = classifyError(error);
  if (attempt >= MAX_TRIES || isFinal(error)) return undefined;
  if (known.kind === 'rate' && known.shrinkWouldHelp) return undefined;
  if (known.kind !== 'rate' && known.kind !== 'overloaded' && !isConnectionFault(error)) return undefined;
  const told = known.kind === 'rate' || known.kind === 'overloaded' ? known.retryAfterMs : undefined;
  if (told !== undefined) return told;
  const base = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), MAX_WAIT_MS);
  return Math.round(base * (1 + JITTER * random()));
}

/** What went wrong, for people. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export interface PatientOptions extends RetryPorts {
  readonly signal: AbortSignal;
  readonly onWait: (wait: { readonly error: unknown; readonly attempt: number; readonly waitMs: number }) => void;
}

/** Sends until there is an answer, waiting between the tries; rejects with the error that waiting does not mend. */
export async function sendPatiently<Reply>(send: () => Promise<Reply>, options: PatientOptions): Promise<Reply> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      options.signal.throwIfAborted();
      const waitMs = waitBefore(attempt, error, options.random);
      if (waitMs === undefined) throw error;
      options.onWait({ error, attempt, waitMs });
      await options.sleep(waitMs, options.signal);
    }
  }
}

/** A server may say that asking again will not help; the official SDKs heed it too. */
function isFinal(error: unknown): boolean {
  const { headers } = error as { headers?: { get?: (name: string) => string | null } };
  return headers?.get?.('x-should-retry') === 'false';
}

/** A stream cut in the middle or a connection refused: nothing was taken in, so the same request may go again. */
function isConnectionFault(error: unknown): boolean {
  const { status, cause } = error as { status?: number; cause?: { code?: string } };
  if (status !== undefined) return status >= 500 && status !== 501;
  const text =
    error instanceof Error
      ? `${error.message} ${cause?.code ?? ''} ${(error.cause as Error | undefined)?.message ?? ''}`
      : '';
  return /terminated|ECONNRESET|ECONNREFUSED|EPIPE|socket hang up|premature close|connection error|other side closed|ended without|missing finish_reason/i.test(
    text,
  );
}
