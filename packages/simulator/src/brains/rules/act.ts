/** Takes the next step of a task: one reply, with calls where the step has any. */

import type { SimReply, SimReplyPart } from '../../brain.ts';
import { disarm, stepMark } from './marks.ts';
import { locate, lookupQuery, needsLookup, type Cursor } from './progress.ts';
import { closing } from './prose.ts';
import { remark } from './remarks.ts';
import type { CallRecord, Move, PlannedCall, Scene, Settings, Task, View } from './types.ts';

const MAX_ATTEMPTS = 3;
const MAX_SAME_CALL = 3;
const MAX_PARTS = 64;

export function act(view: View, task: Task, settings: Settings): SimReply {
  if (needsLookup(view, task)) return lookup(task);
  let cursor = locate(view, task);
  const said = cursor.finished ? '' : remark(view, settings);
  const lines: string[] = [];
  while (cursor.at < task.steps.length) {
    const move = decide({ view, settings, steps: task.steps, index: cursor.at, ...pick(cursor) }, cursor);
    const { text, calls } = speak(task, cursor, move);
    lines.push(text);
    // The newest mark goes first, since a digest may keep only the beginning of what was said.
    if (calls.length > 0) return reply([...lines.toReversed(), said], calls);
    cursor = { at: cursor.at + 1, attempt: 1, since: [], parts: 0, finished: false };
  }
  return reply([closing(view, task, lines), ...lines, said], []);
}

function pick({ since, attempt, parts, address }: Cursor): Pick<Scene, 'since' | 'attempt' | 'parts' | 'address'> {
  return { since, attempt, parts, ...(address === undefined ? {} : { address }) };
}

/** The step's own move, unless it has been tried too often or needs a tool that is not offered. */
function decide(scene: Scene, cursor: Cursor): Move {
  if (scene.attempt > MAX_ATTEMPTS) return { kind: 'skip', note: `tried ${MAX_ATTEMPTS} times without an answer` };
  if (cursor.parts >= MAX_PARTS) return { kind: 'skip', note: `not complete after ${MAX_PARTS} calls` };
  const move = scene.steps[scene.index]?.next(scene) ?? { kind: 'skip', note: 'unknown step' };
  if (move.kind !== 'call') return move;
  const missing = move.calls.find((call) => !scene.view.tools.has(call.name));
  if (missing) return { kind: 'skip', note: `I have no tool named ${missing.name}` };
  const repeated = move.calls.some((call) => timesMade(call, scene.since) >= MAX_SAME_CALL);
  return repeated ? { kind: 'skip', note: `tried ${MAX_SAME_CALL} times without a usable answer` } : move;
}

function timesMade(call: PlannedCall, since: readonly CallRecord[]): number {
  const input = JSON.stringify(call.input);
  return since.filter((made) => made.name === call.name && JSON.stringify(made.input) === input).length;
}

function speak(task: Task, cursor: Cursor, move: Move): { text: string; calls: readonly PlannedCall[] } {
  const part = move.kind === 'call' && !move.last ? { part: cursor.parts + 1 } : {};
  const mark = stepMark({
    tag: task.tag,
    step: cursor.at + 1,
    of: task.steps.length,
    attempt: cursor.attempt,
    ...part,
  });
  const label = disarm(task.steps[cursor.at]?.label ?? '');
  if (move.kind === 'call') {
    const note = move.note === undefined ? '' : ` (${disarm(move.note)})`;
    return { text: `${mark}: ${label}${note}.`, calls: move.calls };
  }
  const state = move.kind === 'skip' ? 'skipped' : 'done';
  return { text: `${mark} ${state}: ${label}: ${disarm(move.note)}`, calls: [] };
}

/** A summary that says nothing about progress is filled in from the archive. */
function lookup(task: Task): SimReply {
  const text = 'The summary does not say how far I came, so I look for my last progress line.';
  return reply([text], [{ name: 'recall', input: { query: lookupQuery(task.tag) } }]);
}

function reply(lines: readonly string[], calls: readonly PlannedCall[]): SimReply {
  const text = lines.filter((line) => line !== '').join('\n\n');
  const parts: SimReplyPart[] = [{ kind: 'text', text }];
  for (const { name, input } of calls) parts.push({ kind: 'call', name, input });
  return { parts };
}
