/** The port of a model provider: one wire format, made and sent. The loop speaks of calls and results only. */
import type { Codec } from '@holdover/engine';
import type { JsonSchema } from '../tools/tool.ts';

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

export interface RequestSpec {
  readonly model: string;
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  /** Empty where the context holds the history. */
  readonly messages: readonly object[];
  /** Room for the reply. Thinking comes on top of it where a format counts both against one cap. */
  readonly maxOutputTokens: number;
  /** Absent: the model's own habit. Formats that take an effort instead get the nearest one. */
  readonly thinking?: { readonly budgetTokens: number };
}

/** A piece of a user message: text, or an image. */
export type UserPiece = string | { readonly mediaType: string; readonly base64: string };

export interface CallResult {
  readonly callId: string;
  readonly text: string;
  readonly isError: boolean;
}

export interface SendOptions {
  readonly signal: AbortSignal;
  /** Pieces of the reply's text as they come. */
  readonly onText: (delta: string) => void;
  /** Pieces of what the model thinks, where the provider shows it. */
  readonly onReasoning?: (delta: string) => void;
  /** What had to be left out of a request for the server to take it, for people. */
  readonly onNotice?: (text: string) => void;
}

export interface Provider {
  readonly name: string;
  readonly codec: Codec;
  request(spec: RequestSpec): object;
  /** The same request for another model. */
  withModel(request: object, model: string): object;
  userMessage(pieces: readonly UserPiece[]): object;
  /** A reply without its calls, for one that was cut. */
  withoutCalls(reply: object): object;
  /** The results of one batch as messages, in the order of the calls. */
  results(results: readonly CallResult[]): readonly object[];
  /**
   * Sends without waiting or retrying; rejects with the provider's error. Resolves to the whole reply. A request the server refuses for a
   * member it does not know, or for thinking it cannot take back, goes again without: nothing was generated then.
   */
  send(request: object, options: SendOptions): Promise<object>;
}

export interface ProviderOptions {
  /** Where the provider listens; absent: the vendor's own address. */
  readonly baseUrl?: string;
  /** Absent: the SDK looks in the environment, unless `baseUrl` is given: a key is for the vendor's own address. */
  readonly apiKey?: string;
}

/** Stands in for a key where none is needed: the SDKs insist on one. */
export const NO_KEY = 'none';
