/** `/redo`: brings back what the newest `/undo` took. */
import type { SlashCommand } from './command.ts';

export const redoCommand: SlashCommand = {
  name: 'redo',
  args: '',
  about: 'bring back what /undo took',
  isReadOnly: false,
  async run(_args, { session, say, theme, refresh }) {
    const isBack = await session.redo();
    refresh();
    if (!isBack) return say(['There is nothing to bring back: nothing was undone, or something was compacted since.']);
    return say([`${theme.magenta('◆')} the compaction is in force again; /undo takes it back`]);
  },
};
