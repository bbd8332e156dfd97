/** `/pin [text]`: a text every context keeps word for word; without one, the list; `/pin remove N` takes one away. */
import { sanitiseLine } from '../text/sanitise.ts';
import type { CommandHost, SlashCommand } from './command.ts';

function list({ session, theme, say }: CommandHost): void {
  const pins = session.pins();
  if (pins.length === 0) return say(['Nothing is pinned. /pin <text> keeps a text in the context word for word.']);
  return say([
    ...pins.map(({ id, text }) => `${theme.cyan(String(id))}  ${sanitiseLine(text)}`),
    theme.dim('/pin remove N takes one away'),
  ]);
}

export const pinCommand: SlashCommand = {
  name: 'pin',
  args: '[text | remove N]',
  about: 'keep a text in view, or list what is kept',
  isReadOnly: false,
  async run(args, host) {
    if (args === '') return list(host);
    const removed = /^remove\s+(\d{1,9})$/.exec(args)?.[1];
    if (removed === undefined) {
      const id = await host.session.pin(args);
      return host.say([`Pinned as ${id}: it stays in the context from your next message on.`]);
    }
    const wasThere = await host.session.unpin(Number(removed));
    return host.say([wasThere ? `Pin ${removed} is gone.` : `There is no pin ${removed}; /pin lists them.`]);
  },
};
