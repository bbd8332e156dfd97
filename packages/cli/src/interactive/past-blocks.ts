/** A session's earlier messages as blocks, for going on with it. */
import type { Block } from './blocks/block.ts';
import { hintBlock } from './blocks/note-block.ts';
import { replyBlock } from './blocks/reply-block.ts';
import { toolBlock } from './blocks/tool-block.ts';
import { userBlock } from './blocks/user-block.ts';
import type { PastMessage } from './session/session-port.ts';
import { plural } from './text/numbers.ts';
import type { Theme } from './text/theme.ts';

/** Shown at most; what came before is said to be there. */
const MOST_MESSAGES = 40;

export function pastBlocks(past: readonly PastMessage[], theme: Theme): readonly Block[] {
  const shown = past.slice(-MOST_MESSAGES);
  const results = new Map(past.flatMap((message) => message.results.map((result) => [result.callId, result] as const)));
  const blocks = shown.flatMap((message): readonly Block[] => {
    if (message.speaker === 'user') return message.text.trim() === '' ? [] : [userBlock(message.text, theme)];
    const tools = message.calls.map((call) => {
      const block = toolBlock(call, theme);
      const result = results.get(call.id);
      if (result !== undefined) block.end(result);
      return block;
    });
    if (message.text.trim() === '') return tools;
    const reply = replyBlock(theme);
    reply.setText(message.text);
    return [reply, ...tools];
  });
  const more = past.length - shown.length;
  return more === 0 ? blocks : [hintBlock(`… ${plural(more, 'earlier message')}`, theme), ...blocks];
}
