/**
 * The engine's one vocabulary for messages. A codec turns each wire message into an entry; everything in
 * the core speaks of entries, parts, calls and results, and never of a provider's field names.
 */
import type { Words } from './digest.ts';

/** A wire message as the caller gave it. The core holds it and never looks inside. */
export type Wire = object;

/** Who speaks: the user's side (tool results included), the model, or the host in mid-conversation. */
export type Origin = 'user' | 'model' | 'host';

/** One part of a message: text, tool call, tool result, reasoning, media, or opaque, which is anything unknown. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly kind: 'result';
      readonly callId: string;
      /** The readable text of the result. */
      readonly text: string;
      /** The wire content itself; `exactText` makes the bytes to archive from it. */
      readonly content: unknown;
      readonly mediaCount: number;
      readonly isError: boolean;
    }
  | { readonly kind: 'reasoning'; readonly text: string; readonly sizeChars: number }
  | { readonly kind: 'media'; readonly mediaType: string; readonly value: unknown }
  | {
      readonly kind: 'opaque';
      readonly name: string;
      readonly value: unknown;
      /** True where the provider gives the message's position a meaning: no range edit may cover it. */
      readonly isBarrier: boolean;
    };

/** What a codec reads off one wire message. */
export interface Decoded {
  readonly origin: Origin;
  readonly parts: readonly Part[];
}

/** A decoded message with its sizes and its digest, counted once on arrival. */
export interface Entry extends Decoded, Words {
  readonly message: Wire;
  /** Tokens of each part by the context's counter, in part order; undefined where there is one part, whose tokens are all but the overhead. */
  readonly partTokens: readonly number[] | undefined;
  /** Tokens of the parts and the overhead of a message. */
  readonly tokens: number;
  /** Approximate size as JSON. */
  readonly bytes: number;
}

/** Overhead of a message's role and separators, tokens: what the published chat formats of OpenAI add per message. */
export const MESSAGE_OVERHEAD_TOKENS = 4;

/** Tokens of one part of an entry; 0 where it has no such part. */
export function tokensOfPart(entry: Entry, part: number): number {
  if (entry.partTokens !== undefined) return entry.partTokens[part] ?? 0;
  return part === 0 && entry.parts.length === 1 ? entry.tokens - MESSAGE_OVERHEAD_TOKENS : 0;
}

/** A picture or page of a document, tokens: Anthropic's vision guide gives about 1,600 for the largest picture kept whole. */
export const MEDIA_TOKENS = 1600;

/** The exact bytes a result part stands for: its string, or the JSON of its blocks. */
export function exactText(part: Part): string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'result':
      return typeof part.content === 'string' ? part.content : (JSON.stringify(part.content) ?? '');
    case 'call':
      return JSON.stringify(part.input) ?? '';
    case 'reasoning':
      return part.text;
    default:
      return JSON.stringify(part.value) ?? '';
  }
}

/** A text providers refuse: nothing but white space. */
export function isBlank(part: Part): boolean {
  if (part.kind !== 'text') return false;
  const first = part.text.charCodeAt(0);
  // Most texts begin with a letter or a mark: no need to look further.
  return !(first > 0x20 && first < 0x80) && part.text.trim() === '';
}

/** The words and pictures the user wrote, as against results of tools that travel in the same message. A blank text says nothing. */
export function isUserWords(part: Part): boolean {
  return (part.kind === 'text' && !isBlank(part)) || part.kind === 'media' || part.kind === 'opaque';
}

export function hasUserWords(entry: Decoded): boolean {
  return entry.origin === 'user' && entry.parts.some(isUserWords);
}

/** Messages that stay whatever happens: the host's own, and those whose place the provider gives a meaning. */
export function isBarrier(entry: Decoded): boolean {
  return entry.origin === 'host' || entry.parts.some((part) => part.kind === 'opaque' && part.isBarrier);
}

/** Tokens of one part by `count`, non-zero for anything that is sent. */
export function measurePart(part: Part, count: (text: string) => number): number {
  switch (part.kind) {
    case 'text':
      return count(part.text);
    case 'call':
      return count(part.name) + count(JSON.stringify(part.input) ?? '') + MESSAGE_OVERHEAD_TOKENS;
    case 'result':
      return count(part.text) + part.mediaCount * MEDIA_TOKENS + MESSAGE_OVERHEAD_TOKENS;
    case 'reasoning':
      return Math.max(count(part.text), Math.ceil(part.sizeChars / 4));
    case 'media':
      return MEDIA_TOKENS;
    case 'opaque':
      return Math.max(1, count(JSON.stringify(part.value) ?? ''));
  }
}

/** Tokens of an entry's pictures and pages, those in results included. */
export function mediaTokensOf(entry: Decoded): number {
  const count = entry.parts.reduce((sum, part) => {
    if (part.kind === 'media') return sum + 1;
    return part.kind === 'result' ? sum + part.mediaCount : sum;
  }, 0);
  return count * MEDIA_TOKENS;
}
