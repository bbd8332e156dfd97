/** The answers to a permission question, each behind its key. */
import type { PermissionAnswer, PermissionQuestion } from '@holdover/agent';

export interface Answer {
  readonly key: string;
  readonly what: string;
  readonly answer: PermissionAnswer;
}

/** What each key answers: what may be remembered comes narrowest first, and nothing else is offered. */
export function answersTo({ offers }: PermissionQuestion): readonly Answer[] {
  const [narrow, wide] = offers;
  const remembering = (rule: string | undefined, keys: readonly [string, string]): readonly Answer[] =>
    rule === undefined
      ? []
      : [
          { key: keys[0], what: 'this session', answer: { allow: true, remember: 'session', rule } },
          { key: keys[1], what: 'this project', answer: { allow: true, remember: 'project', rule } },
        ];
  return [
    { key: 'y', what: 'once', answer: 'allow' },
    ...remembering(narrow, ['s', 'p']),
    ...remembering(wide, ['S', 'P']),
    { key: 'n', what: 'no', answer: 'deny' },
  ];
}
