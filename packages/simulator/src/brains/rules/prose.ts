/** What the brain says beside its calls: a remark on what came back, and the closing report. */

import { grammar } from './grammar.ts';
import { disarm, doneMark, marksIn } from './marks.ts';
import { messagesOf } from './progress.ts';
import { isStub } from './stubs.ts';
import { firstLine, hashOf, lineCount, oneLine, stringOf } from './text.ts';
import type { CallRecord, Settings, Task, View } from './types.ts';
import { isFailure } from './view.ts';

const QUOTE_MAX = 90;
const LISTED_STEPS = 12;

/** One or two sentences on the answers in the last message; only failures at the lowest verbosity. */
export function remark(view: View, settings: Settings): string {
  const answered = view.calls.filter((call) => call.result?.fresh);
  const failed = answered.filter((call) => call.result && isFailure(call.result));
  const failures = failed.slice(0, 3).map((call) => `${subject(call)} failed: ${quoteOf(call)}. I go on.`);
  const good = answered.find((call) => !failed.includes(call));
  if (settings.verbosity === 'short' || !good) return failures.join(' ');
  const more = answered.length > 1 ? [`${answered.length} results came back, ${failed.length} of them errors.`] : [];
  return [...more, ...failures, describe(good), ...(settings.verbosity === 'long' ? dwell(good) : [])].join(' ');
}

/** `lines` is what the same reply has said so far. */
export function closing(view: View, task: Task, lines: readonly string[]): string {
  const messages = messagesOf(view, task);
  const skipped = skippedSteps(view, task, lines);
  const items = task.steps.map((step, index) => {
    const made = new Set(messages.get(index + 1));
    const calls = view.calls.filter((call) => made.has(call.message));
    return `${index + 1}. ${disarm(step.label)}: ${skipped.has(index + 1) ? 'skipped' : outcome(calls)}`;
  });
  const hidden = items.length > LISTED_STEPS ? [`(${items.length - LISTED_STEPS} earlier steps not listed)`] : [];
  const unknown = task.unknown.slice(0, 3).map((text) => `Not understood: "${disarm(oneLine(text, 160))}"`);
  const head = `${doneMark(task.tag, task.steps.length)}.`;
  return [head, ...hidden, ...items.slice(-LISTED_STEPS), ...unknown].join('\n');
}

function skippedSteps(view: View, task: Task, lines: readonly string[]): Set<number> {
  const said = view.said.filter(({ message }) => message > task.message).map(({ text }) => text);
  const marks = [...said, ...lines].flatMap(marksIn).filter(({ tag }) => tag === task.tag);
  return new Set(marks.filter(({ text }) => text.endsWith(' skipped')).map(({ step }) => step));
}

/** The answer to what is no instruction. */
export function introduce(heard: string): string {
  const greeting = /^\s*(?:hello|hi|hey|good (?:morning|day|evening))\b/i.test(heard) ? 'Hello. ' : '';
  const examples = grammar.filter((rule) => rule.name !== 'talk').map((rule) => `- ${rule.example}`);
  return `${greeting}I am a rule-following stand-in for a model, so I can only follow plain instructions such as:\n${examples.join('\n')}`;
}

function outcome(calls: readonly CallRecord[]): string {
  const answered = calls.flatMap((call) => call.result ?? []);
  if (calls.length === 0) return 'done earlier or without a call';
  const failed = answered.filter(isFailure);
  if (failed.length > 0) return `${failed.length} of ${answered.length} calls failed`;
  return calls.length === 1 ? 'done' : `done in ${calls.length} calls`;
}

function describe(call: CallRecord): string {
  const text = call.result?.text ?? '';
  const lines = lineCount(text);
  const size = `${lines} line${lines === 1 ? '' : 's'}`;
  if (text.trim() === '') return `${subject(call)} came back empty.`;
  const templates = [
    `${subject(call)} gave ${size}, beginning with ${quoteOf(call)}.`,
    `I have ${size} from ${subject(call)}; the first reads ${quoteOf(call)}.`,
    `${subject(call)} is here: ${quoteOf(call)} and so on, ${size} in all.`,
  ];
  return templates[hashOf(text.slice(0, 500)) % templates.length] ?? '';
}

function dwell(call: CallRecord): string[] {
  const result = call.result;
  if (!result || isStub(result)) return ['It is kept elsewhere and can be had again when it is needed.'];
  const lines = result.text
    .slice(0, 20_000)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const middle = oneLine(disarm(lines[Math.floor(lines.length / 2)] ?? ''), QUOTE_MAX);
  return [
    `Further down it says "${middle}", which is in keeping with the beginning.`,
    'Nothing in it changes what has to be done, so I keep to the order of the instruction.',
  ];
}

function subject(call: CallRecord): string {
  const { input } = call;
  const about = ['path', 'command', 'pattern', 'address', 'query']
    .map((key) => stringOf(input[key]))
    .find((text) => text !== '');
  return about === undefined ? call.name : `${call.name} ${disarm(oneLine(about, 80))}`;
}

function quoteOf(call: CallRecord): string {
  return `"${disarm(oneLine(firstLine(call.result?.text ?? ''), QUOTE_MAX))}"`;
}
