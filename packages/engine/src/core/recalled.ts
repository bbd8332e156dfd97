/** What recall gives back. */
export interface RecallHit {
  readonly address: string;
  /** Position in the history. */
  readonly entry: number;
  readonly what: string;
  /** The line that matched, shortened. */
  readonly excerpt: string;
}

export type Recalled =
  | { readonly kind: 'content'; readonly address: string; readonly text: string }
  | { readonly kind: 'hits'; readonly query: string; readonly hits: readonly RecallHit[]; readonly omitted: number };
