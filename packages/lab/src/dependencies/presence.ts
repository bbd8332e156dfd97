/** Which strings a prompt contains, kept up to date from prompt to prompt: only what changed is looked at. */
import type { PromptBlock } from '../prompt/blocks.ts';
import { StringMatcher } from './matcher.ts';

/** The strings of each block, found once. */
export class StringIndex {
  readonly #matcher: StringMatcher;
  readonly #byText = new Map<string, number>();
  readonly #byBlock = new WeakMap<PromptBlock, readonly number[]>();
  readonly size: number;

  /** `strings`: distinct and not empty. */
  constructor(strings: readonly string[]) {
    this.#matcher = new StringMatcher(strings);
    this.size = strings.length;
    strings.forEach((text, index) => {
      this.#byText.set(text, index);
    });
  }

  /** -1 for one that is not among them. */
  indexOf(text: string): number {
    return this.#byText.get(text) ?? -1;
  }

  stringsOf(block: PromptBlock): readonly number[] {
    const known = this.#byBlock.get(block);
    if (known !== undefined) return known;
    const found = this.#matcher.matches(block.text);
    this.#byBlock.set(block, found);
    return found;
  }
}

/** One prompt at a time. */
export class Presence {
  readonly #index: StringIndex;
  readonly #counts: Int32Array;
  #prompt: readonly PromptBlock[] = [];

  constructor(index: StringIndex) {
    this.#index = index;
    this.#counts = new Int32Array(index.size);
  }

  /** Takes `prompt` in place of the one before. */
  show(prompt: readonly PromptBlock[]): void {
    const before = this.#prompt;
    let start = 0;
    while (start < prompt.length && start < before.length && prompt[start] === before[start]) start += 1;
    for (const block of before.slice(start)) this.#add(block, -1);
    for (const block of prompt.slice(start)) this.#add(block, 1);
    this.#prompt = prompt;
  }

  /** By the index of the string. */
  has(string: number): boolean {
    return (this.#counts[string] ?? 0) > 0;
  }

  #add(block: PromptBlock, times: number): void {
    for (const string of this.#index.stringsOf(block)) this.#counts[string] = (this.#counts[string] ?? 0) + times;
  }
}
