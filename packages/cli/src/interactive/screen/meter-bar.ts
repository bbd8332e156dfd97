/** The context meter: how full the window is, and how far the next compaction. */
import type { Meter } from '../session/session-port.ts';
import { short } from '../text/numbers.ts';
import type { Paint, Theme } from '../text/theme.ts';

function paintFor({ usedTokens, warnTokens, actTokens }: Meter, theme: Theme): Paint {
  if (usedTokens >= actTokens) return theme.red;
  return usedTokens >= warnTokens ? theme.yellow : theme.green;
}

/** `cells` of the window; at least one is filled as soon as anything is used. */
export function meterBar(meter: Meter, cells: number, theme: Theme): string {
  const share = meter.usedTokens / meter.windowTokens;
  const filled = meter.usedTokens === 0 ? 0 : Math.min(cells, Math.max(1, Math.round(share * cells)));
  return paintFor(meter, theme)('━'.repeat(filled)) + theme.dim('┄'.repeat(cells - filled));
}

export function percentUsed({ usedTokens, windowTokens }: Meter): string {
  return `${Math.round((usedTokens / windowTokens) * 100)}%`;
}

export function distance({ leftTokens }: Meter): string {
  return leftTokens === 0 ? 'compaction next' : `compaction in ${short(leftTokens)}`;
}
