/** The instruction grammar: every rule, in the order they are tried. */

import { restore, splitClauses, type Clause } from './clauses.ts';
import { cutsOf, isGreedy, partsHere } from './cuts.ts';
import type { Match, Rule } from './rule.ts';
import { changeRules } from './rules-change.ts';
import { eachRules } from './rules-each.ts';
import { planRules, talkRules } from './rules-plan.ts';
import { readOn, readRules } from './rules-read.ts';
import { reportRules } from './rules-report.ts';
import { searchRules } from './rules-search.ts';
import { quoted, undoneStep } from './steps.ts';
import type { Step } from './types.ts';

export const grammar: readonly Rule[] = [
  ...reportRules,
  ...eachRules,
  ...planRules,
  ...readRules,
  ...changeRules,
  ...searchRules,
  ...talkRules,
];

const MAX_STEPS = 500;
const MAX_CLAUSE = 20_000;
const MAX_CUTS = 40;
const COURTESY =
  /^(?:please|thanks|thank you|hello|hi|hey|ok|okay|good (?:morning|day|evening))(?: there| again| so much| very much| a lot| in advance)?$/i;
const CONSTRAINT = /\b(?:must|never|do not|don't|always|only|should)\b/i;

export interface Instruction {
  /** One also for each clause that no rule matched, unless it is a rule of conduct, a heading or a courtesy. */
  readonly steps: readonly Step[];
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
  const rules: string[] = [];
  for (const clause of splitClauses(text)) {
    for (const parsed of parseClause(clause, rules.at(-1))) {
      rules.push(parsed.rule);
      steps.push(...parsed.steps);
    }
  }
  const isAct = (rule: string | undefined): boolean => rule !== undefined && rule !== '' && rule !== 'talk';
  return { steps: steps.slice(0, MAX_STEPS), acts: rules.some(isAct), actsAtOnce: isAct(rules[0]) };
}

/** `before` is the rule of the clause before. A clause may turn out to be several, joined by "and". */
function parseClause(clause: Clause, before: string | undefined, depth = 0): Parsed[] {
  const whole = matchRule(clause, before);
  if (depth >= MAX_CUTS || (whole && !isGreedy(whole.rule))) return [whole ?? notUnderstood(clause)];
  for (const cut of cutsOf(clause)) {
    const head = matchRule(cut.head, before);
    if (head && partsHere(cut, head.rule)) return [head, ...parseClause(cut.rest, head.rule, depth + 1)];
  }
  return [whole ?? notUnderstood(clause)];
}

/** After a reading a bare path goes on with it, and so does "every file in src". */
function matchRule(clause: Clause, before = ''): Parsed | undefined {
  const text = clause.text.replace(/[\s:]+$/, '');
  if (text === '' || text.length > MAX_CLAUSE) return undefined;
  for (const rule of grammar) {
    const match = rule.pattern.exec(text);
    const steps = match ? rule.build(groupsOf(match), clause) : undefined;
    if (steps) return { rule: rule.name, steps };
  }
  if (!before.startsWith('read')) return undefined;
  if (/^(?:every|each|all|the first)\s/i.test(text)) return matchRule({ ...clause, text: `read ${text}` });
  const steps = readOn({ ...clause, text });
  return steps ? { rule: 'read', steps } : undefined;
}

function notUnderstood(clause: Clause): Parsed {
  const { text } = clause;
  if (text.endsWith(':') || CONSTRAINT.test(text) || COURTESY.test(text)) return { rule: '', steps: [] };
  const words = restore(clause);
  return { rule: '', steps: [undoneStep(`Not understood: ${quoted(words)}`, words, 'no rule of mine fits it.')] };
}

function groupsOf(match: RegExpExecArray): Match {
  const [whole, ...groups] = match;
  return [whole, ...groups.map((group: string | undefined) => group ?? '')];
}
