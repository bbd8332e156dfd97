/** What every archive must do, as cases for any test runner. */

import { type Address, type Archive, contentAddress, type TextAbout } from '../core/archive.ts';
import { ContextError, type ContextErrorCode } from '../core/errors.ts';
import { sha256Hex } from '../core/sha256.ts';

export interface ArchiveConformanceOptions {
  /** A new, empty archive for each case. */
  readonly create: () => Promise<Archive>;
  /** Another archive over the storage of one, as another process would open it. @default cases that need it are left out */
  readonly reopen?: (archive: Archive) => Promise<Archive>;
}

export interface ConformanceCase {
  readonly name: string;
  /** Rejects with an Error that says what differed. */
  run(): Promise<void>;
}

const BIG_CHARS = 10_000_000;

/** Texts that archives have been seen to change: encodings, escapes, line ends, replacement patterns, lookalikes. */
const EXACT_TEXTS: readonly (readonly [name: string, text: string])[] = [
  ['the empty text', ''],
  ['plain text', 'one line\n'],
  ['Windows and old line ends', 'a\r\nb\rc\n\n'],
  ['blanks around', '  \t text \n '],
  ['NUL and control characters', 'a\u0000b\u0001\u001b[31m\u007f'],
  ['a byte order mark', '\ufeffstart'],
  ['every script', 'Grüße, привет, 你好, こんにちは, 안녕, مرحبا, שלום, 🙂👩‍👩‍👧‍👦'],
  ['composed and decomposed, which stay different', '\u00e9 e\u0301'],
  ['replacement patterns', "$& $1 $$ $` $' \\$&"],
  ['quotes, escapes and templates', '"\'`\\ \\n ${x} {{y}} %s %d'],
  ['JSON', '{"a":["b",1,null]}'],
  ['the line separators of Unicode', 'a\u2028b\u2029c\u0085d'],
  ['a lone high surrogate', 'a\ud800b'],
  ['a lone low surrogate', '\udc00'],
  ['surrogates in the wrong order', '\udc00\ud800'],
  ['the replacement character', 'a\ufffdb'],
  ['a JSON string that spells a lone surrogate', '"\\ud800"'],
  ['a noncharacter', '\uffff\ufffe'],
];

/** Things a model might ask for that must never become a path or a key. */
const HOSTILE_ADDRESSES: readonly Address[] = [
  '',
  '.',
  '..',
  '../c_0123456789abcdef',
  'c_../../../../etc/passwd',
  '/etc/passwd',
  'c_0123456789abcde',
  'c_0123456789abcdef0',
  'c_0123456789ABCDEF',
  'c_0123456789abcdef\n',
  'c_0123456789abcdef\u0000',
  'c_0123456789abcdef.txt',
  'C_0123456789abcdef',
  'h_0-5_0123456789abcdef',
  '__proto__',
  'constructor',
  'x'.repeat(100_000),
];

/** The cases; run each as a test of its own. They need no runner and no clock. */
export function archiveConformance(options: ArchiveConformanceOptions): readonly ConformanceCase[] {
  const { create, reopen } = options;
  return [
    ...EXACT_TEXTS.map(([name, text]) => ({
      name: `gives back exactly: ${name}`,
      run: async (): Promise<void> => roundTrip(await create(), text),
    })),
    { name: 'gives back exactly: 10 MB', run: async () => roundTrip(await create(), bigText()) },
    { name: 'keeps lookalike texts apart', run: async () => keepsApart(await create()) },
    { name: 'knows nothing it was not given', run: async () => unknownAddress(await create()) },
    { name: 'takes the same text again', run: async () => putsAgain(await create()) },
    { name: 'refuses another text at a used address', run: async () => refusesConflict(await create()) },
    { name: 'takes the same text many times at once', run: async () => putsAtOnce(await create()) },
    { name: 'takes many texts at once', run: async () => putsManyAtOnce(await create()) },
    { name: 'gives hostile addresses nothing', run: async () => refusesHostile(await create()) },
    { name: 'hashes as SHA-256', run: async () => hashes(await create()) },
    { name: 'takes no notice of what it is told about a text', run: async () => takesAbout(await create()) },
    { name: 'lists what it holds', run: async () => lists(await create()) },
    { name: 'removes what nobody put since', run: async () => removes(await create()) },
    ...(reopen === undefined ? [] : sharedCases({ create, reopen })),
  ];
}

function sharedCases({ create, reopen }: Required<ArchiveConformanceOptions>): readonly ConformanceCase[] {
  const both = async (): Promise<Pair> => {
    const one = await create();
    return { one, other: await reopen(one) };
  };
  return [
    { name: 'another over the same storage gives the exact texts', run: async () => givesToOther(await both()) },
    { name: 'another over the same storage takes the same texts at once', run: async () => putsBeside(await both()) },
    { name: 'another over the same storage refuses another text', run: async () => refusesBeside(await both()) },
    { name: 'keeps what another puts while it is removed', run: async () => removesBeside(await both()) },
  ];
}

