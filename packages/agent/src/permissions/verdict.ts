/** What one gate says about one access. */

export type Verdict =
  | { readonly kind: 'allow' }
  | { readonly kind: 'deny'; readonly reason: string }
  | {
      readonly kind: 'ask';
      readonly reason: string;
      /** The narrowest rule that would have allowed it. */
      readonly allowRule: string;
    };

export const ALLOW: Verdict = { kind: 'allow' };

export function deny(reason: string): Verdict {
  return { kind: 'deny', reason };
}

export function ask(reason: string, allowRule: string): Verdict {
  return { kind: 'ask', reason, allowRule };
}
