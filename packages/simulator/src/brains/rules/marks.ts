/** The brain's bookkeeping: it has no memory, so its progress stands in its own text and is read back from there. */

import { addressesIn } from './stubs.ts';

/** One progress mark found in a text. `step` is 0 for the mark that closes a task. */
export interface Mark {
  readonly tag: string;
  readonly step: number;
  readonly of: number;
  readonly attempt: number;
  readonly part: number;
  /** An address named in the same line, where the text that is being fetched can be had. */
  readonly address?: string;
  readonly state: 'part' | 'called' | 'settled' | 'finished';
  /** As it stands in the text. */
  readonly text: string;
}

const LINE_MAX = 600;
const MARK =
  /Task ([0-9a-f]{4})(?: done: \d{1,4} of (\d{1,4})|, step (\d{1,4})\/(\d{1,4})(?:, try (\d{1,2}))?(?:, part (\d{1,3}))?( done| skipped)?)/g;

export interface StepMark {
  readonly tag: string;
  readonly step: number;
  readonly of: number;
  readonly attempt?: number;
  /** Set while the calls only prepare the step. */
  readonly part?: number;
}

/** `Task ab12, step 3/9`, with `, try 2` when begun again and `, part 1` while it is being prepared. */
export function stepMark({ tag, step, of, attempt = 1, part }: StepMark): string {
  const again = attempt > 1 ? `, try ${attempt}` : '';
  return `Task ${tag}, step ${step}/${of}${again}${part === undefined ? '' : `, part ${part}`}`;
}

export function doneMark(tag: string, done: number, of: number): string {
  return `Task ${tag} done: ${done} of ${of} steps`;
}

export function marksIn(text: string): Mark[] {
  return [...text.matchAll(MARK)].map((match) => {
    const [whole, tag = '', total, step, of, attempt, part, settled] = match;
    const address = addressesIn(text.slice(match.index, match.index + LINE_MAX).split('\n')[0] ?? '')[0];
    return {
      tag,
      step: Number(step ?? 0),
      of: Number(total ?? of ?? 0),
      attempt: Number(attempt ?? 1),
      part: Number(part ?? 0),
      ...(address === undefined ? {} : { address }),
      state: stateOf({ total, part, settled }),
      text: whole,
    };
  });
}

function stateOf(groups: {
  total: string | undefined;
  part: string | undefined;
  settled: string | undefined;
}): Mark['state'] {
  if (groups.total !== undefined) return 'finished';
  if (groups.settled !== undefined) return 'settled';
  return groups.part === undefined ? 'called' : 'part';
}

/** The mark that says most about a task: its end, else its highest step, else the later of two. */
export function furthest(marks: readonly Mark[]): Mark | undefined {
  let best: Mark | undefined;
  for (const mark of marks) {
    if (mark.state === 'finished') return mark;
    if (best === undefined || mark.step > best.step || (mark.step === best.step && !isEarlier(mark, best))) best = mark;
  }
  return best;
}

function isEarlier(mark: Mark, than: Mark): boolean {
  return mark.state === 'part' && than.state !== 'part' && mark.attempt <= than.attempt;
}

/** A quoted text must not pass for progress. */
export function disarm(text: string): string {
  return text.replace(/Task (?=[0-9a-f]{4}\b)/g, 'task ');
}
