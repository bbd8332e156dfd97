/** A signal of one request. */

/**
 * Runs `work` with a signal that is aborted when `signal` is. The SDKs leave a listener on the signal they are given after every request that
 * failed; over a run's retries they would pile up on the user's.
 */
export async function withOwnSignal<T>(signal: AbortSignal, work: (own: AbortSignal) => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const own = new AbortController();
  const abort = (): void => own.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await work(own.signal);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
