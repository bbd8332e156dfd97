/** What the prompts of one policy come to, beside those of the bare history. */
import { type CachePrices, cliffTimes } from '@holdover/engine';
import type { PromptBlock } from './prompt/blocks.ts';
import { PrefixCache } from './prompt/prefix-cache.ts';

/** One prompt and what the cache made of it; the provider's tokens. */
export interface Sent {
  readonly prompt: readonly PromptBlock[];
  readonly tokens: number;
  readonly cached: number;
}

function tokensIn(prompt: readonly PromptBlock[], until: number, factor: number): number {
  let sum = 0;
  for (let index = 0; index < until; index += 1) sum += (prompt[index] as PromptBlock).tokens;
  return sum * factor;
}

/** A cache with the prompts of one course of calls. */
class Line {
  readonly #cache: PrefixCache;
  readonly #factor: number;
  last: Sent | undefined;

  constructor(ttlMs: number, factor: number) {
    this.#cache = new PrefixCache(ttlMs);
    this.#factor = factor;
  }

  send(prompt: readonly PromptBlock[], atMs: number): Sent {
    const cached = tokensIn(prompt, this.#cache.send(prompt, atMs), this.#factor);
    this.last = { prompt, tokens: tokensIn(prompt, prompt.length, this.#factor), cached };
    return this.last;
  }
}

function isExtension(prompt: readonly PromptBlock[], before: readonly PromptBlock[]): boolean {
  return before.length <= prompt.length && before.every((block, index) => prompt[index] === block);
}

/** Rounding keeps sums of floats from telling equal prompts apart. */
function isLess(a: number, b: number): boolean {
  return a < b - 0.5;
}

/** The prompts a policy sends and those of the bare history at the same calls. */
export interface Pair {
  readonly prompt: readonly PromptBlock[];
  readonly bare: readonly PromptBlock[];
  readonly atMs: number;
}

export class Bill {
  readonly #prices: CachePrices;
  readonly #line: Line;
  readonly #bare: Line;
  readonly sums = {
    calls: 0,
    bill: 0,
    tokens: 0,
    cached: 0,
    peak: 0,
    epochs: 0,
    breaks: 0,
    breakCost: 0,
  };

  constructor(prices: CachePrices, factor: number) {
    this.#prices = prices;
    this.#line = new Line(prices.ttlMs, factor);
    this.#bare = new Line(prices.ttlMs, factor);
  }

  /** The newest prompt that was sent. */
  get last(): Sent | undefined {
    return this.#line.last;
  }

  send({ prompt, bare, atMs }: Pair): Sent & { readonly isEpoch: boolean } {
    const { sums } = this;
    const before = this.#line.last;
    const bareBefore = this.#bare.last;
    const sent = this.#line.send(prompt, atMs);
    const bareSent = this.#bare.send(bare, atMs);
    const { readTimes, writeTimes } = this.#prices;
    const times = cliffTimes(this.#prices, sent.tokens);
    sums.calls += 1;
    sums.bill += times * (readTimes * sent.cached + writeTimes * (sent.tokens - sent.cached));
    sums.tokens += sent.tokens;
    sums.cached += sent.cached;
    sums.peak = Math.max(sums.peak, sent.tokens);
    const isEpoch = before !== undefined && !isExtension(sent.prompt, before.prompt);
    if (isEpoch) sums.epochs += 1;
    const isBroken = before !== undefined && isLess(sent.cached, before.tokens);
    if (isBroken && bareBefore !== undefined && !isLess(bareSent.cached, bareBefore.tokens)) {
      sums.breaks += 1;
      const lost = Math.max(0, Math.min(sent.tokens, before.tokens) - sent.cached);
      sums.breakCost += times * (writeTimes - readTimes) * lost;
    }
    return { ...sent, isEpoch };
  }
}
