/** `/diff [epoch]`: what a compaction took out of the context and what stands there now. */
import { type ChangeTexts, type EpochDiff, redactSecrets } from '@holdover/engine';
import { diffLines } from '../blocks/diff.ts';
import { plural, short } from '../text/numbers.ts';
import { sanitiseLine } from '../text/sanitise.ts';
import type { Theme } from '../text/theme.ts';
import type { SlashCommand } from './command.ts';

/** Lines of either side of one replacement. */
const SIDE_LINES = 12;

interface Shown {
  readonly columns: number;
  readonly theme: Theme;
}

/** Everything is shown without being asked for by its address: secrets are not. */
function safe(text: string): string {
  return redactSecrets(text).text;
}

function changeLines(change: ChangeTexts, { columns, theme }: Shown): readonly string[] {
  const { layer, what, tokensBefore, tokensAfter, addresses, before, beforeChars, after } = change;
  const more = beforeChars - before.length;
  const cut = more === 0 ? '' : `\n… ${plural(more, 'more character')}`;
  const title = `${layer}  ${sanitiseLine(safe(what))}  ${short(tokensBefore)} → ${short(tokensAfter)}`;
  return [
    `${theme.bold(title)}  ${addresses.map((address) => theme.cyan(address)).join(' ')}`,
    ...diffLines(safe(before) + cut, safe(after), { columns, theme, mostLines: SIDE_LINES }),
  ];
}

export function epochLines(diff: EpochDiff, shown: Shown): readonly string[] {
  const { epochId, cause, isInForce, tokensBefore, tokensAfter, changes } = diff;
  const state = isInForce ? '' : ' · taken back';
  return [
    `${shown.theme.magenta('◆')} epoch ${epochId}, ${cause}: ${short(tokensBefore)} → ${short(tokensAfter)} tokens${state}`,
    ...changes.flatMap((change) => changeLines(change, shown)),
    shown.theme.dim('/recall <address> gives the original; /undo takes the newest compaction back'),
  ];
}

export const diffCommand: SlashCommand = {
  name: 'diff',
  args: '[epoch]',
  about: 'what the newest compaction changed, or that of a number',
  isReadOnly: true,
  async run(args, { session, say, sayFolded, columns, theme }) {
    if (args !== '' && !/^\d{1,9}$/.test(args))
      return say(['Give the number of an epoch, or nothing for the newest: /diff 3']);
    const diff = session.diff(args === '' ? undefined : Number(args));
    if (diff !== undefined) return sayFolded(epochLines(diff, { columns, theme }));
    return say([args === '' ? 'Nothing was compacted yet.' : `There is no compaction with the number ${args}.`]);
  },
};
