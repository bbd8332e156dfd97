/** `/recall <address|text>`: the exact original at an address, or what left the context and contains a text. */
import { sanitise, sanitiseLine } from '../text/sanitise.ts';
import { plural } from '../text/numbers.ts';
import type { CommandHost, SlashCommand } from './command.ts';

/** As the engine writes addresses: of content, of a range of the history, of one part. */
const ADDRESS = /^(?:c_[0-9a-f]{16}|h_\d+(?:-\d+|\.\d+)_[0-9a-f]{16})$/;

function search(query: string, { session, theme, say }: CommandHost): void {
  const recalled = session.search(query);
  if (recalled.kind !== 'hits') return;
  const { hits, omitted } = recalled;
  if (hits.length === 0) return say([`Nothing outside the context contains ${JSON.stringify(sanitiseLine(query))}.`]);
  const lines = hits.flatMap(({ address, what, excerpt }) => [
    `${theme.cyan(address)}  ${theme.dim(sanitiseLine(what))}`,
    ...sanitise(excerpt)
      .split('\n')
      .map((line) => `  ${line}`),
  ]);
  return say([
    ...lines,
    ...(omitted === 0 ? [] : [theme.dim(`${plural(omitted, 'more hit')}; a longer text finds fewer`)]),
  ]);
}

export const recallCommand: SlashCommand = {
  name: 'recall',
  args: '<address or text>',
  about: 'get back what left the context',
  isReadOnly: true,
  async run(args, host) {
    if (args === '')
      return host.say(['Give an address from a marker, or a text to look for: /recall c_0123456789abcdef']);
    if (!ADDRESS.test(args)) return search(args, host);
    const recalled = await host.session.recall(args);
    if (recalled.kind !== 'content') return undefined;
    const { text } = recalled;
    const title = `${host.theme.cyan(args)}  ${host.theme.dim(`${plural(text.length, 'character')}, exactly as it was`)}`;
    return host.sayFolded([title, ...sanitise(text).split('\n')]);
  },
};
