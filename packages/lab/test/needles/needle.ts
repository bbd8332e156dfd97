/** Needles: what somebody will ask for later, with the words they would ask by. */

/** What kind of thing it is, and whose words they are. */
export const KINDS = ['constraint', 'decision', 'id', 'file state', 'error', 'failing test'] as const;
export type Kind = (typeof KINDS)[number];
export type By = 'user' | 'tool' | 'model';

export interface Block {
  readonly type: string;
  readonly [key: string]: unknown;
}

export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Block[];
}

export interface Needle {
  readonly kind: Kind;
  readonly by: By;
  /** What a model that misses it would search for; never the answer itself. */
  readonly query: string;
  /** What has to be seen, to the letter. */
  readonly answer: string;
  /** The messages that bring it in: an exchange of the user's, or a round of the model's. */
  readonly messages: readonly Message[];
}

/** Numbers from a seed: mulberry32. */
export function createRandom(seed: number): { int(from: number, to: number): number; pick<T>(list: readonly T[]): T } {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const int = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  return {
    int,
    pick(list) {
      const item = list[int(0, list.length - 1)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
  };
}

export type Random = ReturnType<typeof createRandom>;
