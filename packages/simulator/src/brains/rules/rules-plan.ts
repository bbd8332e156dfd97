/** Rules about the work itself: plans, compaction, and what is answered in words. */

import { restore } from './clauses.ts';
import type { Rule } from './rule.ts';
import { labelOf, quoted, talkStep, undoneStep } from './steps.ts';
import type { Move, Scene } from './types.ts';

export const planRules: readonly Rule[] = [
  {
    name: 'plan',
    example: 'Plan the work',
    pattern:
      /^(?:plan\b|(?:make|write|create)\s+(?:a|the)\s+(?:todo|to-do|task)\s+list\b|(?:make|create)\s+a\s+plan\b)/i,
    build: (_, clause) => [{ label: labelOf('write the todo list'), next: (scene) => plan(scene, restore(clause)) }],
  },
  {
    name: 'compact',
    example: 'Compact the conversation',
    pattern:
      /^compact(?:\s+(?:the|this|our))?(?:\s+(?:conversation|context|history|session))?(?:.{0,20}?\bfocus(?:ing)?\s+on\s+(.+))?$/i,
    build: ([, focus = ''], clause) => {
      const input = focus === '' ? {} : { focus: restore(clause, focus) };
      const calls = [{ name: 'compact', input }];
      return [{ label: 'compact the conversation', compacts: true, next: () => ({ kind: 'call', calls, last: true }) }];
    },
  },
];

/** Tried last: what only a real model could answer gets an honest word and does not hold up the other steps. */
export const talkRules: readonly Rule[] = [
  {
    name: 'talk',
    example: 'Report when you are done',
    pattern:
      /^(?:report(?:\s+back)?|(?:report(?:\s+back)?|tell\s+me|say(?:\s+so)?|let\s+me\s+know)\s+(?:when|once|that)\s+.{0,40}\b(?:done|finished|complete|ready))$/i,
    build: (_, clause) => [talkStep(`answer ${quoted(restore(clause))}`, 'this is the report.')],
  },
  {
    name: 'talk',
    example: 'Explain src/a.ts',
    pattern: /^(?:count|report|tell|say|explain|describe|answer|summari[sz]e)\b/i,
    build: (_, clause) => [
      undoneStep(
        `answer ${quoted(restore(clause))}`,
        restore(clause),
        'this needs a real model; I only follow rules, so the results above are all I can report.',
      ),
    ],
  },
];

function plan(scene: Scene, text: string): Move {
  const todos = scene.steps.flatMap((step, index) =>
    step.undone === undefined ? [{ content: step.label, status: statusOf(index, scene.index) }] : [],
  );
  const input = { todos: todos.length > 1 ? todos : [{ content: labelOf(text), status: 'in_progress' }] };
  return { kind: 'call', calls: [{ name: 'todo_write', input }], last: true };
}

function statusOf(index: number, current: number): 'completed' | 'in_progress' | 'pending' {
  if (index < current) return 'completed';
  return index === current ? 'in_progress' : 'pending';
}
