/** `/redo`: brings back what the newest `/undo` took. */
import { short } from '../text/numbers.ts';
import type { SlashCommand } from './command.ts';
import { placesOf } from './undo.ts';

export const redoCommand: SlashCommand = {
  name: 'redo',
  args: '',
  about: 'bring back what /undo took',
  isReadOnly: false,
  async run(_args, { session, say, theme, refresh }) {
    const redone = await session.redo();
    refresh();
    if (redone === undefined)
      return say(['There is nothing to bring back: nothing was undone, or something was compacted since.']);
    const { tokensBefore, tokensAfter } = redone;
    const sizes = `${short(tokensBefore)} → ${short(tokensAfter)} tokens`;
    return say([
      `${theme.magenta('◆')} the compaction is in force again · out of the context: ${placesOf(redone)}, ${sizes} · /undo`,
    ]);
  },
};
