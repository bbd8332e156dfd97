/** What the brain says about the results that have just come back. */

import { disarm } from './marks.ts';
import { isPartialRead, isStub } from './stubs.ts';
import { firstLine, hashOf, lineCount, oneLine, stringOf } from './text.ts';
import type { CallRecord, Settings, View } from './types.ts';
import { isFailure } from './view.ts';

const QUOTE_MAX = 90;
/** A refusal names the rule that would allow the call at its end. */
const REFUSAL_MAX = 300;
const REFUSAL = /\bwas not run:|\bdeclined to run\b/;
const PERSISTED = '<persisted-output>';
/** What the marker says of the whole, such as `52133 characters and 2 pictures`. */
const FULL_SIZE = /^<persisted-output>\s{0,3}Full output: (\d{1,12} characters[^,\n]{0,60})/;
const PREVIEW = /\nPreview[^\n]{0,120}:\n/;
/** What tools answer when there is nothing to show. */
const NOTHING: ReadonlyMap<string, string> = new Map([
  ['(no output)', 'printed nothing'],
  ['(no matches)', 'found nothing'],
  ['(empty file)', 'gave an empty file'],
]);

/** One or two sentences on the answers in the last message; only failures at the lowest verbosity. */
export function remark(view: View, settings: Settings): string {
  const answered = view.calls.filter((call) => call.result?.fresh);
  const failed = answered.filter((call) => call.result && isFailure(call.result));
  const failures = failed.slice(0, 3).map((call) => `${subject(call)} ${failure(textOf(call))}. I go on.`);
  const good = answered.find((call) => !failed.includes(call));
  if (settings.verbosity === 'short' || !good) return failures.join(' ');
  const more = answered.length > 1 ? [`${answered.length} results came back, ${failed.length} of them errors.`] : [];
  return [...more, ...failures, describe(good), ...(settings.verbosity === 'long' ? dwell(good) : [])].join(' ');
}

function failure(text: string): string {
  if (!REFUSAL.test(text.slice(0, REFUSAL_MAX))) return `failed: ${quote(firstLine(text))}`;
  const flat = oneLine(text, REFUSAL_MAX + 1);
  return `was refused: "${disarm(flat.replace(/\.$/, ''))}"`;
}

function describe(call: CallRecord): string {
  const text = textOf(call);
  const about = subject(call);
  if (isPersisted(call)) return `${about} gave ${fullSize(call)}, of which only the beginning is in view.`;
  if (text.trim() === '') return `${about} came back empty.`;
  const nothing = NOTHING.get(text.trim());
  if (nothing !== undefined) return `${about} ${nothing}.`;
  const lines = lineCount(text);
  const size = `${lines} line${lines === 1 ? '' : 's'}`;
  const templates = [
    `${about} gave ${size}, beginning with ${quote(firstLine(text))}.`,
    `I have ${size} from ${about}; the first reads ${quote(firstLine(text))}.`,
    `${about} is here: ${quote(firstLine(text))} and so on, ${size} in all.`,
  ];
  return templates[hashOf(text.slice(0, 500)) % (lines === 1 ? 2 : templates.length)] ?? '';
}

function dwell(call: CallRecord): string[] {
  const result = call.result;
  if (!result || isStub(result) || isPersisted(call))
    return ['It is kept elsewhere and can be had again when it is needed.'];
  const lines = textOf(call)
    .slice(0, 20_000)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const middle = quote(lines[Math.floor(lines.length / 2)] ?? '');
  return [
    ...(lines.length > 1 ? [`Further down it says ${middle}, which is in keeping with the beginning.`] : []),
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

/** The answer without what is no part of it: the frame of a preview, what a tool says of itself beside its text. */
function textOf(call: CallRecord): string {
  const text = call.result?.text ?? '';
  if (isPersisted(call)) {
    const preview = PREVIEW.exec(text);
    return preview ? text.slice(preview.index + preview[0].length).replace(/\n<\/persisted-output>\s*$/, '') : '';
  }
  if (call.name === 'read_file' && call.input['limit'] !== undefined && isPartialRead(text))
    return text.trimEnd().slice(0, text.trimEnd().lastIndexOf('\n') + 1);
  return text.replace(/^\(no output\)\n/, '');
}

function isPersisted(call: CallRecord): boolean {
  return (call.result?.text ?? '').trimStart().startsWith(PERSISTED);
}

function fullSize(call: CallRecord): string {
  return FULL_SIZE.exec((call.result?.text ?? '').trimStart())?.[1] ?? 'a long output';
}

function quote(line: string): string {
  return `"${disarm(oneLine(line, QUOTE_MAX))}"`;
}
