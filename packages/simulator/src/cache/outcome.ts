/** What the cache did for one request, and what it will remember once the response has begun. */

export interface CacheOutcome {
  readonly readTokens: number;
  /** Tokens billed as cache writes, by time to live. */
  readonly write5mTokens: number;
  readonly write1hTokens: number;
  /** Call when the response begins: before that no other request can use the new entries. */
  commit(): void;
}

export const HOUR_MS = 3_600_000;
