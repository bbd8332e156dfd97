/** How alike two short texts are: the Dice coefficient of their character pairs. 0–1, linear time. */

/** Texts are compared up to this length. */
const MAX_COMPARED_CHARS = 400;

export function similarity(a: string, b: string): number {
  if (a === b) return 1;
  const left = pairsOf(a);
  const right = pairsOf(b);
  let shared = 0;
  let total = 0;
  for (const [pair, count] of left) {
    shared += Math.min(count, right.get(pair) ?? 0);
    total += count;
  }
  for (const count of right.values()) total += count;
  return total === 0 ? 0 : (2 * shared) / total;
}

function pairsOf(text: string): ReadonlyMap<string, number> {
  const pairs = new Map<string, number>();
  const end = Math.min(text.length, MAX_COMPARED_CHARS) - 1;
  for (let index = 0; index < end; index += 1) {
    const pair = text.slice(index, index + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}
