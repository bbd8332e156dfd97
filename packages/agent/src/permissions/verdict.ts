/** What one gate says about one access. */

/** A rule the user may have remembered instead of being asked again. */
export interface Offer {
  readonly text: string;
  /** The pattern stands for itself: a `*` in it is a `*`. */
  readonly isExact: boolean;
}

export type Verdict =
  | { readonly kind: 'allow' }
  | { readonly kind: 'deny'; readonly reason: string }
  | {
      readonly kind: 'ask';
      readonly reason: string;
      /** The narrowest rule that would have allowed it. */
      readonly allowRule: string;
      /** Narrowest first; empty where nothing remembered would help. */
      readonly offers: readonly Offer[];
    };

export const ALLOW: Verdict = { kind: 'allow' };

export function deny(reason: string): Verdict {
  return { kind: 'deny', reason };
}

export function ask(reason: string, allowRule: string, offers: readonly Offer[] = []): Verdict {
  return { kind: 'ask', reason, allowRule, offers };
}
