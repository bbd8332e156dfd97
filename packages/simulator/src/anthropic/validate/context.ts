/** What every rule is given, and the form of a rule. */

import type { JsonObject } from '../../json.ts';
import type { Problem } from '../../problem.ts';
import type { Turn } from '../conversation.ts';
import type { Signer } from '../signatures.ts';

export interface RuleContext {
  readonly body: JsonObject;
  /** `count` is the token counting endpoint, which takes no `max_tokens`. */
  readonly endpoint: 'create' | 'count';
  /** Names in the `anthropic-beta` header. */
  readonly hasBeta: boolean;
  readonly turns: readonly Turn[];
  readonly signer: Signer;
  /** True for a call this simulator issued together with thinking. */
  readonly cameWithThinking: (callId: string) => boolean;
  /** Hash of the prompt before one turn, for models that bind thinking to it; absent for all others. */
  readonly prefixHashBefore?: (turnIndex: number) => string;
}

/** The first violation of one rule, or undefined. Later rules may rely on earlier ones having passed. */
export type Rule = (context: RuleContext) => Problem | undefined;
