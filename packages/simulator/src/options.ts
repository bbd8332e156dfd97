/** Options of a simulator, checked once at the door. */

import type { Brain } from './brain.ts';
import { SimulatorError } from './errors.ts';
import type { Fault } from './faults.ts';
import type { CountTokens } from './tokens/count.ts';

export interface SimulatorOptions {
  /** What answers the requests. */
  readonly brain: Brain;
  /**
   * Tokens a prompt may have: one number, or one per model with `*` for every other. 1 and up.
   * @default 200_000
   */
  readonly windowTokens?: number | Readonly<Record<string, number>>;
  /** Time to live of a cache entry whose breakpoint names none. Milliseconds, 1 and up. @default 300_000 */
  readonly cacheTtlMs?: number;
  /** Prompts shorter than this are not cached. Tokens, 0 and up. @default 1024 */
  readonly minimumCacheTokens?: number;
  /** The clock, in milliseconds. @default Date.now */
  readonly now?: () => number;
  /** Failures waiting for their request; more can be added later. @default none */
  readonly faults?: readonly Fault[];
  /** 0 picks a free port. 0–65535. @default 0 */
  readonly port?: number;
  /** Address to listen on; loopback unless `allowRemote`. @default '127.0.0.1' */
  readonly host?: string;
  /** Lets other machines in. @default false */
  readonly allowRemote?: boolean;
  /** Wait before each answer. Milliseconds, 0 and up. @default 0 */
  readonly latencyMs?: number;
  /** Two simulators with one key accept each other's thinking signatures. @default 'holdover' */
  readonly signingKey?: string;
  /** Models that bind thinking to the exact prompt before it, as the newest ones do. @default none */
  readonly bindsThinking?: (model: string) => boolean;
  /**
   * Counts the tokens of one text, before the scaling of the profile. A rough one saves the 0.3 s that loading the
   * vocabulary takes. @default exact o200k counts
   */
  readonly countTokens?: CountTokens;
  /**
   * Stands in every id. Sessions that outlive one simulator need another for each run, since ids of calls have to
   * be unique. Letters, digits and `_`. @default ''
   */
  readonly idTag?: string;
  /** How many request records are kept. 0 and up. @default 1000 */
  readonly keepRequests?: number;
  /** Bytes a request body may have. 1 and up. @default 33_554_432 (32 MB) */
  readonly maxBodyBytes?: number;
}

export type ResolvedOptions = Required<Omit<SimulatorOptions, 'countTokens'>> & Pick<SimulatorOptions, 'countTokens'>;

export const DEFAULT_SIMULATOR: Omit<ResolvedOptions, 'brain'> = {
  windowTokens: 200_000,
  cacheTtlMs: 300_000,
  minimumCacheTokens: 1_024,
  now: () => Date.now(),
  faults: [],
  port: 0,
  host: '127.0.0.1',
  allowRemote: false,
  latencyMs: 0,
  signingKey: 'holdover',
  bindsThinking: () => false,
  idTag: '',
  keepRequests: 1_000,
  maxBodyBytes: 32 * 1024 * 1024,
};

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/;

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/** Throws `SimulatorError` naming the option, its value and what is allowed. */
export function resolveOptions(options: SimulatorOptions): ResolvedOptions {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const resolved = { ...DEFAULT_SIMULATOR, ...given } as ResolvedOptions;
  if (typeof resolved.brain?.reply !== 'function') {
    throw new SimulatorError(
      'invalid_option',
      'brain has no reply function; pass scripted(...), recorded(...) or your own',
    );
  }
  if (resolved.countTokens !== undefined && typeof resolved.countTokens !== 'function') {
    throw new SimulatorError('invalid_option', 'countTokens is no function; pass one from text to a number of tokens');
  }
  checkWindows(resolved.windowTokens);
  checkWhole('cacheTtlMs', resolved.cacheTtlMs, { from: 1 });
  checkWhole('minimumCacheTokens', resolved.minimumCacheTokens, { from: 0 });
  checkWhole('port', resolved.port, { from: 0, to: 65_535 });
  checkWhole('latencyMs', resolved.latencyMs, { from: 0 });
  checkWhole('keepRequests', resolved.keepRequests, { from: 0 });
  checkWhole('maxBodyBytes', resolved.maxBodyBytes, { from: 1 });
  if (!/^\w{0,32}$/.test(resolved.idTag)) {
    throw new SimulatorError('invalid_option', `idTag is "${resolved.idTag}"; use up to 32 letters, digits and _`);
  }
  if (!resolved.allowRemote && !isLoopback(resolved.host)) {
    throw new SimulatorError(
      'invalid_option',
      `host is "${resolved.host}"; use a loopback address, or set allowRemote to let other machines in`,
    );
  }
  return resolved;
}

/** The window of one model. */
export function windowOf({ windowTokens }: Pick<ResolvedOptions, 'windowTokens'>, model: string): number {
  if (typeof windowTokens === 'number') return windowTokens;
  const own = Object.hasOwn(windowTokens, model) ? windowTokens[model] : windowTokens['*'];
  return own ?? (DEFAULT_SIMULATOR.windowTokens as number);
}

function checkWindows(windowTokens: ResolvedOptions['windowTokens']): void {
  if (typeof windowTokens === 'number') return checkWhole('windowTokens', windowTokens, { from: 1 });
  for (const [model, tokens] of Object.entries(windowTokens))
    checkWhole(`windowTokens["${model}"]`, tokens, { from: 1 });
}

function checkWhole(name: string, value: number, { from, to }: { readonly from: number; readonly to?: number }): void {
  if (Number.isSafeInteger(value) && value >= from && value <= (to ?? value)) return;
  const range = to === undefined ? `from ${from}` : `from ${from} to ${to}`;
  throw new SimulatorError('invalid_option', `${name} is ${String(value)}; use a whole number ${range}`);
}
