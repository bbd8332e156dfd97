/** LangChain: `trimMessages` with its own approximate counter, and `ClearToolUsesEdit`, as its middleware calls it. */
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage, trimMessages } from '@langchain/core/messages';
import { ClearToolUsesEdit, countTokensApproximately } from 'langchain';
import type { BaseLanguageModel } from '@langchain/core/language_models/base';
import type { Case } from '../row.ts';
import type { Message } from '../session.ts';
import { blocksOf, callsOf, resultsOf, textOf } from './blocks.ts';
import { measurePeer } from './measure.ts';

function converted(message: Message): readonly BaseMessage[] {
  const text = textOf(message);
  if (message.role === 'user') {
    const results = resultsOf(message).map(
      ({ tool_use_id, content }) => new ToolMessage({ content, tool_call_id: tool_use_id }),
    );
    return results.length === blocksOf(message).length && results.length > 0 ? results : [new HumanMessage(text)];
  }
  const tool_calls = callsOf(message).map(({ id, name, input }) => ({ id, name, args: { ...input } }));
  return [new AIMessage({ content: text, tool_calls })];
}

/** What trimMessages keeps, tokens. */
const TRIM_TOKENS = 40_000;

const CALLS = {
  trimMessages: async (messages: BaseMessage[]) =>
    trimMessages(messages, {
      maxTokens: TRIM_TOKENS,
      tokenCounter: (list) => countTokensApproximately(list),
      strategy: 'last',
      startOn: 'human',
    }),
  ClearToolUsesEdit: async (messages: BaseMessage[]) =>
    new ClearToolUsesEdit().apply({
      // It edits the array in place: the middleware hands it a copy.
      messages: [...messages],
      model: {} as BaseLanguageModel,
      countTokens: (list) => countTokensApproximately(list),
    }),
} as const;

function isKnown(name: string): name is keyof typeof CALLS {
  return Object.hasOwn(CALLS, name);
}

export const run: Case['run'] = async (options) => {
  const name = options.subject.replace('LangChain ', '');
  if (!isKnown(name)) throw new RangeError(`no call ${name}`);
  return measurePeer(options, { convert: (messages) => messages.flatMap(converted), call: CALLS[name] });
};
