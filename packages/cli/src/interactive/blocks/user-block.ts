/** What the user said. */
import { clip, hang } from '../text/lines.ts';
import { sanitise } from '../text/sanitise.ts';
import type { Theme } from '../text/theme.ts';
import { type Block, fixedBlock } from './block.ts';

/** A pasted file is not shown again whole. */
const MOST_LINES = 12;

export function userBlock(text: string, theme: Theme): Block {
  const clean = sanitise(text).trim();
  return fixedBlock((columns) => {
    const lines = hang(`${theme.cyan('❯')} `, clean, columns);
    const shown = lines.slice(0, MOST_LINES).map((line) => theme.bold(line));
    const more = lines.length - shown.length;
    return [...shown, ...(more > 0 ? [clip(theme.dim(`  … ${more} more lines`), columns)] : [])];
  });
}
