/** `/cost`: what the session was billed, and what it would have been without compaction. */
import type { CostReport } from '@holdover/agent';
import { padEnd, padStart } from '../text/lines.ts';
import { dollars, exact } from '../text/numbers.ts';
import type { Theme } from '../text/theme.ts';
import type { SlashCommand } from './command.ts';

export function costLines({ calls, usage, usd, appendOnlyTokens }: CostReport, theme: Theme): readonly string[] {
  const rows: readonly (readonly [string, string])[] = [
    ['model calls', exact(calls)],
    ['input tokens', exact(usage.inputTokens)],
    ['  read from the cache', exact(usage.cacheReadTokens)],
    ['  written to the cache', exact(usage.cacheWriteTokens)],
    ['output tokens', exact(usage.outputTokens)],
    ['input without compaction', exact(appendOnlyTokens)],
    ...(usd === undefined ? [] : [['price', dollars(usd)] as const]),
  ];
  const name = Math.max(...rows.map(([label]) => label.length));
  const value = Math.max(...rows.map(([, text]) => text.length));
  return [
    theme.bold('Cost of this session'),
    ...rows.map(([label, text]) => `${padEnd(label, name)}  ${padStart(text, value)}`),
    ...(usd === undefined ? [theme.dim('The price of this model is not known.')] : []),
  ];
}

export const costCommand: SlashCommand = {
  name: 'cost',
  args: '',
  about: 'what this session was billed',
  isReadOnly: true,
  async run(_args, { session, say, theme }) {
    say(costLines(session.cost(), theme));
  },
};