interface Pair {
  readonly one: Archive;
  readonly other: Archive;
}

async function roundTrip(archive: Archive, text: string): Promise<void> {
  const address = addressIn(archive, text);
  await archive.put(address, text);
  requireText(await archive.get(address), text);
}

/** Texts that become one in UTF-8, in a normal form, without case or in a JSON escape. */
async function keepsApart(archive: Archive): Promise<void> {
  const texts = [
    ...['\ud800', '\udc00', '\ufffd', '"\\ud800"', 'holdover:json-string:"\\ud800"', 'a', 'A'],
    ...['\u00e9', 'e\u0301', 'a\n', 'a\r\n', ' a', ''],
  ];
  for (const text of texts) await archive.put(addressIn(archive, text), text);
  assertThat(
    new Set(texts.map((text) => addressIn(archive, text))).size === texts.length,
    'two texts share an address',
  );
  for (const text of texts) requireText(await archive.get(addressIn(archive, text)), text);
}

async function unknownAddress(archive: Archive): Promise<void> {
  assertThat((await archive.get('c_0123456789abcdef')) === undefined, 'an empty archive gave a text');
  await archive.put(addressIn(archive, 'something'), 'something');
  assertThat((await archive.get('c_0123456789abcdef')) === undefined, 'an unknown address gave a text');
}

async function putsAgain(archive: Archive): Promise<void> {
  for (const text of ['again', '', 'a\ud800']) {
    await archive.put(addressIn(archive, text), text);
    await roundTrip(archive, text);
  }
}

async function refusesConflict(archive: Archive): Promise<void> {
  for (const text of ['first', 'first\ud800']) {
    const address = addressIn(archive, text);
    await archive.put(address, text);
    for (const other of ['second', '', 'second\udc00']) {
      await requireRefusal(archive.put(address, other), 'ARCHIVE_CONFLICT');
    }
    requireText(await archive.get(address), text);
  }
}

async function putsAtOnce(archive: Archive): Promise<void> {
  const text = 'the same text '.repeat(10_000);
  const address = addressIn(archive, text);
  const reads = await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      if (index % 2 === 1) return archive.get(address);
      await archive.put(address, text);
      return text;
    }),
  );
  // A reader beside the writers sees nothing yet or all of it.
  for (const read of reads) if (read !== undefined) requireText(read, text);
  requireText(await archive.get(address), text);
}

async function putsManyAtOnce(archive: Archive): Promise<void> {
  const texts = Array.from({ length: 100 }, (_, index) => `text ${index} `.repeat(index));
  await Promise.all(texts.map((text) => archive.put(addressIn(archive, text), text)));
  const read = await Promise.all(texts.map((text) => archive.get(addressIn(archive, text))));
  texts.forEach((text, index) => requireText(read[index], text));
}

async function refusesHostile(archive: Archive): Promise<void> {
  for (const address of HOSTILE_ADDRESSES) {
    await requireRefusal(archive.put(address, 'text'), 'INVALID_OPTION');
    assertThat((await archive.get(address)) === undefined, `${shown(address)} gave a text`);
  }
}

const ABOUT: TextAbout = { tool: 'bash', path: "src/a's.ts", atMs: 1_000, session: '"; DROP TABLE' };

async function takesAbout(archive: Archive): Promise<void> {
  const address = addressIn(archive, 'told');
  for (const about of [ABOUT, {}, undefined, { ...ABOUT, tool: 'grep' }]) await archive.put(address, 'told', about);
  requireText(await archive.get(address), 'told');
}

/** Archives that can do neither leave both out. */
function keeperOf(archive: Archive): Required<Pick<Archive, 'list' | 'remove'>> | undefined {
  assertThat((archive.list === undefined) === (archive.remove === undefined), 'list and remove go together');
  const list = archive.list?.bind(archive);
  const remove = archive.remove?.bind(archive);
  return list === undefined || remove === undefined ? undefined : { list, remove };
}

async function lists(archive: Archive): Promise<void> {
  const keeper = keeperOf(archive);
  if (keeper === undefined) return;
  assertThat((await keeper.list()).length === 0, 'an empty archive lists a text');
  const texts = ['one', 'two \ud800', '', 'x'.repeat(50_000)];
  for (const text of [...texts, 'one']) await archive.put(addressIn(archive, text), text);
  const stored = await keeper.list();
  const named = stored.map(({ address }) => address).toSorted();
  const wanted = texts.map((text) => addressIn(archive, text)).toSorted();
  assertThat(JSON.stringify(named) === JSON.stringify(wanted), `lists ${named.join(' ')}, not ${wanted.join(' ')}`);
  assertThat(
    stored.every(({ bytes, usedMs }) => bytes >= 0 && usedMs > 0),
    'sizes and times have to be numbers',
  );
}

/** Later than any put so far, and than the clock of any disk says. */
const EVER = { usedBeforeMs: Number.MAX_SAFE_INTEGER };

