/** Policies by name. */
import { classic, CLAUDE_CODE_WINDOW, economicPolicy, type Policy } from '@holdover/engine';
import { LabError } from '../errors.ts';
import type { Contestant } from './contestant.ts';
import { enginePolicy } from './engine.ts';
import { claudeCode, clearInBatches, compactAt, digestAt, maskEveryTurn } from './reference.ts';

/** The largest window the engine takes. */
const NO_LIMIT_TOKENS = 2_000_000;

/** Nothing ever leaves: what everything is compared with, though no real window may hold it. */
const APPEND_ONLY: Policy = {
  name: 'append-only',
  window: CLAUDE_CODE_WINDOW,
  isCalibrated: true,
  layers: [],
  summary: { ...classic.summary },
};

const BY_NAME: Readonly<Record<string, () => Contestant>> = {
  'append-only': () => enginePolicy(APPEND_ONLY, { windowTokens: NO_LIMIT_TOKENS }),
  classic: () => enginePolicy(classic),
  economic: () => enginePolicy(economicPolicy()),
  'economic:frugal': () => enginePolicy(economicPolicy({ point: 'frugal' })),
  'economic:generous': () => enginePolicy(economicPolicy({ point: 'generous' })),
  'claude-code': claudeCode,
  'batch-clear': () => clearInBatches('batch-clear', { triggerTokens: 100_000, keep: 3, atLeastTokens: 20_000 }),
  'mask-10': () => maskEveryTurn(10),
  'mask-20': () => maskEveryTurn(20),
  'compact-168k': () => compactAt('compact-168k', { triggerTokens: 168_000, tailTokens: 20_000 }),
};

/** `digest-40k` and the like. */
const DIGEST = /^digest-(\d{1,4})k$/;

export const POLICY_NAMES: readonly string[] = [...Object.keys(BY_NAME), 'digest-<thousands>k'];

/** Throws `unknown_policy`. */
export function policyOf(name: string): Contestant {
  const thousands = Number(DIGEST.exec(name)?.[1] ?? 0);
  if (thousands >= 4) return digestAt(1_000 * thousands);
  const make = Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined;
  if (make === undefined)
    throw new LabError(
      'unknown_policy',
      `there is no policy ${JSON.stringify(name)}; there are ${POLICY_NAMES.join(', ')}`,
    );
  return make();
}
