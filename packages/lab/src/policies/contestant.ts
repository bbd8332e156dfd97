/** What takes part in a replay: something that says which messages it would have sent. */
import type { CachePrices, Usage } from '@holdover/engine';
import type { Message, SessionFormat } from '../session/recorded.ts';

/** What a contestant is started with. */
export interface Setup {
  /** Whose tools the calls name. */
  readonly format: SessionFormat;
  readonly prices: CachePrices;
  /** The provider's tokens. */
  readonly windowTokens: number;
  readonly maxOutputTokens: number;
  readonly model: string;
  /** System and tools of then, the provider's tokens. */
  readonly headTokens: number;
  /** The provider's tokens of a text. */
  readonly count: (text: string) => number;
  /** The provider's tokens of a message. */
  readonly tokensOf: (message: object) => number;
}

/** One recorded call. */
export interface ReplayCall {
  /** Everything before it, in order; grows from call to call. */
  readonly history: readonly Message[];
  readonly atMs: number;
}

/** One session of a contestant. */
export interface Course {
  /** Tokens it adds to system and tools, the provider's. */
  readonly extraHeadTokens: number;
  /** The messages it would send. */
  view(call: ReplayCall): Promise<readonly object[]>;
  /** Told of the recorded reply, where there was one, and what the simulated provider would have billed. */
  settle(reply: Message | undefined, usage: Usage): Promise<void>;
  /** What asking a model for summaries cost so far, input-token equivalents. @default 0 */
  ownCost?(): number;
  /** What one recall answers; undefined where it has none. */
  recall?(query: string): Promise<string>;
}

export interface Contestant {
  readonly name: string;
  start(setup: Setup): Course;
}
