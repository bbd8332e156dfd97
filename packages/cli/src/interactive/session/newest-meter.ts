/** The meter of a session: by its newest receipt, and by the context's own breakdown where something moved since. */
import type { Breakdown, Receipt } from '@holdover/engine';
import type { Meter } from './session-port.ts';

export interface SessionMeter {
  take(receipt: Receipt): void;
  /** The view is another one than the newest receipt tells of. */
  moved(): void;
  /** Undefined while nothing was said. */
  read(): Meter | undefined;
}

/** Where warnings begin below the point of compaction: the engine's 20,000 tokens, a tenth of small windows. */
const WARN_TOKENS = 20_000;
const WARN_SHARE = 0.1;

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

function fromBreakdown({ totalTokens, windowTokens, actTokens, untilCompactionTokens }: Breakdown): Meter {
  const warnTokens = Math.max(0, actTokens - Math.min(WARN_TOKENS, windowTokens * WARN_SHARE));
  return { usedTokens: totalTokens, windowTokens, warnTokens, actTokens, leftTokens: untilCompactionTokens };
}

/** `breakdown`: undefined for a session in which nothing was said. */
export function createMeter(breakdown: () => Breakdown | undefined): SessionMeter {
  let newest: Meter | undefined;
  let isKnown = false;
  return {
    take(receipt) {
      newest = meterOf(receipt);
      isKnown = true;
    },
    moved() {
      isKnown = false;
    },
    read() {
      if (isKnown) return newest;
      const now = breakdown();
      newest = now === undefined ? undefined : fromBreakdown(now);
      isKnown = newest !== undefined;
      return newest;
    },
  };
}
