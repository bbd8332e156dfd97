/** What `recall` gave back and no request has held yet. It was asked for, so it is read once before anything takes it out again. */
import type { History, Place } from './history.ts';
import type { LayerInput } from './layers/layer.ts';

/** The default name of the tool that gives originals back. */
export const RECALL_TOOL = 'recall';

type Input = Pick<LayerInput, 'history' | 'sentLength' | 'recallTool'>;

/** Whether the part is a result of `recallTool`. */
export function isRecalled(history: History, { entry, part: index }: Place, recallTool: string): boolean {
  const part = history.at(entry).parts[index];
  if (part?.kind !== 'result') return false;
  // The call it answers stands at the start of its round.
  const { parts } = history.at(history.cutBefore(entry));
  return parts.some((call) => call.kind === 'call' && call.id === part.callId && call.name === recallTool);
}

/** Whether a result was recalled and stands where no request, and no reply behind it, has read it. */
export function isUnreadRecall(place: Place, input: Input): boolean {
  return place.entry >= unreadFrom(input) && isRecalled(input.history, place, input.recallTool ?? RECALL_TOOL);
}

/** Where the round of the oldest unread recall begins; the history's length where there is none. */
export function unreadRecallStart(input: Input): number {
  const { history } = input;
  for (let entry = unreadFrom(input); entry < history.length; entry += 1) {
    const isOne = history.at(entry).parts.some((_, part) => isUnreadRecall({ entry, part }, input));
    if (isOne) return history.cutBefore(entry);
  }
  return history.length;
}

function unreadFrom({ history, sentLength = 0 }: Input): number {
  return Math.max(sentLength, history.newestModel + 1);
}
