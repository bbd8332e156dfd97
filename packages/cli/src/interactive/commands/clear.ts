/** `/clear`: a new session; the old one is kept. */
import type { SlashCommand } from './command.ts';

export const clearCommand: SlashCommand = {
  name: 'clear',
  args: '',
  about: 'start a new session; this one is kept',
  isReadOnly: false,
  async run(_args, { session, switchTo, say, theme }) {
    const before = session.sessionId;
    await switchTo({ kind: 'new' });
    say([theme.dim(`A new session. /resume ${before} goes back.`)]);
  },
};
