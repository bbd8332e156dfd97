/** What stands in for a summary a model would write: nothing is generated in a replay, so all such policies get the same. */
import { identifiersIn } from '../dependencies/find.ts';
import { stringsIn } from '../prompt/blocks.ts';
import type { Message } from '../session/recorded.ts';
import type { Setup } from './contestant.ts';

/** The ranking halves the weight of a mention with every so many messages behind it. */
const HALF_LIFE_MESSAGES = 50;

function textsOf(message: Message): readonly string[] {
  return message.content.flatMap((block) => stringsIn(block['text'] ?? block['input'] ?? block['content']));
}

/** The names in some messages, those mentioned often and late first, as many as `tokens` hold: a generous summary, since none of them is wrong. */
export function standInSummary(messages: readonly Message[], tokens: number, { count }: Setup): string {
  const weights = new Map<string, number>();
  messages.forEach((message, index) => {
    const weight = 2 ** ((index - messages.length) / HALF_LIFE_MESSAGES);
    for (const name of textsOf(message).flatMap(identifiersIn)) weights.set(name, (weights.get(name) ?? 0) + weight);
  });
  const names = [...weights].sort(([, a], [, b]) => b - a).map(([name]) => name);
  let used = 0;
  const fitting = names.slice(0, names.findIndex((name) => (used += count(name) + 1) > tokens) >>> 0);
  return `Summary of the conversation so far.\n${fitting.join('\n')}`;
}
