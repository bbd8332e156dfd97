/** Chance from a seed: the same words give the same numbers, whatever else was drawn. */

export interface Random {
  /** 0 up to, not including, 1. */
  next(): number;
  /** A whole number from `from` to `to`, both included. */
  int(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** One of the names, by weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name;
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01_00_01_93);
  return hash >>> 0;
}

/** Mulberry32 over the hash of `seed`. */
export function createRandom(seed: string): Random {
  let state = hashOf(seed);
  const next = (): number => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  return {
    next,
    int: (from, to) => from + Math.floor(next() * (to - from + 1)),
    chance: (probability) => next() < probability,
    pick<T>(list: readonly T[]): T {
      const item = list[Math.floor(next() * list.length)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
    weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
      const entries = Object.entries(weights) as [Name, number][];
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [name, weight] of entries) {
        left -= weight;
        if (left < 0) return name;
      }
      throw new Error('the weights add up to nothing');
    },
  };
}

const WORDS =
  'the parser reads a file and keeps what it found until someone asks for lines of code that fail under load while tests wait ' +
  'cache key value error path module index build server client token window history edit ledger archive';
const LIST = WORDS.split(' ');
/** One text in so many has words outside of Latin-1, which double its size in memory. */
const FOREIGN_CHANCE = 0.1;
const FOREIGN = ['über', 'naïve', '文字', '🙂', 'ключ'];

/** Plain prose of so many words. */
export function prose(random: Random, words: number): string {
  const list = random.chance(FOREIGN_CHANCE) ? [...LIST, ...FOREIGN] : LIST;
  return Array.from({ length: words }, () => random.pick(list)).join(' ');
}
