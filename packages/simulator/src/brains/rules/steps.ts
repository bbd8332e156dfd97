/** Builders for the steps that need no more than one message of calls. */

import type { PlannedCall, Step } from './types.ts';
import { oneLine } from './text.ts';

const LABEL_MAX = 140;

/** A step that is complete once these calls are answered, whatever the answer. */
export function callStep(label: string, calls: readonly PlannedCall[], changes?: string): Step {
  const step: Step = { label: labelOf(label), next: () => ({ kind: 'call', calls, last: true }) };
  return changes === undefined ? step : { ...step, changes };
}

/** A step that is answered in text. */
export function talkStep(label: string, answer: string): Step {
  return { label: labelOf(label), next: () => ({ kind: 'pass', note: answer }) };
}

/** A step that no rule can do. It is skipped at once, so that its mark settles it for good. */
export function undoneStep(label: string, clause: string, why: string): Step {
  return { label: labelOf(label), undone: quoted(clause), next: () => ({ kind: 'skip', note: why }) };
}

/** A clause as it is quoted in the brain's own sentences. */
export function quoted(clause: string): string {
  return `"${oneLine(clause, 120)}"`;
}

export function labelOf(text: string): string {
  return oneLine(text, LABEL_MAX);
}

/** A path or pattern as it is quoted in the brain's own sentences. */
export function ticked(text: string): string {
  return `\`${oneLine(text, 120)}\``;
}
