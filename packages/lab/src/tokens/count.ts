/** One counter for all policies: o200k, in pieces, so that no text can hang it. */
import { guardedCounter } from '@holdover/engine';
import { countTokens, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base';

const MERGE_CACHE_ENTRIES = 1_000;

/** Tokens of a text, unscaled. */
export type CountTokens = (text: string) => number;

export function createCounter(): CountTokens {
  setMergeCacheSize(MERGE_CACHE_ENTRIES);
  // An empty set: text that spells a special token is content, not an error.
  const encodeOptions = { disallowedSpecial: new Set<string>() };
  return guardedCounter((text) => countTokens(text, encodeOptions));
}
