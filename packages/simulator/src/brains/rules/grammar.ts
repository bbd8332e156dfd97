/** The instruction grammar: every rule, in the order they are tried. */

import { restore, splitClauses, type Clause } from './clauses.ts';
import type { Match, Rule } from './rule.ts';
import { changeRules } from './rules-change.ts';
import { planRules, talkRules } from './rules-plan.ts';
import { readOn, readRules } from './rules-read.ts';
import { reportRules } from './rules-report.ts';
import { searchRules } from './rules-search.ts';
import type { Step } from './types.ts';

export const grammar: readonly Rule[] = [
  ...reportRules,
  ...planRules,
  ...readRules,
  ...changeRules,
  ...searchRules,
  ...talkRules,
];

const MAX_STEPS = 500;
const MAX_CLAUSE = 20_000;
const CONSTRAINT = /\b(?:must|never|do not|don't|always|only|should)\b/i;

export interface Instruction {
  readonly steps: readonly Step[];
  /** Clauses that no rule matched, as the user wrote them; rules of conduct and headings are not among them. */
  readonly unknown: readonly string[];
  /** At least one step does something. */
  readonly acts: boolean;
  /** The text begins with a step that does something, so that it is hardly quoted matter. */
  readonly actsAtOnce: boolean;
}

interface Parsed {
  readonly rule: string;
  readonly steps: readonly Step[];
}

export function parseInstruction(text: string): Instruction {
  const steps: Step[] = [];
  const unknown: string[] = [];
  const rules: string[] = [];
  for (const clause of splitClauses(text)) {
    const parsed = parseClause(clause, rules.at(-1));
    rules.push(parsed?.rule ?? '');
    if (parsed) steps.push(...parsed.steps);
    else if (!clause.text.endsWith(':') && !CONSTRAINT.test(clause.text)) unknown.push(restore(clause));
  }
  const isAct = (rule: string | undefined): boolean => rule !== undefined && rule !== '' && rule !== 'talk';
  return { steps: steps.slice(0, MAX_STEPS), unknown, acts: rules.some(isAct), actsAtOnce: isAct(rules[0]) };
}

/** `before` is the rule of the clause before: a bare path goes on with a reading. */
function parseClause(clause: Clause, before: string | undefined): Parsed | undefined {
  const text = clause.text.replace(/[\s:]+$/, '');
  if (text === '' || text.length > MAX_CLAUSE) return undefined;
  for (const rule of grammar) {
    const match = rule.pattern.exec(text);
    const steps = match ? rule.build(groupsOf(match), clause) : undefined;
    if (steps) return { rule: rule.name, steps };
  }
  const steps = before === 'read' ? readOn({ ...clause, text }) : undefined;
  return steps ? { rule: 'read', steps } : undefined;
}

function groupsOf(match: RegExpExecArray): Match {
  const [whole, ...groups] = match;
  return [whole, ...groups.map((group: string | undefined) => group ?? '')];
}
