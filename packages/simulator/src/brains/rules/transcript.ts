/** A conversation as plain text, whether it comes as messages or already written out in one of them. */

import type { SimMessage, SimPart } from '../../brain.ts';
import { bounded } from './text.ts';
import { textParts } from './view.ts';

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: ' ' };
const PART_MAX = 20_000;
const SPOKEN_MAX = 100_000;
const TRANSCRIPT_MAX = 600_000;

export function plainText(messages: readonly SimMessage[]): string {
  const single = messages.length === 1;
  const blocks = messages.map((message) => message.parts.map((part) => partText(part, single)).join('\n'));
  const lines = single ? blocks : blocks.map((text, index) => `${messages[index]?.role ?? 'user'}: ${text}`);
  return bounded(lines.join('\n\n'), TRANSCRIPT_MAX);
}

/** What was said in words, without calls and results; `undefined` where the conversation is one written-out text. */
export function spokenText(messages: readonly SimMessage[]): string | undefined {
  return messages.length === 1
    ? undefined
    : messages
        .flatMap(textParts)
        .map((text) => bounded(text, SPOKEN_MAX))
        .join('\n');
}

/** The inside of a request or a path may be written as a JSON string. */
export function unquote(text: string): string {
  return text.replace(/\\(["\\/nt])/g, (_, char: string) => ESCAPES[char] ?? char);
}

function partText(part: SimPart, whole: boolean): string {
  switch (part.kind) {
    case 'text':
      return whole ? part.text : bounded(part.text, PART_MAX);
    case 'call':
      return `[call ${part.name} ${JSON.stringify(part.input).slice(0, 1_000)}]`;
    case 'result':
      return `[result ${bounded(part.text, 2_000)}]`;
    default:
      return '';
  }
}
