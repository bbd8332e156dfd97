/** What fills the window, by the engine's own count. */
import type { Provider } from '@holdover/agent';
import type { Context, ViewEntry } from '@holdover/engine';
import type { Breakdown, BreakdownCategory } from './session-port.ts';

const HEAD = 'system prompt and tools';
const NAMES = [HEAD, 'your messages', 'replies', 'tool calls', 'tool results', 'summaries and markers'] as const;

type Name = (typeof NAMES)[number];

/** What most of a message is made of gives the whole message its category: the engine counts messages. */
function nameOf(entry: ViewEntry, messages: readonly object[], provider: Provider): Name {
  const message = messages[entry.from];
  if (entry.range !== undefined || message === undefined) return 'summaries and markers';
  const { origin, parts } = provider.codec.decode(message);
  if (parts.some(({ kind }) => kind === 'result')) return 'tool results';
  if (origin !== 'model') return 'your messages';
  return parts.some(({ kind }) => kind === 'call') ? 'tool calls' : 'replies';
}

/** Undefined before the first request, when neither head nor window are known. */
export function breakdownOf(context: Context<object, object>, provider: Provider): Breakdown | undefined {
  const gauge = context.gauge();
  if (gauge === undefined) return undefined;
  const view = context.view();
  const messages = context.history();
  const sums = new Map<Name, number>(NAMES.map((name) => [name, 0]));
  for (const entry of view.entries) {
    const name = nameOf(entry, messages, provider);
    sums.set(name, (sums.get(name) ?? 0) + entry.tokens);
  }
  // The gauge is calibrated and the view is not: the head takes the difference, and never less than nothing.
  const totalTokens = Math.max(gauge.tokens, view.tokens);
  sums.set(HEAD, totalTokens - view.tokens);
  const { windowTokens, effectiveTokens, actTokens } = gauge.window;
  const categories: readonly BreakdownCategory[] = NAMES.flatMap((name) => {
    const tokens = sums.get(name) ?? 0;
    return tokens === 0 ? [] : [{ name, tokens }];
  });
  const reservedOutputTokens = windowTokens - effectiveTokens;
  const freeTokens = Math.max(0, effectiveTokens - totalTokens);
  return { totalTokens, windowTokens, actTokens, reservedOutputTokens, freeTokens, categories };
}
