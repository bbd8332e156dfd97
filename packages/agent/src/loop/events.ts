/** What happens in an agent, as typed events for terminals, logs and viewers. */
import type { ContextEvent, Receipt } from '@holdover/engine';

export type AgentEvent =
  /** `forkedFrom`: the session this is a copy of, by choice or (not `isForkChosen`) because another process writes it. */
  | {
      readonly type: 'session-start';
      readonly sessionId: string;
      readonly isResumed: boolean;
      readonly forkedFrom?: string;
      readonly isForkChosen?: boolean;
    }
  | { readonly type: 'user-message'; readonly text: string }
  | { readonly type: 'text-delta'; readonly delta: string }
  /** Of what the model thinks, where the provider shows it. */
  | { readonly type: 'reasoning-delta'; readonly delta: string }
  | { readonly type: 'assistant-message'; readonly text: string; readonly calls: number }
  | { readonly type: 'tool-start'; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: 'tool-end';
      readonly id: string;
      readonly name: string;
      readonly text: string;
      readonly isError: boolean;
    }
  | { readonly type: 'request-retry'; readonly reason: string; readonly attempt: number; readonly waitMs: number }
  /** The model is overloaded: the rest of the run goes to the other one. */
  | { readonly type: 'fallback'; readonly from: string; readonly to: string }
  /** Something the user should know and need not act on. */
  | { readonly type: 'notice'; readonly text: string }
  | { readonly type: 'turn-end'; readonly receipt: Receipt }
  /** Something the engine did. */
  | { readonly type: 'context'; readonly event: ContextEvent }
  /** Something happened in a sub-agent; `id` is that of its `task` call. */
  | { readonly type: 'subagent'; readonly id: string; readonly event: AgentEvent }
  | { readonly type: 'run-end'; readonly result: RunResult };

export interface RunResult {
  /** The last assistant text. */
  readonly text: string;
  readonly stop: RunStop;
  readonly rounds: number;
  readonly receipts: readonly Receipt[];
}

/** `done`: the model called no tool any more; `rounds`: the limit of rounds was reached; `cap`: the output cap cut every continuation. */
export type RunStop = 'done' | 'rounds' | 'cap' | 'refusal';
