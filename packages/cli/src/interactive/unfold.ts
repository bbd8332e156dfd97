/** Ctrl-O: opens the newest results in place where they are on the screen, below everything where they have scrolled off. */
import { type Block, fixedBlock } from './blocks/block.ts';
import type { Frame } from './screen/frame.ts';

/** More at once would be a wall of text. */
const MOST_AT_ONCE = 5;
/** Lines of the screen that are not the transcript's: prompt, status and some room. */
const FOOTER_LINES = 6;

/** The same block, unfolded, as it was when it was asked for. */
function openCopy(block: Block): Block {
  return fixedBlock((columns) => {
    if (block.fold === undefined) return block.render(columns);
    block.fold.isOpen = true;
    const lines = block.render(columns);
    block.fold.isOpen = false;
    return lines;
  });
}

/** False where nothing is folded. */
export function toggleFolds(frame: Frame): boolean {
  const folds = frame.folds();
  const [newest] = folds;
  if (newest === undefined) return false;
  const open = folds.filter(({ block }) => block.fold?.isOpen === true);
  const onScreen = folds.filter(({ linesBelow }) => linesBelow <= frame.rows - FOOTER_LINES).slice(0, MOST_AT_ONCE);
  if (open.length === 0 && onScreen.length === 0) {
    frame.add(openCopy(newest.block));
    return true;
  }
  for (const { block } of open.length > 0 ? open : onScreen) {
    if (block.fold === undefined) continue;
    block.fold.isOpen = open.length === 0;
    frame.changed(block);
  }
  return true;
}
