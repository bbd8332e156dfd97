/** `/compact [focus]`: compacts now; the focus is kept above all. `/compact --preview [focus]` says what that would do. */
import { sanitiseLine } from '../text/sanitise.ts';
import type { CommandHost, SlashCommand } from './command.ts';
import { inputUsdOf, previewLines } from './preview.ts';

const PREVIEW = /^--preview(?:\s+|$)/;

async function preview(focus: string, { session, signal, columns, theme, sayFolded }: CommandHost): Promise<void> {
  const forecast = await session.preview({ signal, ...(focus === '' ? {} : { focus }) });
  sayFolded(previewLines(forecast, { columns, theme, inputUsd: inputUsdOf(forecast.model) }));
}

export const compactCommand: SlashCommand = {
  name: 'compact',
  args: '[--preview] [focus]',
  about: 'compact now; the focus is kept above all; --preview only says what that would do',
  isReadOnly: false,
  async run(args, host) {
    if (PREVIEW.test(args)) return preview(args.replace(PREVIEW, ''), host);
    const focus = args;
    const { session, signal, working, say, sayCompaction, refresh } = host;
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
