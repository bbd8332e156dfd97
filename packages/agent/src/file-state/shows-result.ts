/** Whether the view holds the result of a call word for word. */
import type { Codec, Context } from '@holdover/engine';

/** The newest result of that id decides; one that is replaced, covered by a range, or not there is not shown. */
export function viewShowsResult(
  context: Pick<Context<object, object>, 'history' | 'view'>,
  codec: Codec,
  callId: string,
): boolean {
  const history = context.history();
  for (const { from, range, patches } of [...context.view().entries].reverse()) {
    const message = range === undefined ? history[from] : undefined;
    const parts = message === undefined ? [] : codec.decode(message).parts;
    const part = parts.findIndex((candidate) => candidate.kind === 'result' && candidate.callId === callId);
    if (part >= 0) return patches?.has(part) !== true;
  }
  return false;
}
