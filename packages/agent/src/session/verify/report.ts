/** What a proof of a session's log says. */

/** One thing that does not hold. */
export interface VerifyFailure {
  /** Number of the request, from 1; 0 before the first. */
  readonly turn: number;
  /** Index of the history's entry it is about. */
  readonly entry?: number;
  readonly address?: string;
  readonly what: string;
}

export interface VerifyReport {
  readonly sessionId: string;
  /** Name of the wire format. */
  readonly format: string;
  /** Requests that were answered, as far as this log saw them: what a fork brought along was proved where it happened. */
  readonly turns: number;
  /** Of them, those whose seal stands in the log: what was sent was compared, not only built up again. */
  readonly sealedTurns: number;
  /** Times between two requests when bytes sent before might change: an epoch, an undo, a rewind, a pin. */
  readonly epochs: number;
  /** Messages of the history at the end. */
  readonly entries: { readonly verbatim: number; readonly covered: number; readonly replaced: number };
  /** Distinct addresses the ledger names. */
  readonly addresses: number;
  /** Bytes they give back: texts of the archive, and the messages of the history they cover, each counted once. */
  readonly recoveredBytes: number;
  /** Tokens written again between epochs, estimated: 0 where the prefix held. */
  readonly churnTokens: number;
  /** Tokens written again at epochs, estimated. */
  readonly rewrittenTokens: number;
  /** Empty where all of it holds. */
  readonly failures: readonly VerifyFailure[];
}

/** `turn 12, entry 30, c_0123456789abcdef: what is wrong`. */
export function failureLine({ turn, entry, address, what }: VerifyFailure): string {
  const place = [
    `turn ${turn}`,
    ...(entry === undefined ? [] : [`entry ${entry}`]),
    ...(address === undefined ? [] : [address]),
  ];
  return `${place.join(', ')}: ${what}`;
}
