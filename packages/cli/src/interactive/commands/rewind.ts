/** `/rewind`: goes back to before one of one's own messages, and puts its text back into the editor. */
import { plural } from '../text/numbers.ts';
import { sanitiseLine } from '../text/sanitise.ts';
import type { SlashCommand } from './command.ts';

export const rewindCommand: SlashCommand = {
  name: 'rewind',
  args: '',
  about: 'go back to before one of your messages',
  isReadOnly: false,
  async run(_args, { session, choose, say, draft, refresh, theme }) {
    const past = session.past();
    const own = past.filter(({ speaker, text, results }) => speaker === 'user' && text !== '' && results.length === 0);
    if (own.length === 0) return say(['There is no message of yours to go back to.']);
    const items = own.toReversed().map(({ index, text }) => ({
      value: String(index),
      label: sanitiseLine(text),
      description: `${plural(past.filter((later) => later.index >= index).length, 'message')} taken back`,
    }));
    const chosen = await choose('Go back to before…', items);
    const target = own.find(({ index }) => String(index) === chosen);
    if (target === undefined) return undefined;
    await session.rewind(target.index);
    refresh();
    say([theme.dim('The conversation goes on from before that message; files are as they are now.')]);
    return draft(target.text);
  },
};
