/** Errors the user of an agent has to live with; every other one is a failure of the soak. */

interface Known {
  readonly status?: number;
  readonly code?: string;
  readonly message?: string;
  readonly headers?: { get?: (name: string) => string | null };
}

const EXPECTED: Readonly<Record<string, (error: Known) => boolean>> = {
  'a rate limit of an hour': ({ status, headers }) => status === 429 && headers?.get?.('retry-after') === '3600',
  'a compaction a hook blocked': ({ code }) => code === 'COMPACTION_BLOCKED',
  'an undo that would not fit': ({ code }) => code === 'WINDOW_EXHAUSTED',
  'an undo behind which a model thought': ({ code }) => code === 'REASONING_BOUND',
};

/** The name of an expected error; undefined for all others. */
export function errorName(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  return Object.entries(EXPECTED).find(([, is]) => is(error as Known))?.[0];
}
