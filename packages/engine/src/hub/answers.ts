/** What hosts and models answered about a summary not committed yet, so that a repeated prepare asks nobody and sends the same bytes. */
import type { StateItem } from '../core/summary/state.ts';

/** What a summary came to: a model's text, or undefined where the code writer takes over. */
export interface Summarised {
  readonly text: string | undefined;
  readonly writer: string;
  readonly attempts: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What the host said to a summary; `note`: why it could not be asked. */
export interface Gate {
  readonly block?: string | undefined;
  readonly focus?: string | undefined;
  readonly note?: string;
}

export interface AskedState {
  readonly items: readonly StateItem[];
  /** Why the host could not be asked. */
  readonly note?: string;
}

export class Answers {
  readonly texts: Map<string, Summarised> = new Map();
  readonly gates: Map<string, Gate> = new Map();
  readonly states: Map<string, AskedState> = new Map();

  clear(): void {
    this.texts.clear();
    this.gates.clear();
    this.states.clear();
  }
}
