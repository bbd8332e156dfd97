/**
 * What stands behind the simulated provider: a brain reads one request and answers it. It sees the
 * messages and the tool list, as a model would, and nothing else. The server puts ids, usage, signatures and the wire
 * format around the answer.
 */

/** One part of a message, the same for every profile. */
export type SimPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly input: Record<string, unknown> }
  | { readonly kind: 'result'; readonly callId: string; readonly text: string; readonly isError: boolean }
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'media'; readonly mediaType: string }
  | { readonly kind: 'other'; readonly type: string };

/** Tool results sit in user messages whatever the profile; neighbours of one role are merged. */
export interface SimMessage {
  readonly role: 'user' | 'assistant' | 'system';
  readonly parts: readonly SimPart[];
}

export interface SimTool {
  readonly name: string;
  readonly description: string;
}

export interface SimRequest {
  readonly profile: 'anthropic' | 'openai';
  readonly model: string;
  readonly system: string;
  readonly messages: readonly SimMessage[];
  readonly tools: readonly SimTool[];
  readonly maxOutputTokens: number;
}

export type SimReplyPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'call'; readonly name: string; readonly input: Record<string, unknown>; readonly id?: string };

/** `stop` defaults to `calls` when a part is a call, else `end`. */
export interface SimReply {
  readonly parts: readonly SimReplyPart[];
  readonly stop?: 'end' | 'calls' | 'cap' | 'refusal';
}

export interface Brain {
  readonly name: string;
  /** May throw: the server answers 500 with the message, so that a mistake in a test is seen. */
  reply(request: SimRequest): SimReply | Promise<SimReply>;
}
