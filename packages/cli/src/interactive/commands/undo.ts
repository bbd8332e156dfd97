/** `/undo`: takes the newest compaction back. */
import type { SlashCommand } from './command.ts';

export const undoCommand: SlashCommand = {
  name: 'undo',
  args: '',
  about: 'take the newest compaction back',
  isReadOnly: false,
  async run(_args, { session, say, theme, refresh }) {
    const wasUndone = await session.undo();
    refresh();
    if (!wasUndone) return say(['There is no compaction to take back.']);
    return say([`${theme.magenta('◆')} the newest compaction was taken back; the original is in the context again`]);
  },
};
