/** Thinking is asked for in tokens; newer models of both vendors take a level instead. */

export type Effort = 'low' | 'medium' | 'high';

/** Below these budgets, tokens, the level named. The levels' usual meaning among gateways that translate between the two. */
const LEVELS: readonly { readonly effort: Effort; readonly belowTokens: number; readonly budgetTokens: number }[] = [
  { effort: 'low', belowTokens: 4_096, budgetTokens: 2_048 },
  { effort: 'medium', belowTokens: 16_384, budgetTokens: 8_192 },
  { effort: 'high', belowTokens: Number.POSITIVE_INFINITY, budgetTokens: 16_384 },
];

export function effortOf(budgetTokens: number): Effort {
  return LEVELS.find(({ belowTokens }) => budgetTokens < belowTokens)?.effort ?? 'high';
}

/** A budget for a level, tokens: what a model of the older kind gets in the place of a newer one. */
export function budgetOf(effort: unknown): number {
  return LEVELS.find((level) => level.effort === effort)?.budgetTokens ?? 16_384;
}
