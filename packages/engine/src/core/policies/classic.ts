/**
 * `classic`: the teaching system's triggers, order, constants, strings and boundaries, under Holdover's guarantees. Every turn is an
 * epoch, which is what makes it dear; the receipt shows it.
 */
import { codePointTokens } from '../estimate.ts';
import { budget } from '../layers/budget.ts';
import { micro } from '../layers/micro.ts';
import { snip } from '../layers/snip.ts';
import type { Policy } from '../policy.ts';
import { CLASSIC_WINDOW } from '../window.ts';

/** The default policy: the teaching system's layers, constants and strings, tokens counted as code points / 4. */
export const classic: Policy = {
  name: 'classic',
  window: CLASSIC_WINDOW,
  count: codePointTokens,
  isCalibrated: false,
  // Order of the teaching system: L3, L1, L2.
  layers: [budget(), snip(), micro()],
  summary: {
    titles: { threshold: '[Compacted]', cold: '[Compacted]', manual: '[Compacted]', overflow: '[Reactive compact]' },
    maxOutputTokens: 2_000,
    maxInputChars: 80_000,
    overflowTailMessages: 5,
    minFreedTokens: 1,
  },
};
