/** What the terminal needs of a session, and nothing of how it is made. The one adapter is `agent-session.ts`. */
import type {
  AgentEvent,
  CostReport,
  KnownRule,
  PermissionAnswer,
  PermissionQuestion,
  RunResult,
  SessionChoice,
  SessionSummary,
  UserPiece,
} from '@holdover/agent';
import type { Breakdown, EpochDiff, Forecast, ModelFacts, Receipt, Recalled } from '@holdover/engine';
import type { Mentions } from '../input/mentions.ts';

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

/** One message as a person reads it. `index` is its place in the history. */
export interface PastMessage {
  readonly index: number;
  readonly speaker: 'user' | 'model';
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  readonly results: readonly { readonly callId: string; readonly text: string; readonly isError: boolean }[];
}

export interface TodoItem {
  readonly content: string;
  readonly status: string;
}

export interface Compaction {
  /** Undefined where nothing was compacted. */
  readonly receipt: Receipt | undefined;
  /** Whether there was something to compact and it was not done; the events say why. */
  readonly isHeldBack: boolean;
}

export interface SessionPort {
  readonly sessionId: string;
  readonly model: string;
  /** Why the session can be read and not continued. */
  readonly readOnly: string | undefined;
  /** The prompt with what it names behind `@`, where the rules let it be read. */
  expand(prompt: string): Promise<Mentions>;
  run(pieces: readonly UserPiece[], options: { readonly signal: AbortSignal }): Promise<RunResult>;
  /** Compacts now. */
  compact(options: { readonly focus?: string; readonly signal: AbortSignal }): Promise<Compaction>;
  /** What `compact` would do; changes nothing. */
  preview(options: { readonly focus?: string; readonly signal: AbortSignal }): Promise<Forecast>;
  /** Takes the newest compaction back, which it tells of; undefined where there is none. */
  undo(): Promise<EpochDiff | undefined>;
  /** Brings back what the newest undo took; undefined where there is none, or something came in between. */
  redo(): Promise<EpochDiff | undefined>;
  /** What a compaction changed, by its number or the newest; undefined where there is none. */
  diff(epochId?: number): EpochDiff | undefined;
  /** Goes on from the first `length` messages. */
  rewind(length: number): Promise<void>;
  pin(text: string): Promise<number>;
  unpin(id: number): Promise<boolean>;
  pins(): readonly Pin[];
  recall(address: string): Promise<Recalled>;
  search(query: string): Recalled;
  breakdown(): Breakdown;
  cost(): CostReport;
  meter(): Meter | undefined;
  past(): readonly PastMessage[];
  /** The task list as it stands. */
  todos(): readonly TodoItem[];
  rules(): readonly KnownRule[];
  /** Takes a rule back; false where it is not the user's to take back here. */
  forgetRule(text: string): Promise<boolean>;
  /** Why a model cannot go on with this session, and what to do instead; undefined where it did. */
  setModel(model: string): string | undefined;
  /** Models of the same provider that are known by name. */
  models(): readonly ModelFacts[];
  export(format: 'markdown' | 'json'): Promise<string>;
  close(): Promise<void>;
  /** At once, for the process's own end. */
  kill(): void;
}

/** What sessions report to, and ask. */
export interface SessionListener {
  onEvent(event: AgentEvent): void;
  /** Absent where nobody can be asked. */
  readonly ask?: (question: PermissionQuestion) => Promise<PermissionAnswer>;
}

export interface SessionsPort {
  /** One line on the model that answers. */
  readonly about: string;
  open(choice: SessionChoice): Promise<SessionPort>;
  /** Newest use first. */
  list(): Promise<readonly SessionSummary[]>;
  close(): Promise<void>;
}
