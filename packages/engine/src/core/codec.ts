/**
 * The port of a wire format. A codec reads and writes one; wire strings stop here. An untouched message comes back as the same object, so what
 * was not edited is identical by construction. All methods are synchronous and never change what they are given.
 */
import type { Decoded, Wire } from './entry.ts';
import type { IdScope } from './pairing.ts';

/** One text in front of the messages. */
export interface HeadPart {
  readonly kind: 'system' | 'tool';
  /** Of a tool. */
  readonly name?: string;
  readonly text: string;
}

/** What counts besides the messages. */
export interface Head {
  readonly model: string;
  /** Most tokens the reply may take. */
  readonly maxOutputTokens: number;
  /** True where the request sets no limit and `maxOutputTokens` is the codec's guess. */
  readonly isOutputCapAssumed?: boolean;
  /** Everything in front of the messages that costs tokens: system texts, tool schemas. */
  readonly texts: readonly string[];
  /** The same texts, in the same order, each with what it is. @default all of them system texts */
  readonly parts?: readonly HeadPart[];
  readonly toolNames: readonly string[];
}

/** A part's replacement as the codec needs it. */
export interface Patch {
  readonly text: string;
  /** The part becomes plain text; otherwise it keeps its kind, id and place, and only its body changes. */
  readonly becomesText: boolean;
}

/** A piece of a composed user message: new text, or a part of an old message carried as it is. */
export type WirePiece = string | { readonly message: Wire; readonly part: number };

/** What one call was billed, tokens. */
export interface Usage {
  /** Input as billed: fresh, written to cache and read from cache together. */
  readonly inputTokens: number;
  /** Of the input, read from the provider's cache. */
  readonly cacheReadTokens: number;
  /** Of the input, written to the provider's cache. */
  readonly cacheWriteTokens: number;
  /** Reasoning included, where the provider counts it so. */
  readonly outputTokens: number;
}

/** Why the model stopped; `window`: the provider cut the reply because the window was full. */
export type Stop = 'end' | 'calls' | 'cap' | 'window' | 'refusal' | 'other';

/** A provider's reply, read. */
export interface DecodedReply {
  /** The reply as a message for the history; undefined where it has no content. */
  readonly message: Wire | undefined;
  /** Undefined where the provider reported none. */
  readonly usage: Usage | undefined;
  readonly stop: Stop;
}

/** Reads and writes one wire format. What it throws for input it cannot read is a `ContextError`, `INVALID_REQUEST`. */
export interface Codec<Request extends object = object, Reply extends object = object> {
  readonly name: string;
  /** Where the id of a call has to be unique: in the whole request, or among the calls of one reply. @default 'request' */
  readonly idScope?: IdScope;
  /** Throws `INVALID_REQUEST` where the request cannot be read. */
  head(request: Request): Head;
  /** The caller's messages: the history, in order, without what belongs to the head. */
  messages(request: Request): readonly Wire[];
  /** Throws `INVALID_REQUEST` naming what cannot be read. Unknown kinds of part become opaque. */
  decode(message: Wire): Decoded;
  /** What equality and digests are judged on: no cache breakpoints, string content as one text block. */
  canonical(message: Wire): unknown;
  /** A copy of the message with parts replaced, by part index; other parts are the same objects. */
  patch(message: Wire, patches: ReadonlyMap<number, Patch>): Wire;
  /** A message of the user's side with `texts` behind everything else in it, in order. Called on what `patch` returned where parts are replaced. */
  attach(message: Wire, texts: readonly string[]): Wire;
  /** One user message from `pieces`, in order. */
  compose(pieces: readonly WirePiece[]): Wire;
  /**
   * The request with `messages` in place of the caller's. `breakpoints` are indices of messages whose end should be cached,
   * ascending; set on shallow copies, at most as many as the provider allows with the caller's own.
   */
  encode<R extends Request>(request: R, messages: readonly Wire[], breakpoints: readonly number[]): R;
  /** The request with another limit on the reply, tokens. */
  withOutputCap<R extends Request>(request: R, maxOutputTokens: number): R;
  /** Throws `INVALID_REQUEST` where the reply cannot be read. */
  reply(reply: Reply): DecodedReply;
}
