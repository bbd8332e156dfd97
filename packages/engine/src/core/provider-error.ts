/** What the engine has to know about a failed request, or one that failed without saying so. Reading a provider's words is `providers/overflow.ts`. */

/** The one thing a caller needs to know about a failed request. */
export type ProviderError =
  /**
   * The request does not fit. `input`: compact it. `input-and-output`: fewer output tokens would do. `bytes`: the body
   * is too large, whatever its tokens. `media`: too many or too large images or pages, which compaction cannot help.
   * Limits outside 1,000 to 20,000,000 are left out; they belong to something else.
   */
  | {
      readonly kind: 'overflow';
      readonly what: 'input' | 'input-and-output' | 'bytes' | 'media';
      readonly limitTokens?: number;
      readonly requestedTokens?: number;
    }
  /** Too many requests or tokens in a period. `shrinkWouldHelp`: this one request is over the limit, waiting is not. */
  | { readonly kind: 'rate'; readonly retryAfterMs?: number; readonly shrinkWouldHelp: boolean }
  /** The provider has no capacity now: HTTP 503 or 529. */
  | { readonly kind: 'overloaded'; readonly retryAfterMs?: number }
  | { readonly kind: 'other'; readonly status?: number };

/** Facts of a successful reply that may hide a cut prompt. */
export interface ReplyFacts {
  /** Input tokens the provider reports, cache reads and writes included. Absent when it reports none. */
  readonly reportedTokens?: number;
  /** Our own estimate of the same input. */
  readonly estimatedTokens: number;
  readonly windowTokens: number;
  /** Why the reply ended, in a codec's word or the provider's. */
  readonly stop?: string;
  readonly outputTokens?: number;
}

/** Reads what a provider threw or reported. */
export interface ErrorReader {
  classify(error: unknown): ProviderError;
  isSilentOverflow(reply: ReplyFacts): boolean;
}
