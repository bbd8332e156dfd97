/** Works out from the visible marks how far a task has come. */

import { isSummary } from './instruction.ts';
import { furthest, marksIn, type Mark } from './marks.ts';
import { bounded, stringOf } from './text.ts';
import type { CallRecord, Task, View } from './types.ts';

export interface Cursor {
  /** Index of the step to work on; the number of steps when all are done. */
  readonly at: number;
  readonly attempt: number;
  /** Calls made for that step and still in view. */
  readonly since: readonly CallRecord[];
  /** See `Scene.address`. */
  readonly address?: string;
  /** Parts of the step already spent. */
  readonly parts: number;
  /** The closing text was already given. */
  readonly finished: boolean;
}

/** A mark and the assistant message it stands in; a summary has none. */
interface Evidence {
  readonly mark: Mark;
  readonly message?: number;
}

const SCAN_MAX = 400_000;

export function lookupQuery(tag: string): string {
  return `Task ${tag}, step`;
}

export function locate(view: View, task: Task): Cursor {
  const evidence = gather(view, task);
  const newest = evidence.at(-1);
  if (!newest) return begin(0);
  const { mark, message } = newest;
  if (mark.state === 'finished')
    return message === undefined ? begin(0) : { ...begin(task.steps.length), finished: true };
  if (mark.state === 'settled') return begin(mark.step);
  const run = runOf(evidence, mark.step);
  const since = callsOf(view, run);
  if (mark.state === 'part') return resume(mark, run, since);
  const sent = message === undefined || view.calls.some((call) => call.message === message);
  return sent ? begin(mark.step) : resume(mark, run, since);
}

/**
 * Whether a summary stands in for the past without saying anything about progress. Where it marks another task, this
 * one has just been given.
 */
export function needsLookup(view: View, task: Task): boolean {
  const summaries = summariesBeside(view, task);
  if (summaries.length === 0 || !view.tools.has('recall')) return false;
  if (summaries.some((text) => marksIn(bounded(text, SCAN_MAX)).length > 0)) return false;
  return !view.said.some((said) => said.message > task.message);
}

/** Assistant messages of the run of the task that is under way, by step. */
export function messagesOf(view: View, task: Task): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (const { mark, message } of gather(view, task)) {
    if (mark.state === 'finished') found.clear();
    if (message !== undefined) found.set(mark.step, [...(found.get(mark.step) ?? []), message]);
  }
  return found;
}

function begin(at: number): Cursor {
  return { at, attempt: 1, since: [], parts: 0, finished: false };
}

/** Goes on with a step; one whose messages are all gone is begun again. */
function resume(mark: Mark, run: readonly Evidence[], since: readonly CallRecord[]): Cursor {
  const visible = run.filter((one) => one.message !== undefined).length;
  const lostCalls = mark.state === 'called' && visible > 0;
  const attempt = visible === 0 || lostCalls ? mark.attempt + 1 : mark.attempt;
  const parts = Math.max(visible, mark.part);
  const cursor = { at: mark.step - 1, attempt, since, parts, finished: false };
  return mark.address === undefined ? cursor : { ...cursor, address: mark.address };
}

function gather(view: View, task: Task): Evidence[] {
  const own = (text: string): Mark | undefined =>
    furthest(marksIn(text).filter((mark) => mark.tag === task.tag && mark.of === task.steps.length));
  const past = furthest(
    [...summariesBeside(view, task), ...lookupsOf(view, task)].flatMap((text) => own(bounded(text, SCAN_MAX)) ?? []),
  );
  const evidence: Evidence[] = past ? [{ mark: past }] : [];
  for (const { message, text } of view.said) {
    const mark = message > task.message ? own(text) : undefined;
    if (mark) evidence.push({ mark, message });
  }
  return evidence;
}

function summariesBeside(view: View, task: Task): string[] {
  return view.heard.filter((heard) => heard.message === task.message && isSummary(heard.text)).map(({ text }) => text);
}

function lookupsOf(view: View, task: Task): string[] {
  const query = lookupQuery(task.tag);
  const asked = view.calls.filter((call) => call.name === 'recall' && stringOf(call.input['query']) === query);
  return asked.flatMap((call) => (call.message > task.message && call.result ? [call.result.text] : []));
}

/** The unbroken stretch of evidence about one step at the end. */
function runOf(evidence: readonly Evidence[], step: number): readonly Evidence[] {
  const start = evidence.findLastIndex(({ mark }) => mark.step !== step);
  return evidence.slice(start + 1);
}

function callsOf(view: View, run: readonly Evidence[]): CallRecord[] {
  const messages = new Set(run.map((one) => one.message));
  return view.calls.filter((call) => messages.has(call.message));
}
