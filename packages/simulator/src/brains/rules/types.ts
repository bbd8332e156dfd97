/** The shapes the rule-following brain works with: a task is a list of steps, a step answers with a move. */

export type Verbosity = 'short' | 'normal' | 'long';

export interface RulesOptions {
  /** Name the server reports. Default `rules`. */
  readonly name?: string;
  /** Most files read for one "read every file in" step. Default 40. */
  readonly readCap?: number;
  /** How much it says beside its progress line. Default `normal`. */
  readonly verbosity?: Verbosity;
}

export type Settings = Required<RulesOptions>;

/** One call found in the messages, with its answer when that is in view too. */
export interface CallRecord {
  /** Index of the assistant message that made the call. */
  readonly message: number;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly result?: ResultRecord;
}

export interface ResultRecord {
  readonly text: string;
  readonly isError: boolean;
  /** In the last message, so no compaction layer has had a reason to blank it. */
  readonly fresh: boolean;
}

export interface TextRecord {
  readonly message: number;
  readonly text: string;
}

/** The request in the form the rules need: everything said and done, oldest first. */
export interface View {
  readonly calls: readonly CallRecord[];
  /** One entry per assistant message that has text. */
  readonly said: readonly TextRecord[];
  /** One entry per text part of a user message. */
  readonly heard: readonly TextRecord[];
  /** Indexes of user messages that answer calls. */
  readonly answering: ReadonlySet<number>;
  readonly last: number;
  readonly tools: ReadonlySet<string>;
}

export interface PlannedCall {
  readonly name: string;
  readonly input: Record<string, unknown>;
}

/** `last` says that the step is complete once these calls are answered. */
export type Move =
  | { readonly kind: 'call'; readonly calls: readonly PlannedCall[]; readonly last: boolean; readonly note?: string }
  | { readonly kind: 'pass'; readonly note: string }
  | { readonly kind: 'skip'; readonly note: string };

/** What a step may look at when it decides on its next move. */
export interface Scene {
  readonly view: View;
  readonly settings: Settings;
  /** Calls already made for this step and still in view. */
  readonly since: readonly CallRecord[];
  /** 1, or more when the step was begun before and what it had gathered is gone. */
  readonly attempt: number;
  /** Calls spent on preparing the step, also those no longer in view. */
  readonly parts: number;
  /** Where the newest mark of the step says its text can be had. */
  readonly address?: string;
  readonly steps: readonly Step[];
  readonly index: number;
}

export interface Step {
  readonly label: string;
  /** The file this step changes. */
  readonly changes?: string;
  /** The clause, quoted, where no rule can do what it asks: the step is said and settled but never counts as done. */
  readonly undone?: string;
  /** The step replaces the conversation by a summary, so that its own call is seldom in view afterwards. */
  readonly compacts?: boolean;
  next(scene: Scene): Move;
}

export interface Task {
  /** Four hex digits of the instruction text. */
  readonly tag: string;
  readonly steps: readonly Step[];
  /** Index of the message the instruction stands in. */
  readonly message: number;
}
