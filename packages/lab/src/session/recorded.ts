/** A recorded session in the one form the lab works on, whatever agent wrote it. */
import type { Usage } from '@holdover/engine';

/** One content block in Anthropic's format. */
export interface Block {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** One message in Anthropic's format. */
export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Block[];
}

/** One request to the model, as it was made then. */
export interface RecordedCall {
  /** The prompt was the first so many messages of the session. */
  readonly promptLength: number;
  /** Whether the message at `promptLength` is its reply; false where it was interrupted before anything was said. */
  readonly hasReply: boolean;
  /** When it was sent, milliseconds since 1970. */
  readonly atMs: number;
  /** Empty where the log does not say. */
  readonly model: string;
  /** As billed then, for the prompt of then; undefined where the log has none. */
  readonly usage: Usage | undefined;
  /** The reply's reasoning, which no message has: billed then as part of later prompts, so the calibration counts it. */
  readonly reasoning: string;
}

/** A compaction the agent made then. The history of the lab is never edited, so it is listed and not applied. */
export interface RecordedCompaction {
  /** Behind so many messages. */
  readonly at: number;
  readonly atMs: number;
  /** As the log gives it. */
  readonly tokensBefore: number | undefined;
}

/** What could not be read. */
export interface LineProblem {
  /** From 1. */
  readonly line: number;
  readonly what: string;
}

export type SessionFormat = 'pi' | 'claude-code' | 'holdover';

export interface RecordedSession {
  readonly format: SessionFormat;
  /** The whole history, never compacted, in order. */
  readonly messages: readonly Message[];
  readonly calls: readonly RecordedCall[];
  readonly compactions: readonly RecordedCompaction[];
  /** Lines that were skipped. */
  readonly problems: readonly LineProblem[];
}
