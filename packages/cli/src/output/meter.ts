/** The context meter: how full the window is and where the next compaction is. */
import type { Receipt } from '@holdover/engine';

const CELLS = 24;

/** One line: a bar, the share, and the distance to the next compaction. */
export function meterLine(receipt: Receipt): string {
  const { windowTokens, actTokens } = receipt.window;
  const used = receipt.usage?.inputTokens ?? receipt.tokens.calibrated;
  const filled = Math.min(CELLS, Math.round((used / windowTokens) * CELLS));
  const mark = Math.min(CELLS - 1, Math.floor((actTokens / windowTokens) * CELLS));
  const rest = Array.from({ length: CELLS - filled }, (_, i) => (filled + i === mark ? '|' : '·'));
  const cells = '█'.repeat(filled) + rest.join('');
  const percent = Math.round((used / windowTokens) * 100);
  return `${cells} ${String(percent).padStart(3)} % of ${windowTokens}, ${used} tokens, compaction at ${actTokens}`;
}
