/** The AI SDK's `pruneMessages`: reasoning and calls before the last messages go. */
import { type ModelMessage, pruneMessages } from 'ai';
import type { Case } from '../row.ts';
import type { Message } from '../session.ts';
import { callsOf, resultsOf, textOf } from './blocks.ts';
import { measurePeer } from './measure.ts';

function converted(message: Message): ModelMessage {
  if (message.role === 'user') {
    const results = resultsOf(message);
    if (results.length === 0) return { role: 'user', content: textOf(message) };
    return {
      role: 'tool',
      content: results.map(({ tool_use_id, content }) => ({
        type: 'tool-result',
        toolCallId: tool_use_id,
        toolName: 'tool',
        output: { type: 'text', value: content },
      })),
    };
  }
  const calls = callsOf(message).map(({ id, name, input }) => ({
    type: 'tool-call' as const,
    toolCallId: id,
    toolName: name,
    input,
  }));
  const text = textOf(message);
  return { role: 'assistant', content: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...calls] };
}

export const run: Case['run'] = async (options) =>
  measurePeer(options, {
    convert: (messages) => messages.map(converted),
    call: async (messages) =>
      pruneMessages({
        messages,
        reasoning: 'before-last-message',
        toolCalls: 'before-last-6-messages',
        emptyMessages: 'remove',
      }),
  });
