/** What the brain says at the end of a task, and to what is no task. */

import { grammar } from './grammar.ts';
import { disarm, doneMark, marksIn } from './marks.ts';
import { messagesOf } from './progress.ts';
import type { CallRecord, Step, Task, View } from './types.ts';
import { isFailure } from './view.ts';

const LISTED_STEPS = 12;
const NAMED_UNDONE = 3;

/** `lines` is what the same reply has said so far. */
export function closing(view: View, task: Task, lines: readonly string[]): string {
  const messages = messagesOf(view, task);
  const skipped = skippedSteps(view, task, lines);
  const items = task.steps.map((step, index) => {
    const made = new Set(messages.get(index + 1));
    const calls = view.calls.filter((call) => made.has(call.message));
    return `${index + 1}. ${disarm(step.label)}: ${skipped.has(index + 1) ? 'skipped' : outcome(step, calls)}`;
  });
  const hidden = items.length > LISTED_STEPS ? [`(${items.length - LISTED_STEPS} earlier steps not listed)`] : [];
  return [headline(task), ...hidden, ...items.slice(-LISTED_STEPS)].join('\n');
}

/** `Task ab12 done: 1 of 2 steps; not done: "delete it".` */
function headline({ tag, steps }: Task): string {
  const left = steps.flatMap((step) => step.undone ?? []);
  const head = doneMark(tag, steps.length - left.length, steps.length);
  if (left.length === 0) return `${head}.`;
  const named = left.slice(0, NAMED_UNDONE).map(disarm);
  const more = left.length > named.length ? ` and ${left.length - named.length} more` : '';
  return `${head}; not done: ${named.join(', ')}${more}.`;
}

/** What no rule can do is skipped too, but is known from the instruction and said in other words. */
function skippedSteps(view: View, task: Task, lines: readonly string[]): Set<number> {
  const said = view.said.filter(({ message }) => message > task.message).map(({ text }) => text);
  const marks = [...said, ...lines].flatMap(marksIn).filter(({ tag }) => tag === task.tag);
  const skipped = marks.filter(({ text }) => text.endsWith(' skipped')).map(({ step }) => step);
  return new Set(skipped.filter((step) => task.steps[step - 1]?.undone === undefined));
}

/** The answer to what is no instruction. */
export function introduce(heard: string): string {
  const greeting = /^\s*(?:hello|hi|hey|good (?:morning|day|evening))\b/i.test(heard) ? 'Hello. ' : '';
  const examples = grammar.filter((rule) => rule.name !== 'talk').map((rule) => `- ${rule.example}`);
  return `${greeting}I am a rule-following stand-in for a model, so I can only follow plain instructions such as:\n${examples.join('\n')}`;
}

function outcome(step: Step, calls: readonly CallRecord[]): string {
  if (step.undone !== undefined) return 'not done';
  const answered = calls.flatMap((call) => call.result ?? []);
  if (calls.length === 0) return step.compacts ? 'done' : 'done earlier or without a call';
  const failed = answered.filter(isFailure);
  if (failed.length > 0) return `${failed.length} of ${answered.length} calls failed`;
  return calls.length === 1 ? 'done' : `done in ${calls.length} calls`;
}
