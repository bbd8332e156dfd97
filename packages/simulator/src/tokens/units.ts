/** A prompt as a row of units: what is counted, matched against the cache and bound to by signatures. */

import { hashText } from '../json.ts';

/** Tokens of an image, or of a document that is not plain text. */
export const MEDIA_TOKENS = 1_500;

/** One tool, one system block or one content block. */
export interface PromptUnit {
  /** The canonical text: two units with the same text are the same to the cache. */
  readonly text: string;
  readonly tokens: number;
  /** Present where the client set a cache breakpoint. */
  readonly breakpointTtlMs?: number;
}

/** A unit with everything before it. */
export interface ChainedUnit {
  /** Hash of the whole prefix up to and including this unit. */
  readonly prefixHash: string;
  /** Tokens of the whole prefix up to and including this unit. */
  readonly prefixTokens: number;
  readonly breakpointTtlMs?: number;
}

/** `root` names what else the cache depends on, such as the model. */
export function chainUnits(root: string, units: readonly PromptUnit[]): readonly ChainedUnit[] {
  let prefixHash = hashText(root);
  let prefixTokens = 0;
  return units.map((unit) => {
    prefixHash = hashText(prefixHash, unit.text);
    prefixTokens += unit.tokens;
    return unit.breakpointTtlMs === undefined
      ? { prefixHash, prefixTokens }
      : { prefixHash, prefixTokens, breakpointTtlMs: unit.breakpointTtlMs };
  });
}

export function totalTokens(units: readonly PromptUnit[]): number {
  return units.reduce((sum, unit) => sum + unit.tokens, 0);
}
