/** The arithmetic of one model's window: what fits, where to warn, where to act, where to stop. */

import { ContextError } from './errors.ts';

/** The absolute constants of a policy, set for a window of 200,000 tokens or more. */
export interface WindowRule {
  /** Most tokens set aside for the reply; `Infinity` sets aside the model's whole maximum. Tokens, >= 1. */
  readonly outputReserveTokens: number;
  /** Compaction is due this far below the effective window. Tokens, >= 1. */
  readonly actBufferTokens: number;
  /** The user is warned this far below the point where compaction is due. Tokens, >= 1. */
  readonly warnBufferTokens: number;
  /** Requests stop this far below the effective window. Tokens, >= 1, less than `actBufferTokens`. */
  readonly blockBufferTokens: number;
}

/** Thresholds Claude Code was observed to use in 2026: 180,000 effective, 167,000 act, 147,000 warn, 177,000 block. */
export const CLAUDE_CODE_WINDOW: WindowRule = {
  outputReserveTokens: 20_000,
  actBufferTokens: 13_000,
  warnBufferTokens: 20_000,
  blockBufferTokens: 3_000,
};

/** The plain rule: compaction is due at window - maximum output - 13,000. */
export const CLASSIC_WINDOW: WindowRule = { ...CLAUDE_CODE_WINDOW, outputReserveTokens: Infinity };

/** Thresholds of one model under one rule. 0 < warn < act < block < effective <= window, all whole tokens. */
export interface Window {
  /** Everything a request and its reply may use together. */
  readonly windowTokens: number;
  /** What is left for the request once the reply has its reserve. */
  readonly effectiveTokens: number;
  readonly warnTokens: number;
  readonly actTokens: number;
  readonly blockTokens: number;
  /** What the rule's constants were multiplied by: 1 from 200,000 tokens up, window / 200,000 below. */
  readonly scale: number;
}

/** Constants hold from this window up and shrink in proportion below it. */
const FULL_SCALE_TOKENS = 200_000;

export const MIN_WINDOW_TOKENS = 4_000;
const MAX_WINDOW_TOKENS = 2_000_000;

/** The smallest act buffer that is still 2 tokens on the smallest window, so that block fits between act and effective. */
const MIN_BUFFER_TOKENS = (2 * FULL_SCALE_TOKENS) / MIN_WINDOW_TOKENS;

/** On a window below full scale the reply may take at most this share, or nothing would be left to work in. */
const MAX_SMALL_RESERVE_RATIO = 1 / 4;

/**
 * The thresholds of a model under a rule.
 *
 * On windows below 200,000 tokens every constant of the rule shrinks in proportion and the output reserve is at most
 * a quarter of the window. At every size the reserve leaves room for the buffers below it, so a model that may reply
 * with its whole window still gets thresholds in order.
 *
 * @throws ContextError INVALID_OPTION when the window is not 4,000 to 2,000,000 whole tokens, the maximum output is
 * not a whole number from 1, or a constant of the rule is out of range; the message names the value.
 */
export function windowOf(model: { windowTokens: number; maxOutputTokens: number }, rule: WindowRule): Window {
  const { windowTokens, maxOutputTokens } = model;
  requireInteger('windowTokens', windowTokens, [MIN_WINDOW_TOKENS, MAX_WINDOW_TOKENS]);
  requireInteger('maxOutputTokens', maxOutputTokens, [1, Number.MAX_SAFE_INTEGER]);
  requireRule(rule);
  const actBuffer = scaled(rule.actBufferTokens, windowTokens);
  const warnBuffer = scaled(rule.warnBufferTokens, windowTokens);
  const blockBuffer = Math.min(scaled(rule.blockBufferTokens, windowTokens), actBuffer - 1);
  const room = windowTokens - actBuffer - warnBuffer - 1;
  const effectiveTokens = windowTokens - Math.min(reserveTokens(model, rule), room);
  const actTokens = effectiveTokens - actBuffer;
  return {
    windowTokens,
    effectiveTokens,
    warnTokens: actTokens - warnBuffer,
    actTokens,
    blockTokens: effectiveTokens - blockBuffer,
    scale: scaleOf(windowTokens),
  };
}

/** A policy's constant on a window of `windowTokens`: unchanged from 200,000 up, in proportion below, at least 1. */
export function scaled(value: number, windowTokens: number): number {
  // Multiplied before it is divided, so that round constants give exact results.
  return windowTokens >= FULL_SCALE_TOKENS
    ? Math.max(1, Math.round(value))
    : Math.max(1, Math.round((value * windowTokens) / FULL_SCALE_TOKENS));
}

function scaleOf(windowTokens: number): number {
  return Math.min(1, windowTokens / FULL_SCALE_TOKENS);
}

function reserveTokens(model: { windowTokens: number; maxOutputTokens: number }, rule: WindowRule): number {
  const { windowTokens, maxOutputTokens } = model;
  const cap = Number.isFinite(rule.outputReserveTokens) ? scaled(rule.outputReserveTokens, windowTokens) : Infinity;
  const share = windowTokens < FULL_SCALE_TOKENS ? Math.floor(windowTokens * MAX_SMALL_RESERVE_RATIO) : Infinity;
  return Math.min(maxOutputTokens, cap, share);
}

function requireRule(rule: WindowRule): void {
  if (rule.outputReserveTokens !== Infinity) {
    requireInteger('outputReserveTokens', rule.outputReserveTokens, [1, MAX_WINDOW_TOKENS]);
  }
  // Both buffers together must leave room on a full-scale window; in proportion they then do so on every smaller one.
  const largest = FULL_SCALE_TOKENS / 4;
  requireInteger('actBufferTokens', rule.actBufferTokens, [MIN_BUFFER_TOKENS, largest]);
  requireInteger('warnBufferTokens', rule.warnBufferTokens, [1, largest]);
  requireInteger('blockBufferTokens', rule.blockBufferTokens, [1, rule.actBufferTokens - 1]);
}

function requireInteger(name: string, value: number, range: readonly [low: number, high: number]): void {
  const [low, high] = range;
  if (Number.isInteger(value) && value >= low && value <= high) return;
  throw new ContextError(
    'INVALID_OPTION',
    `${name} must be a whole number from ${low} to ${high}, got ${String(value)}`,
  );
}
