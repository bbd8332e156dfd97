/** `/model [id]`: the model the next messages go to. */
import { sanitiseLine } from '../text/sanitise.ts';
import type { SlashCommand } from './command.ts';

export const modelCommand: SlashCommand = {
  name: 'model',
  args: '[id]',
  about: 'see or change the model',
  isReadOnly: false,
  async run(args, { session, sessions, choose, say, refresh }) {
    const others = session.models().filter((id) => id !== session.model);
    if (args === '') say([`${sanitiseLine(session.model)} · ${sanitiseLine(sessions.about)}`]);
    if (args === '' && others.length === 0) return undefined;
    const items = others.map((id) => ({ value: id, label: id }));
    const id = args === '' ? await choose('Go on with', items) : args;
    if (id === undefined || id === session.model) return undefined;
    await session.setModel(id);
    refresh();
    return say([`The next message goes to ${sanitiseLine(id)}.`]);
  },
};
