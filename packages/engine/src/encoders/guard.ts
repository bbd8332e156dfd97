/**
 * A guard around an exact token counter. Byte-pair encoders are quadratic in the length of one uncut piece and throw
 * on texts that spell a special token; tool results contain both.
 */

import { estimateTokens } from '../core/estimate.ts';

export interface GuardOptions {
  /** Texts of at least this many chars have their count remembered. Whole number, >= 1. @default 1024 */
  readonly memoMinChars?: number;
  /** Chars of remembered texts kept, the least recently used dropped first. 0 remembers none. @default 4_000_000 */
  readonly memoMaxChars?: number;
  /** Called each time the counter failed and the estimate was used, with what it threw. Must not throw. */
  readonly onFallback?: (error: unknown) => void;
}

export const DEFAULT_GUARD: Required<Omit<GuardOptions, 'onFallback'>> = {
  memoMinChars: 1_024,
  memoMaxChars: 4_000_000,
};

/** Longer stretches without a sure cut go to the counter in pieces: measured, 64 KB of one letter took 4 to 7 s. */
const MAX_RUN_CHARS = 256;

/** Divisible by 3, so that groups of digits stay whole, and by 16, so that tokens for repeated letters do. */
const PIECE_CHARS = 240;

const LETTER = 1;
const DIGIT = 2;
const SPACE = 3;
const MARK = 4;
const NEWLINE = 5;
const SURROGATE = 6;

/**
 * Wraps `count` so that it never throws and its time stays linear in the length of the text.
 *
 * Texts without an overlong run go to `count` whole, so the result is the same. In a run of over 256 chars without a
 * place where every tokenizer cuts, the parts are counted one by one: off by at most a token or so per 240 chars.
 * Where `count` throws or returns something other than a number from 0, the whole text is estimated instead.
 */
export function guardedCounter(count: (text: string) => number, options: GuardOptions = {}): (text: string) => number {
  const { memoMinChars, memoMaxChars } = { ...DEFAULT_GUARD, ...options };
  const memo = createMemo(memoMaxChars);
  const countGuarded = (text: string): number | undefined => {
    try {
      return countInPieces(count, text);
    } catch (error) {
      options.onFallback?.(error);
      return undefined;
    }
  };
  return (text) => {
    if (text.length === 0) return 0;
    if (text.length < memoMinChars) return countGuarded(text) ?? estimateTokens(text);
    const known = memo.get(text);
    if (known !== undefined) return known;
    const tokens = countGuarded(text);
    if (tokens === undefined) return estimateTokens(text);
    memo.set(text, tokens);
    return tokens;
  };
}

function countInPieces(count: (text: string) => number, text: string): number {
  let tokens = 0;
  let from = 0;
  for (const cut of [...overlongCuts(text), text.length]) {
    const counted = count(text.slice(from, cut));
    if (!(counted >= 0)) throw new RangeError(`the token counter returned ${String(counted)}`);
    tokens += counted;
    from = cut;
  }
  return tokens;
}

/** Where to cut `text` so that no part has an overlong run. Empty for ordinary text. */
function overlongCuts(text: string): number[] {
  const cuts: number[] = [];
  let runStart = 0;
  let before = 0;
  for (let at = 0; at < text.length; at++) {
    const kind = kindAt(text, at);
    // A surrogate may be a letter or an emoji: never counted on as a cut.
    if (kind === SURROGATE) continue;
    if (isSureCut(before, kind)) runStart = at;
    before = kind;
    if (at - runStart < MAX_RUN_CHARS) continue;
    runStart = notInsidePair(text, runStart + PIECE_CHARS);
    cuts.push(runStart);
  }
  return addSurrogateTail(cuts, text, runStart);
}

/** A run that ends in surrogates was not cut while they lasted. */
function addSurrogateTail(cuts: number[], text: string, runStart: number): number[] {
  for (let start = runStart; text.length - start > MAX_RUN_CHARS; ) {
    start = notInsidePair(text, start + PIECE_CHARS);
    cuts.push(start);
  }
  return cuts;
}

/**
 * Whether every known tokenizer cuts between two classes. Line breaks may join the punctuation before them and any
 * whitespace around them, so without letters and digits only the step from a mark to a blank is sure.
 */
function isSureCut(before: number, kind: number): boolean {
  if (before === kind) return false;
  if (kind === LETTER || kind === DIGIT || before === LETTER || before === DIGIT) return true;
  return before === MARK && kind === SPACE;
}

function notInsidePair(text: string, at: number): number {
  const isInside = (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
  return isInside ? at - 1 : at;
}

/** Class of each code unit met so far, 0 for not yet met. */
const kinds: Uint8Array = new Uint8Array(0x10000);

function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  const known = kinds[code] as number;
  if (known !== 0) return known;
  const kind = classify(code);
  kinds[code] = kind;
  return kind;
}

function classify(code: number): number {
  if ((code & 0xf800) === 0xd800) return SURROGATE;
  const character = String.fromCharCode(code);
  if (/[\p{L}\p{M}]/u.test(character)) return LETTER;
  if (/\p{N}/u.test(character)) return DIGIT;
  if (code === 0x0a || code === 0x0d) return NEWLINE;
  return /\s/u.test(character) ? SPACE : MARK;
}

interface Memo {
  get(text: string): number | undefined;
  set(text: string, tokens: number): void;
}

/** Counts by content, oldest use first, bounded by the chars of the texts it holds. */
function createMemo(maxChars: number): Memo {
  const counts = new Map<string, number>();
  let heldChars = 0;
  return {
    get(text) {
      const tokens = counts.get(text);
      if (tokens === undefined) return undefined;
      counts.delete(text);
      counts.set(text, tokens);
      return tokens;
    },
    set(text, tokens) {
      if (text.length > maxChars) return;
      counts.set(text, tokens);
      heldChars += text.length;
      for (const oldest of counts.keys()) {
        if (heldChars <= maxChars) return;
        counts.delete(oldest);
        heldChars -= oldest.length;
      }
    },
  };
}
