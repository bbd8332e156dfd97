/** `/compact [focus]`: compacts now; the focus is kept above all. */
import { sanitiseLine } from '../text/sanitise.ts';
import type { SlashCommand } from './command.ts';

export const compactCommand: SlashCommand = {
  name: 'compact',
  args: '[focus]',
  about: 'compact now; the focus is kept above all',
  isReadOnly: false,
  async run(focus, { session, signal, working, say, sayCompaction, refresh }) {
    working(focus === '' ? 'compacting' : `compacting, focus: ${sanitiseLine(focus).slice(0, 40)}`);
    const { receipt, isHeldBack } = await session
      .compact({ signal, ...(focus === '' ? {} : { focus }) })
      .finally(() => {
        working(undefined);
      });
    refresh();
    if (receipt !== undefined) return sayCompaction(receipt);
    return isHeldBack ? undefined : say(['There is nothing to compact yet.']);
  },
};
