/** Rounds as quoted text, whole: where reasoning is bound to its prefix none of them may stay verbatim behind what an epoch changes. */
import { exactText, isUserWords, type Part } from '../entry.ts';
import type { History } from '../history.ts';
import type { Span } from '../layers/range-edits.ts';

function quotedPart(part: Part): string {
  switch (part.kind) {
    case 'text':
      return `text ${JSON.stringify(part.text)}`;
    case 'call':
      return `call ${part.name} ${exactText(part)}`;
    case 'result':
      return `result${part.isError ? ' (error)' : ''} ${JSON.stringify(part.text)}`;
    case 'media':
      return `(${part.mediaType})`;
    case 'opaque':
      return `(${part.name})`;
    case 'reasoning':
      return '';
  }
}

/** The entries of `span`, one line a part, each text as JSON. The user's own words stand beside the text and are left out. */
export function quoteRounds(history: History, { from, to }: Span): string {
  const lines: string[] = [];
  for (let index = from; index < to; index += 1) {
    const { origin, parts } = history.at(index);
    const who = origin === 'model' ? 'assistant' : origin;
    for (const part of parts) {
      const isWords = origin === 'user' && isUserWords(part);
      const line = isWords ? '' : quotedPart(part);
      if (line !== '') lines.push(`${who} ${line}`);
    }
  }
  return `The newest messages, quoted:\n${lines.join('\n')}`;
}
