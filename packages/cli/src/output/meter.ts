/** The context meter: how full the window is and how far the next compaction. */
import type { Receipt } from '@holdover/engine';

const CELLS = 20;
const number = new Intl.NumberFormat('en-US');

/** One line: a bar, the share of the window as billed, and the distance to the next compaction by the policy's own estimate. */
export function meterLine(receipt: Receipt): string {
  const { windowTokens, actTokens } = receipt.window;
  const used = receipt.usage?.inputTokens ?? receipt.tokens.calibrated;
  const filled = Math.min(CELLS, Math.round((used / windowTokens) * CELLS));
  const bar = '█'.repeat(filled) + '·'.repeat(CELLS - filled);
  const percent = String(Math.round((used / windowTokens) * 100)).padStart(3);
  const left = Math.max(0, actTokens - receipt.tokens.head - receipt.tokens.view);
  return `${bar} ${percent} %  ${number.format(used)} of ${number.format(windowTokens)} tokens, compaction in ${number.format(left)}`;
}
