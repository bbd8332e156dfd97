/** Exact o200k counts that cannot hang: long runs are counted in pieces, equal texts once. */

import { hashText } from '../json.ts';

/** Tokens of one text, unscaled. */
export type CountTokens = (text: string) => number;

const RUN_CHARS = 256;
const LONG_RUN = /\S{257,}|\s{257,}/u;
const PIECES = /\S{1,256}|\s{1,256}/gu;
const MEMO_FROM_CHARS = 64;
const MEMO_ENTRIES = 100_000;
const MERGE_CACHE_ENTRIES = 1_000;

let encoder: Promise<CountTokens> | undefined;

/** Loads the vocabulary on first use (about 0.3 s) and shares it between simulators. */
export function loadTokenCounter(): Promise<CountTokens> {
  encoder ??= importEncoder();
  return encoder;
}

async function importEncoder(): Promise<CountTokens> {
  const { countTokens, setMergeCacheSize } = await import('gpt-tokenizer/encoding/o200k_base');
  setMergeCacheSize(MERGE_CACHE_ENTRIES);
  // An empty set: text that spells a special token is content, not an error.
  const encodeOptions = { disallowedSpecial: new Set<string>() };
  return memoised((text) => countTokens(text, encodeOptions));
}

function memoised(count: CountTokens): CountTokens {
  const memo = new Map<string, number>();
  return (text) => {
    if (text.length < MEMO_FROM_CHARS) return count(text);
    const key = hashText(text);
    const known = memo.get(key);
    if (known !== undefined) return known;
    const tokens = countInPieces(text, count);
    if (memo.size >= MEMO_ENTRIES) memo.clear();
    memo.set(key, tokens);
    return tokens;
  };
}

/** Byte-pair merging is quadratic in one run of letters, so runs above 256 characters are cut. */
function countInPieces(text: string, count: CountTokens): number {
  if (text.length <= RUN_CHARS || !LONG_RUN.test(text)) return count(text);
  let tokens = 0;
  let ordinary = '';
  for (const [piece] of text.matchAll(PIECES)) {
    ordinary += piece;
    if (piece.length < RUN_CHARS) continue;
    tokens += count(ordinary);
    ordinary = '';
  }
  return tokens + count(ordinary);
}
