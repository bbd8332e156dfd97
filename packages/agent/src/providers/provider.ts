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
  readonly maxOutputTokens: number;
}

export interface CallResult {
  readonly callId: string;
  readonly text: string;
  readonly isError: boolean;
}

export interface SendOptions {
  readonly signal: AbortSignal;
  /** Pieces of the reply's text as they come. */
  readonly onText: (delta: string) => void;
}

export interface Provider {
  readonly name: string;
  readonly codec: Codec;
  request(spec: RequestSpec): object;
  /** A reply without its calls, for one that was cut. */
  withoutCalls(reply: object): object;
  /** The results of one batch as messages, in the order of the calls. */
  results(results: readonly CallResult[]): readonly object[];
  /** Sends once, without retrying; rejects with the provider's error. Resolves to the whole reply. */
  send(request: object, options: SendOptions): Promise<object>;
}

export interface ProviderOptions {
  /** Where the provider listens; absent: the vendor's own address. */
  readonly baseUrl?: string;
  readonly apiKey?: string;
}
