/** Where a session can be taken back to: in front of what the user said, where no call is left without its result. */
import type { Provider } from '../providers/provider.ts';
import { titleLine } from './shown-text.ts';

export interface RewindPoint {
  /** Messages that stay. */
  readonly length: number;
  /** What the user said there: its first line, at most 60 columns. */
  readonly text: string;
}

/** The points of a history, oldest first. A message that only carries results is none. */
export function rewindPoints(messages: readonly object[], { codec }: Pick<Provider, 'codec'>): readonly RewindPoint[] {
  const open = new Set<string>();
  return messages.flatMap((message, length) => {
    const { origin, parts } = codec.decode(message);
    const isWhole = open.size === 0;
    for (const part of parts) {
      if (part.kind === 'call') open.add(part.id);
      if (part.kind === 'result') open.delete(part.callId);
    }
    if (origin !== 'user' || !isWhole || parts.some(({ kind }) => kind === 'result')) return [];
    const words = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
    return [{ length, text: titleLine(words.join('\n')) }];
  });
}
