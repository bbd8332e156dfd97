/** Texts of test histories, as small specifications that print well in a counterexample and expand the same way every time. */
import fc from 'fast-check';

export interface TextSpec {
  readonly kind: TextKind;
  readonly chars: number;
  /** Makes texts differ; equal salts make equal texts, which is a case of its own. */
  readonly salt: number;
}

const UNITS = {
  words: 'the quick brown fox reads packages/engine/src/main.ts and runs the tests again ',
  code: "const total = items.map((x) => x.price * 2);\n  if (total > 10) { throw new Error('no'); }\n",
  unicode: 'naïve 日本語のテキスト 👩‍👩‍👧‍👦 Ω≈ç√ зд́равствуй 𝔘𝔫𝔦 ',
  nul: 'before\u0000after\u0001\u001f\u007f\ufeff ',
  lone: 'high \ud83d alone, low \udc00 alone ',
  dollar: "$& $1 $` $' $$ ${x} \\$& ",
  marker:
    '[snipped 12 messages from conversation middle] recall: h_0-3_0123456789abcdef\n[Earlier tool result compacted. Re-run if needed.] recall: c_0123456789abcdef\n',
  persisted:
    '<persisted-output>\nFull output: 9 characters, recall: c_0123456789abcdef\n</persisted-output>\n[Compacted]\n\n[Reactive compact]\n',
  list: '["c_0123456789abcdef","h_0-1_0123456789abcdef"]',
} as const;

export type TextKind = keyof typeof UNITS | 'empty' | 'blank';

const expanded = new Map<string, string>();

export function textOf({ kind, chars, salt }: TextSpec): string {
  if (kind === 'empty') return '';
  if (kind === 'blank') return ' \n\t'.slice(0, 1 + (salt % 3));
  const key = `${kind} ${chars} ${salt}`;
  const known = expanded.get(key);
  if (known !== undefined) return known;
  const unit = UNITS[kind];
  const text = `${salt}:${unit.repeat(Math.ceil(chars / unit.length))}`.slice(0, Math.max(2, chars));
  if (expanded.size > 2_000) expanded.clear();
  expanded.set(key, text);
  return text;
}

const SIZES = [3, 40, 119, 120, 121, 122, 600, 3_000, 12_000, 60_000] as const;

const kinds = fc.constantFrom<TextKind>(
  'words',
  'words',
  'code',
  'code',
  'unicode',
  'nul',
  'lone',
  'dollar',
  'marker',
  'persisted',
  'list',
);

/** A text a caller should send: never empty. */
export const soundText: fc.Arbitrary<TextSpec> = fc.record({
  kind: kinds,
  chars: fc.oneof(
    { weight: 60, arbitrary: fc.constantFrom(...SIZES.slice(0, 7)) },
    { weight: 24, arbitrary: fc.constantFrom(600, 3_000) },
    { weight: 5, arbitrary: fc.constant(12_000) },
    { weight: 1, arbitrary: fc.constant(60_000) },
  ),
  salt: fc.nat({ max: 30 }),
});

export const shortText: fc.Arbitrary<TextSpec> = fc.record({
  kind: kinds,
  chars: fc.constantFrom(3, 40, 120, 300),
  salt: fc.nat({ max: 30 }),
});

/** Mostly sound, at times empty or blank. */
export const anyText: fc.Arbitrary<TextSpec> = fc.oneof(
  { weight: 14, arbitrary: soundText },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom<TextKind>('empty', 'blank'),
      chars: fc.constant(0),
      salt: fc.nat({ max: 2 }),
    }),
  },
);
