/** pi's cut: the estimate of every message, the check against the window, and the point to cut at. */
import {
  DEFAULT_COMPACTION_SETTINGS,
  estimateTokens,
  findCutPoint,
  type SessionEntry,
  shouldCompact,
} from '@mariozechner/pi-coding-agent';
import type { Case } from '../row.ts';
import type { Message } from '../session.ts';
import { blocksOf, resultsOf, textOf } from './blocks.ts';
import { measurePeer } from './measure.ts';

type PiMessage = Parameters<typeof estimateTokens>[0];

function messagesOf(message: Message): readonly object[] {
  if (message.role === 'user') {
    const results = resultsOf(message);
    if (results.length === 0) return [{ role: 'user', content: textOf(message), timestamp: 0 }];
    return results.map(({ tool_use_id, content }) => ({
      role: 'toolResult',
      toolCallId: tool_use_id,
      toolName: 'tool',
      content: [{ type: 'text', text: content }],
      isError: false,
      timestamp: 0,
    }));
  }
  const content = blocksOf(message).map((block) =>
    block.type === 'tool_use' ? { type: 'toolCall', id: block.id, name: block.name, arguments: block.input } : block,
  );
  return [{ role: 'assistant', content, timestamp: 0 }];
}

const WINDOW_TOKENS = 200_000;

export const run: Case['run'] = async (options) =>
  measurePeer(options, {
    convert: (messages) =>
      messages.flatMap(messagesOf).map((message, index) => {
        const entry = { type: 'message', id: String(index), parentId: String(index - 1), timestamp: '', message };
        return entry as unknown as SessionEntry;
      }),
    call: async (entries) => {
      let tokens = 0;
      for (const entry of entries) if (entry.type === 'message') tokens += estimateTokens(entry.message as PiMessage);
      if (!shouldCompact(tokens, WINDOW_TOKENS, DEFAULT_COMPACTION_SETTINGS)) return undefined;
      return findCutPoint(entries, 0, entries.length, DEFAULT_COMPACTION_SETTINGS.keepRecentTokens);
    },
  });
