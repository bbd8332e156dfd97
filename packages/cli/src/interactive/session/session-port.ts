/** What the terminal needs of a session, and nothing of how it is made. The one adapter is `agent-session.ts`. */
import type { AgentEvent, PermissionQuestion, RunResult, SessionChoice } from '@holdover/agent';
import type { Receipt, Recalled, Usage } from '@holdover/engine';

/** A picture or page, or a text, of one user message. */
export type UserPiece = string | { readonly mediaType: string; readonly base64: string };

export type AskAnswer =
  | 'allow'
  | 'deny'
  | { readonly allow: true; readonly remember?: 'session' | 'project' }
  | { readonly allow: false; readonly reason?: string };

export interface BreakdownCategory {
  readonly name: string;
  readonly tokens: number;
}

/** What fills the window; the categories add up to `totalTokens`. */
export interface Breakdown {
  readonly totalTokens: number;
  readonly windowTokens: number;
  /** Where the next compaction is due. */
  readonly actTokens: number;
  /** Set aside for the reply. */
  readonly reservedOutputTokens: number;
  readonly freeTokens: number;
  readonly categories: readonly BreakdownCategory[];
}

export interface CostReport {
  readonly calls: number;
  readonly usage: Usage;
  /** Undefined where the model's price is not known. */
  readonly usd?: number;
  /** Input tokens the same calls would have sent without compaction. */
  readonly appendOnlyTokens: number;
  /** Whether the price is a guess. */
  readonly isAssumed: boolean;
}

export interface Meter {
  readonly usedTokens: number;
  readonly windowTokens: number;
  readonly warnTokens: number;
  readonly actTokens: number;
  /** Tokens until the next compaction is due, 0 or more. */
  readonly leftTokens: number;
}

export interface Pin {
  readonly id: number;
  readonly text: string;
}

export interface RuleView {
  readonly text: string;
  readonly kind: 'allow' | 'deny' | 'ask';
  readonly source: string;
}

/** One message as a person reads it. `index` is its place in the history. */
export interface PastMessage {
  readonly index: number;
  readonly speaker: 'user' | 'model';
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  readonly results: readonly { readonly callId: string; readonly text: string; readonly isError: boolean }[];
}

export interface SessionPort {
  readonly sessionId: string;
  readonly model: string;
  run(pieces: readonly UserPiece[], options: { readonly signal: AbortSignal }): Promise<RunResult>;
  /** Compacts now; undefined where there was nothing to compact. */
  compact(options: { readonly focus?: string; readonly signal: AbortSignal }): Promise<Receipt | undefined>;
  /** Takes the newest compaction back; false where there is none. */
  undo(): Promise<boolean>;
  /** Goes on from the first `length` messages. */
  rewind(length: number): Promise<void>;
  pin(text: string): Promise<number>;
  unpin(id: number): Promise<boolean>;
  pins(): readonly Pin[];
  recall(address: string): Promise<Recalled>;
  search(query: string): Recalled;
  breakdown(): Breakdown | undefined;
  cost(): CostReport;
  meter(): Meter | undefined;
  past(): readonly PastMessage[];
  rules(): readonly RuleView[];
  /** Takes a rule back; false where it is not the user's to take back here. */
  forgetRule(text: string): Promise<boolean>;
  setModel(model: string): Promise<void>;
  /** Model ids worth offering. */
  models(): readonly string[];
  export(format: 'markdown' | 'json'): Promise<string>;
  close(): Promise<void>;
  /** At once, for the process's own end. */
  kill(): void;
}

export interface SessionSummary {
  readonly id: string;
  readonly title: string;
  /** Milliseconds since the epoch. */
  readonly usedAtMs: number;
  readonly messages: number;
  readonly bytes: number;
  /** Whether another process has it open. */
  readonly isOpen: boolean;
}

/** What sessions report to, and ask. */
export interface SessionListener {
  onEvent(event: AgentEvent): void;
  /** Absent where nobody can be asked. */
  readonly ask?: (question: PermissionQuestion) => Promise<AskAnswer>;
}

export interface SessionsPort {
  /** One line on the model that answers. */
  readonly about: string;
  open(choice: SessionChoice): Promise<SessionPort>;
  /** Newest use first. */
  list(): Promise<readonly SessionSummary[]>;
  close(): Promise<void>;
}
