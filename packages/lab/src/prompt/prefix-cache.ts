/** A provider's prompt cache as the metric defines it: the longest beginning shared with any earlier prompt within the life of an entry. */
import type { PromptBlock } from './blocks.ts';

/** Node of a trie over blocks; `seenMs`: the newest prompt that begins so. */
interface Node {
  readonly next: Map<number, Node>;
  seenMs: number;
}

function createNode(seenMs: number): Node {
  return { next: new Map(), seenMs };
}

export class PrefixCache {
  readonly #ttlMs: number;
  readonly #root = createNode(0);

  constructor(ttlMs: number) {
    this.#ttlMs = ttlMs;
  }

  /** How many leading blocks of a prompt sent at `atMs` are read from the cache; takes the prompt in. */
  send(prompt: readonly PromptBlock[], atMs: number): number {
    let node = this.#root;
    let cached = 0;
    let isCached = true;
    for (const { id } of prompt) {
      let next = node.next.get(id);
      isCached &&= next !== undefined && atMs - next.seenMs <= this.#ttlMs;
      if (isCached) cached += 1;
      if (next === undefined) {
        next = createNode(atMs);
        node.next.set(id, next);
      }
      next.seenMs = Math.max(next.seenMs, atMs);
      node = next;
    }
    return cached;
  }
}