async function removes(archive: Archive): Promise<void> {
  const keeper = keeperOf(archive);
  if (keeper === undefined) return;
  const [goes, stays] = ['goes \ud800', 'stays'].map((text) => ({ text, address: addressIn(archive, text) }));
  for (const each of [goes, stays]) if (each !== undefined) await archive.put(each.address, each.text);
  const { text = '', address = '' } = goes ?? {};
  assertThat(!(await keeper.remove(address, { usedBeforeMs: 1 })), 'what was put since may not be removed');
  requireText(await archive.get(address), text);
  assertThat(await keeper.remove(address, EVER), 'it was there, and could not be removed');
  assertThat((await archive.get(address)) === undefined, 'it was removed, and is there');
  assertThat(!(await keeper.remove(address, EVER)), 'what is gone cannot be removed');
  for (const hostile of HOSTILE_ADDRESSES)
    assertThat(!(await keeper.remove(hostile, EVER)), 'nothing is at no address');
  requireText(await archive.get(stays?.address ?? ''), stays?.text ?? '');
  await roundTrip(archive, text);
}

async function givesToOther({ one, other }: Pair): Promise<void> {
  for (const [, text] of EXACT_TEXTS) await one.put(addressIn(one, text), text);
  for (const [, text] of EXACT_TEXTS) requireText(await other.get(addressIn(other, text)), text);
}

async function putsBeside({ one, other }: Pair): Promise<void> {
  const texts = Array.from({ length: 60 }, (_, index) => `shared text ${index} `.repeat(index * 20));
  const putIn = (archive: Archive, list: readonly string[]): Promise<unknown> =>
    Promise.all(list.map((text) => archive.put(addressIn(archive, text), text)));
  await Promise.all([putIn(one, texts), putIn(other, texts.toReversed())]);
  for (const archive of [one, other]) {
    for (const text of texts) requireText(await archive.get(addressIn(archive, text)), text);
  }
}

async function refusesBeside({ one, other }: Pair): Promise<void> {
  const address = addressIn(one, 'first');
  await one.put(address, 'first');
  await requireRefusal(other.put(address, 'second'), 'ARCHIVE_CONFLICT');
  requireText(await one.get(address), 'first');
}

/** Whoever has put a text finds it, whatever is removed at the same time as unused. */
async function removesBeside({ one, other }: Pair): Promise<void> {
  const keeper = keeperOf(one);
  if (keeper === undefined) return;
  const texts = Array.from({ length: 30 }, (_, index) => `text ${index} `.repeat(index * 30));
  for (const text of texts) await one.put(addressIn(one, text), text);
  const newest = Math.max(...(await keeper.list()).map(({ usedMs }) => usedMs));
  // Clocks of disks may be coarse: what is put from here on is newer.
  const limit = { usedBeforeMs: newest + 20 };
  while (Math.max(...(await usedOf(other, texts[0] ?? ''))) < limit.usedBeforeMs) {
    /* put again until the time has moved on */
  }
  await Promise.all(
    texts.map(async (text) => {
      const removed = keeper.remove(addressIn(one, text), limit);
      await other.put(addressIn(other, text), text);
      await removed;
      requireText(await other.get(addressIn(other, text)), text);
    }),
  );
}

async function usedOf(archive: Archive, text: string): Promise<readonly number[]> {
  const address = addressIn(archive, text);
  await archive.put(address, text);
  return ((await archive.list?.()) ?? []).flatMap((stored) => (stored.address === address ? [stored.usedMs] : []));
}

async function hashes(archive: Archive): Promise<void> {
  const hash = archive.hash?.bind(archive);
  if (hash === undefined) return;
  for (const text of ['', 'abc', 'Grüße 🙂\u0000', 'x'.repeat(100_000)]) {
    assertThat(hash(text) === sha256Hex(text), `hash differs from SHA-256 for ${shown(text)}`);
  }
}

function bigText(): string {
  return 'Zeile 0123 → 漢字 🙂\n'.repeat(BIG_CHARS / 20);
}

function addressIn(archive: Archive, text: string): Address {
  return contentAddress(text, archive.hash === undefined ? sha256Hex : archive.hash.bind(archive));
}

async function requireRefusal(promise: Promise<unknown>, code: ContextErrorCode): Promise<void> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assertThat(error !== undefined, `expected a refusal with ${code}, but it was accepted`);
  const isRight = error instanceof ContextError && error.code === code;
  assertThat(isRight, `expected a ContextError ${code}, got ${shown(String(error))}`);
}

function requireText(actual: string | undefined, expected: string): void {
  assertThat(
    actual === expected,
    `expected ${shown(expected)}, got ${actual === undefined ? 'nothing' : shown(actual)}`,
  );
}

function assertThat(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

function shown(text: string): string {
  return text.length <= 80 ? JSON.stringify(text) : `${JSON.stringify(text.slice(0, 80))} (${text.length} chars)`;
}
