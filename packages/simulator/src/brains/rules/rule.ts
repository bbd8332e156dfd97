/** One entry of the instruction grammar. */

import type { Clause } from './clauses.ts';
import type { Step } from './types.ts';

/** How an instruction may end that means the current folder; the source of a pattern. */
export const HERE =
  '(?:\\s+here|\\s+(?:in|under|of)\\s+(?:\\.\\/?|here|(?:the|this|my)(?:\\s+(?:current|working))?\\s+(?:folder|directory|project|repo(?:sitory)?|workspace)))?';

export interface Rule {
  readonly name: string;
  /** An instruction the rule understands; shown to the user when nothing is understood. */
  readonly example: string;
  /** Matched against a clause in which each quoted span is one token without spaces. */
  readonly pattern: RegExp;
  /** The steps of the clause; `undefined` lets the next rule try. */
  build(match: Match, clause: Clause): readonly Step[] | undefined;
}

/** The groups of a match, `''` where a group took no part. */
export type Match = readonly [whole: string, ...groups: string[]];
