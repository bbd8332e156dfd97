/** What every rule is given, and the form of a rule. */

import type { JsonObject } from '../../json.ts';
import type { Problem } from '../../problem.ts';

export interface RuleContext {
  readonly body: JsonObject;
  /** Objects only once the shapes have passed. */
  readonly messages: readonly JsonObject[];
}

/** The first violation of one rule, or undefined. Later rules may rely on earlier ones having passed. */
export type Rule = (context: RuleContext) => Problem | undefined;

/** How the vendor names a JSON type in its messages. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  const names: Readonly<Record<string, string>> = {
    string: 'a string',
    number: Number.isInteger(value) ? 'an integer' : 'a decimal',
    boolean: 'a boolean',
    undefined: 'nothing',
  };
  return names[typeof value] ?? 'an object';
}
