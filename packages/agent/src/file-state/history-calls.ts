/** The calls of a history with their results, in order: what a resumed session knows of what its tools did. */
import type { Codec } from '@holdover/engine';

export interface HistoryCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** The readable text of the result. */
  readonly text: string;
  /** Where the wire format has no word for it, always false: the text says so itself. */
  readonly isError: boolean;
}

/** A call without a result is left out. Where an id was used again, a result belongs to the newest call of that id before it. */
export function historyCalls(messages: readonly object[], codec: Codec): readonly HistoryCall[] {
  const open = new Map<string, { readonly name: string; readonly input: unknown }>();
  const calls: HistoryCall[] = [];
  for (const part of messages.flatMap((message) => codec.decode(message).parts)) {
    if (part.kind === 'call') open.set(part.id, { name: part.name, input: part.input });
    if (part.kind !== 'result') continue;
    const call = open.get(part.callId);
    if (call !== undefined) calls.push({ id: part.callId, ...call, text: part.text, isError: part.isError });
  }
  return calls;
}
