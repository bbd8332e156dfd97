/** Whether each request began with the one before it: what a prompt cache is paid for. */
import type { View } from '@holdover/engine';
import { type Seal, sealOf } from '@holdover/engine/proof';
import type { VerifyFailure } from './report.ts';

/** One request, as history and ledger make it. */
export interface SentView {
  readonly view: View;
  /** Of its messages in canonical form, in order. */
  readonly digests: readonly string[];
  readonly historyLength: number;
  /** What the log says was sent; undefined in logs that do not say. */
  readonly seal: Seal | undefined;
}

type Found = Omit<VerifyFailure, 'turn'>;

export interface PrefixProof {
  /** What is wrong with `sent` beside the request before it. `causes`: what may have changed sent bytes since. */
  next(sent: SentView, causes: ReadonlySet<string>): readonly Found[];
  readonly churnTokens: number;
  readonly rewrittenTokens: number;
}

function sharedLength(one: readonly string[], other: readonly string[]): number {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length += 1;
  return length;
}

/** Tokens of what was in the last request's history and is sent behind the first changed byte. */
function rewritten({ view }: SentView, shared: number, before: SentView): number {
  const again = view.entries.slice(shared).filter(({ from }) => from < before.historyLength);
  return again.reduce((sum, { tokens }) => sum + tokens, 0);
}

export function createPrefixProof(): PrefixProof {
  let before: SentView | undefined;
  let isBroken = false;
  let churnTokens = 0;
  let rewrittenTokens = 0;

  const sealFailures = ({ view, digests, seal }: SentView, shared: number): readonly Found[] => {
    if (seal === undefined) return [];
    const own = sealOf(digests);
    const isSame = own.digest === seal.digest && own.messages === seal.messages;
    // The same damage shows in every request until its place is compacted: told once.
    const isNews = !isSame && !(isBroken && shared === before?.digests.length);
    isBroken = !isSame;
    if (!isNews) return [];
    const entry = view.entries[shared]?.from;
    const what = `history and ledger do not make the request that was sent (${own.messages} messages, ${seal.messages} were sent); the difference is here or behind`;
    return [entry === undefined ? { what } : { entry, what }];
  };

  return {
    next(sent, causes) {
      const shared = before === undefined ? 0 : sharedLength(before.digests, sent.digests);
      const failures = [...sealFailures(sent, shared)];
      if (before !== undefined && shared < before.digests.length) {
        const tokens = rewritten(sent, shared, before);
        if (causes.size > 0) rewrittenTokens += tokens;
        else {
          churnTokens += tokens;
          const entry = sent.view.entries[shared]?.from ?? sent.historyLength;
          failures.push({ entry, what: `sent bytes changed without an epoch, ${tokens} tokens are written again` });
        }
      }
      before = sent;
      return failures;
    },
    get churnTokens() {
      return churnTokens;
    },
    get rewrittenTokens() {
      return rewrittenTokens;
    },
  };
}
