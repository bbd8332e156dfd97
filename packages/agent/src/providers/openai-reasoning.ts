/** Reasoning blocks as OpenRouter streams them: a list in each piece, texts in fragments, signatures and encrypted data whole. */

type Fields = Readonly<Record<string, unknown>>;

/** Members that come in fragments. */
const FRAGMENTS = ['text', 'summary'] as const;

function merged(before: Fields, next: Fields): Fields {
  const given = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== null && value !== undefined));
  const joined = FRAGMENTS.filter((name) => typeof before[name] === 'string' && typeof next[name] === 'string').map(
    (name) => [name, `${String(before[name])}${String(next[name])}`],
  );
  return { ...before, ...given, ...Object.fromEntries(joined) };
}

/** Adds the pieces in order: a fragment to the block before it of its kind and place, anything else as a block of its own. */
export function addDetails(blocks: Fields[], pieces: readonly Fields[]): void {
  for (const piece of pieces) {
    const last = blocks.at(-1);
    const isMore =
      last !== undefined &&
      last['type'] === piece['type'] &&
      last['index'] === piece['index'] &&
      piece['type'] !== 'reasoning.encrypted';
    if (isMore) blocks[blocks.length - 1] = merged(last, piece);
    else blocks.push(piece);
  }
}
