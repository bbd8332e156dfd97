/** A message's blocks by kind, for the peers' own formats. */
import type { Block, CallBlock, Message, ResultBlock } from '../session.ts';

export function blocksOf({ content }: Message): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

export function textOf(message: Message): string {
  return blocksOf(message)
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n');
}

export function callsOf(message: Message): readonly CallBlock[] {
  return blocksOf(message).filter((block) => block.type === 'tool_use');
}

export function resultsOf(message: Message): readonly ResultBlock[] {
  return blocksOf(message).filter((block) => block.type === 'tool_result');
}
