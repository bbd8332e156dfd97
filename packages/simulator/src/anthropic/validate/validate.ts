/** The rules of the Messages API, in the order the API checks them. */

import { firstProblem, type Problem } from '../../problem.ts';
import { blockShapes, nonEmptyText } from './block-rules.ts';
import {
  fieldTypes,
  knownFieldsOnly,
  requiredFields,
  systemBlocks,
  thinkingBudget,
  toolDefinitions,
} from './body-rules.ts';
import { breakpointCount, breakpointShapes, longTtlFirst } from './cache-rules.ts';
import type { Rule, RuleContext } from './context.ts';
import {
  blocksFitRole,
  firstIsUser,
  messageShapes,
  noPrefill,
  nonEmptyStrings,
  systemPlacement,
} from './message-rules.ts';
import { callsPaired, uniqueCallIds } from './pairing-rules.ts';
import { serverToolsPaired } from './server-tool-rules.ts';
import { thinkingKeptInLoop, thinkingNotLast, thinkingUnaltered } from './thinking-rules.ts';

/** Shapes first: the rules after them read the conversation without checking types again. */
const RULES: readonly Rule[] = [
  knownFieldsOnly,
  requiredFields,
  fieldTypes,
  messageShapes,
  blockShapes,
  systemBlocks,
  toolDefinitions,
  thinkingBudget,
  breakpointCount,
  breakpointShapes,
  longTtlFirst,
  nonEmptyStrings,
  nonEmptyText,
  firstIsUser,
  blocksFitRole,
  systemPlacement,
  uniqueCallIds,
  callsPaired,
  serverToolsPaired,
  thinkingNotLast,
  thinkingUnaltered,
  thinkingKeptInLoop,
  noPrefill,
];

export function validateAnthropic(context: RuleContext): Problem | undefined {
  return firstProblem(RULES, (rule) => rule(context));
}
