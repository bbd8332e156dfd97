/** The Messages request as the rules read it: blocks with their paths, neighbours of one role merged into turns. */

import { isObject, type JsonObject } from '../json.ts';

/** A content block before or after validation; only `type` is certain. */
export type Block = JsonObject & { readonly type: string };

export interface PlacedBlock {
  readonly block: Block;
  /** As the vendor writes it: `messages.3.content.0`. */
  readonly path: string;
  readonly messageIndex: number;
}

export interface Turn {
  readonly role: string;
  /** Index of the first message of the turn. */
  readonly messageIndex: number;
  readonly blocks: readonly PlacedBlock[];
}

/** A string is the same as one text block. Anything that is no list of typed objects gives no blocks. */
export function blocksOf(content: unknown): readonly Block[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isBlock) : [];
}

export function isBlock(value: unknown): value is Block {
  return isObject(value) && typeof value['type'] === 'string';
}

export function messagesOf(body: JsonObject): readonly JsonObject[] {
  const messages = body['messages'];
  return Array.isArray(messages) ? messages.filter(isObject) : [];
}

/** Consecutive messages of one role are one turn: the API merges them before it looks at pairing. */
export function turnsOf(body: JsonObject): readonly Turn[] {
  const turns: { role: string; messageIndex: number; blocks: PlacedBlock[] }[] = [];
  for (const [messageIndex, message] of messagesOf(body).entries()) {
    const role = String(message['role']);
    const blocks = blocksOf(message['content']).map((block, index) => ({
      block,
      path: `messages.${messageIndex}.content.${index}`,
      messageIndex,
    }));
    const last = turns.at(-1);
    if (last !== undefined && last.role === role) last.blocks.push(...blocks);
    else turns.push({ role, messageIndex, blocks });
  }
  return turns;
}

export function isThinking({ block }: Pick<PlacedBlock, 'block'>): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}
