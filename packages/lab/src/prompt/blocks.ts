/** Prompts as rows of blocks: equal blocks are one object, counted and read once for all policies. */
import { isObject, listOf, textOf } from '../session/json.ts';
import type { CountTokens } from '../tokens/count.ts';

/** One content block of a prompt; two with the same content are the same object. */
export interface PromptBlock {
  readonly id: number;
  /** By the bare counter, not scaled. */
  readonly tokens: number;
  /** Every text in it: words, results, string values of a call's input; raw, one after the other on lines of their own. */
  readonly text: string;
}

/** An image or a page: what the simulator takes too. Unscaled. */
const MEDIA_TOKENS = 1_200;

const MEDIA: ReadonlySet<string> = new Set(['image', 'document']);

/** Blocks of messages in Anthropic's format, remembered by content, and by identity of the message. */
export class BlockTable {
  readonly #count: CountTokens;
  readonly #byContent = new Map<string, PromptBlock>();
  readonly #byMessage = new WeakMap<object, readonly PromptBlock[]>();

  constructor(count: CountTokens) {
    this.#count = count;
  }

  /** A block that stands for `tokens` of text nobody has, as system and tools. Never equal to another. */
  opaque(tokens: number): PromptBlock {
    const block = { id: this.#byContent.size, tokens, text: '' };
    this.#byContent.set(`opaque ${block.id}`, block);
    return block;
  }

  blocksOf(message: object): readonly PromptBlock[] {
    const known = this.#byMessage.get(message);
    if (known !== undefined) return known;
    const { role, content } = message as { readonly role?: unknown; readonly content?: unknown };
    const list = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
    const blocks = list.map((block) => this.#intern(textOf(role), block));
    this.#byMessage.set(message, blocks);
    return blocks;
  }

  /** Unscaled. */
  tokensOf(message: object): number {
    return this.blocksOf(message).reduce((sum, { tokens }) => sum + tokens, 0);
  }

  #intern(role: string, block: unknown): PromptBlock {
    const key = `${role} ${JSON.stringify(block, withoutBreakpoints)}`;
    const known = this.#byContent.get(key);
    if (known !== undefined) return known;
    const made = { id: this.#byContent.size, tokens: tokensOf(block, this.#count), text: textsOf(block).join('\n') };
    this.#byContent.set(key, made);
    return made;
  }
}

function withoutBreakpoints(key: string, value: unknown): unknown {
  return key === 'cache_control' ? undefined : value;
}

function tokensOf(block: unknown, count: CountTokens): number {
  if (!isObject(block)) return 0;
  const type = textOf(block['type']);
  if (MEDIA.has(type)) return MEDIA_TOKENS;
  if (type === 'text') return count(textOf(block['text']));
  if (type === 'tool_use') return count(textOf(block['name'])) + count(JSON.stringify(block['input'] ?? {}));
  if (type !== 'tool_result') return count(JSON.stringify(block));
  const content = block['content'];
  if (typeof content === 'string') return count(content);
  return listOf(content).reduce<number>((sum, inner) => sum + tokensOf(inner, count), 0);
}

/** Raw strings, not as JSON: a line of code is looked for as the model wrote it. */
function textsOf(block: unknown): readonly string[] {
  if (!isObject(block)) return [];
  const type = textOf(block['type']);
  if (MEDIA.has(type)) return [];
  if (type === 'text') return [textOf(block['text'])];
  if (type === 'tool_use') return stringsIn(block['input']);
  if (type !== 'tool_result') return [];
  const content = block['content'];
  return typeof content === 'string' ? [content] : listOf(content).flatMap(textsOf);
}

/** Every string in a JSON value, in order. */
export function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return isObject(value) ? Object.values(value).flatMap(stringsIn) : [];
}
