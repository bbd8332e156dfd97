/** A part that left the view and contains the text that was looked for. */
export interface RecallHit {
  readonly address: string;
  /** Position in the history. */
  readonly entry: number;
  /** Who said it, or the call it answers. */
  readonly what: string;
  /** The line that matched, shortened. */
  readonly excerpt: string;
}

/** An exact original, or what a search found; `omitted`: hits over the most that are given. */
export type Recalled =
  | { readonly kind: 'content'; readonly address: string; readonly text: string }
  | { readonly kind: 'hits'; readonly query: string; readonly hits: readonly RecallHit[]; readonly omitted: number };
