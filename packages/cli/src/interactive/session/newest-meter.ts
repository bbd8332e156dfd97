/** The meter of a session, by its newest receipt. */
import type { Receipt } from '@holdover/engine';
import type { Meter } from './session-port.ts';

export interface NewestMeter {
  take(receipt: Receipt): void;
  /** Undefined before the first call. */
  read(): Meter | undefined;
}

/** The share of the window as billed, the distance to the next compaction by the policy's own estimate. */
export function meterOf({ window, tokens, usage }: Receipt): Meter {
  const { windowTokens, warnTokens, actTokens } = window;
  return {
    usedTokens: usage?.inputTokens ?? tokens.calibrated,
    windowTokens,
    warnTokens,
    actTokens,
    leftTokens: Math.max(0, actTokens - tokens.head - tokens.view),
  };
}

export function createMeter(): NewestMeter {
  let newest: Receipt | undefined;
  return {
    take(receipt) {
      newest = receipt;
    },
    read: () => (newest === undefined ? undefined : meterOf(newest)),
  };
}
