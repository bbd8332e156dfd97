/** Adds up what a session cost, call by call, from its receipts. */
import type { Receipt, Usage } from '@holdover/engine';
import type { CostReport, Meter } from './session-port.ts';

export interface Tally {
  add(receipt: Receipt): void;
  cost(): CostReport;
  /** By the newest receipt; undefined before the first call. */
  meter(): Meter | undefined;
}

const NOTHING: Usage = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };

function plus(sum: Usage, more: Usage): Usage {
  return {
    inputTokens: sum.inputTokens + more.inputTokens,
    cacheReadTokens: sum.cacheReadTokens + more.cacheReadTokens,
    cacheWriteTokens: sum.cacheWriteTokens + more.cacheWriteTokens,
    outputTokens: sum.outputTokens + more.outputTokens,
  };
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

export function createTally(): Tally {
  let calls = 0;
  let usage = NOTHING;
  let appendOnlyTokens = 0;
  let newest: Receipt | undefined;
  return {
    add(receipt) {
      calls += 1;
      usage = plus(usage, receipt.usage ?? NOTHING);
      appendOnlyTokens += receipt.tokens.head + receipt.tokens.appendOnly;
      newest = receipt;
    },
    cost: () => ({ calls, usage, appendOnlyTokens, isAssumed: false }),
    meter: () => (newest === undefined ? undefined : meterOf(newest)),
  };
}
