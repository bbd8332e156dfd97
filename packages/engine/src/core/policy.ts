/** A policy: free layers in their order, the summary's rule, the window's arithmetic. Data; the engine asks it nothing else. */
import type { Layer } from './layers/layer.ts';
import type { SummaryRule } from './layers/summary.ts';
import type { Rhythm } from './schedule/rhythm.ts';
import type { Count } from './view.ts';
import type { Window, WindowRule } from './window.ts';
import { scaled } from './window.ts';

/** When what is done: layers, summary and window as data. Constants are for a 200,000-token window unless they say otherwise. */
export interface Policy {
  /** In receipts. */
  readonly name: string;
  /** Reserve and buffers of the thresholds. */
  readonly window: WindowRule;
  /** Overrides the context's counter for the sizes triggers compare. */
  readonly count?: Count;
  /** Whether the threshold compares the calibrated estimate or the bare one. */
  readonly isCalibrated: boolean;
  /** The free layers, in the order they are asked. */
  readonly layers: readonly Layer[];
  /** Strings and limits of summaries. */
  readonly summary: SummaryRule;
  /** When an epoch is due by what the cache charges. @default every turn may be one */
  readonly rhythm?: Rhythm;
}

/** Every constant of `policy` as it holds in `window`, by layer. */
export function constantsOf(
  policy: Policy,
  window: Window,
): Readonly<Record<string, Readonly<Record<string, number>>>> {
  const layers = policy.layers.map((layer) => [layer.name, layer.constants(window)] as const);
  const { summary } = policy;
  return {
    ...Object.fromEntries(layers),
    summary: {
      maxOutputTokens: scaled(summary.maxOutputTokens, window.windowTokens),
      maxInputChars: scaled(summary.maxInputChars, window.windowTokens),
      overflowTailMessages: summary.overflowTailMessages,
      minFreedTokens: scaled(summary.minFreedTokens, window.windowTokens),
    },
    window: {
      windowTokens: window.windowTokens,
      effectiveTokens: window.effectiveTokens,
      warnTokens: window.warnTokens,
      actTokens: window.actTokens,
      blockTokens: window.blockTokens,
    },
  };
}
