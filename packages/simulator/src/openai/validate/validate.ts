/** The rules of the Chat Completions API. */

import { isObject, type JsonObject } from '../../json.ts';
import { firstProblem, type Problem } from '../../problem.ts';
import {
  fieldRanges,
  fieldTypes,
  knownFieldsOnly,
  outputLimits,
  requiredFields,
  streamOptions,
  toolDefinitions,
} from './body-rules.ts';
import type { Rule } from './context.ts';
import { messageShapes } from './message-rules.ts';
import { callsPaired, uniqueCallIds } from './pairing-rules.ts';

/** Shapes first: the rules after them read the messages without checking types again. */
const RULES: readonly Rule[] = [
  knownFieldsOnly,
  requiredFields,
  fieldTypes,
  fieldRanges,
  outputLimits,
  streamOptions,
  toolDefinitions,
  messageShapes,
  uniqueCallIds,
  callsPaired,
];

export function validateOpenai(body: JsonObject): Problem | undefined {
  const messages = Array.isArray(body['messages']) ? body['messages'].filter(isObject) : [];
  return firstProblem(RULES, (rule) => rule({ body, messages }));
}
