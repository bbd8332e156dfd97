/** Keeps what follows "and" from vanishing inside a rule that would swallow it: the clause is cut there in two. */

import { CLOSE, stripPrefix, type Clause } from './clauses.ts';
import { beginsWithPath } from './rules-read.ts';

export interface Cut {
  readonly head: Clause;
  readonly rest: Clause;
  /** The two were joined without the word, by a comma or a sign. */
  readonly comma: boolean;
}

const SEPARATOR = /,\s+and\s+|,\s+|\s+(?:and|&)\s+/gi;
const MAX_CUTS = 16;
/** What follows a comma and orders nothing. */
const ASIDE =
  /^(?:which|who|that|this|where|when|it|as|because|since|so|but|for|in|with|to|both|if|not|one|each|please|thanks|thank|carefully|whole|completely|entirely|too|also)\b/i;
/** A plan of one thing may well speak of another, as in "Plan how to build and test"; these name no thing. */
const PLAN_ONLY =
  /^(?:plan(?:\s+(?:the\s+work|it|this))?|(?:make|write|create)\s+(?:a|the)\s+(?:(?:todo|to-do|task)\s+list|plan))$/i;
/** Rules whose patterns match whatever stands at the end. */
const GREEDY: ReadonlySet<string> = new Set(['read', 'read-all', 'grep', 'run', 'write', 'plan']);

export function isGreedy(rule: string): boolean {
  return GREEDY.has(rule);
}

/** The places where the clause can be cut, first ones only. */
export function cutsOf(clause: Clause): Cut[] {
  const cuts: Cut[] = [];
  for (const match of clause.text.matchAll(SEPARATOR)) {
    const head = { ...clause, text: clause.text.slice(0, match.index) };
    const rest = { ...clause, text: stripPrefix(clause.text.slice(match.index + match[0].length)) };
    if (rest.text !== '') cuts.push({ head, rest, comma: !/and/i.test(match[0]) });
    if (cuts.length >= MAX_CUTS) break;
  }
  return cuts;
}

/** Whether the rest is no part of what the rule of the head is about. */
export function partsHere({ head, rest, comma }: Cut, rule: string): boolean {
  if (comma && ASIDE.test(rest.text)) return false;
  switch (rule) {
    case 'run':
      return !comma;
    case 'write':
      // Bare words are all content; a quoted content ends with its quote.
      return head.text.endsWith(CLOSE);
    case 'plan':
      return PLAN_ONLY.test(head.text);
    default:
      return !rule.startsWith('read') || !beginsWithPath(rest);
  }
}
