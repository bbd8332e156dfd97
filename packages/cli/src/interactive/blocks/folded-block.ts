/** Lines of which the first are shown and the rest folded. */
import { wrap } from '../text/lines.ts';
import type { Theme } from '../text/theme.ts';
import type { Block, Fold } from './block.ts';

const FOLDED_LINES = 20;
const OPEN_LINES = 2_000;

export function foldedBlock(lines: readonly string[], theme: Theme): Block & { readonly fold: Fold } {
  const fold: Fold = { isOpen: false };
  return {
    fold,
    render(columns) {
      const most = fold.isOpen ? OPEN_LINES : FOLDED_LINES;
      const wrapped = lines.slice(0, most).flatMap((line) => wrap(line, columns));
      const more = lines.length - most;
      if (more <= 0) return wrapped;
      return [...wrapped, theme.dim(`… ${more} more lines${fold.isOpen ? '' : ', Ctrl-O shows them'}`)];
    },
  };
}
