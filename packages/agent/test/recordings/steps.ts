/** What a recorded session is made of: a script says what comes next, and is told what its calls gave. */
import type { SimReplyPart } from '@holdover/simulator';

/** What a call gave, as the model sees it. */
export interface Seen {
  readonly text: string;
  readonly isError: boolean;
}

export type Step =
  /** The user says something, some time after what came before. */
  | { readonly kind: 'user'; readonly text: string; readonly pauseMs: number }
  /** The model answers; without a call the user's turn comes. */
  | { readonly kind: 'reply'; readonly parts: readonly SimReplyPart[] }
  /** The user stops the model before it has said anything. */
  | { readonly kind: 'interrupt' };

/** Part of a script, with what it found out. */
export type Does<T> = Generator<Step, T, readonly Seen[]>;
export type Script = Does<void>;

/** Milliseconds since 1970, moved on by what takes time. */
export interface Clock {
  now(): number;
  pass(ms: number): void;
}

export function createClock(startMs: number): Clock {
  let now = startMs;
  return {
    now: () => now,
    pass(ms) {
      now += Math.round(ms);
    },
  };
}
