/** What has to hold of a session, as functions that throw with the name of what broke. */
import type { Codec } from '../../../src/core/codec.ts';
import { digestValue } from '../../../src/core/digest.ts';
import type { Group } from '../../../src/core/edit.ts';
import type { Entry, Wire } from '../../../src/core/entry.ts';
import { History } from '../../../src/core/history.ts';
import { loadGroup, storeGroup } from '../../../src/core/snapshot.ts';
import { verifyView } from '../../../src/core/verify.ts';
import { type Count, project, type View, type ViewEntry } from '../../../src/core/view.ts';
import { createEncoder } from '../../../src/hub/encode.ts';
import { entryOf } from '../../../src/hub/session.ts';

export class Violation extends Error {
  constructor(invariant: string, detail: string) {
    super(`${invariant}: ${detail.slice(0, 1_500)}`);
    this.name = 'Violation';
  }
}

export function expectThat(holds: boolean, invariant: string, detail: () => string = () => ''): asserts holds {
  if (!holds) throw new Violation(invariant, detail());
}

export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
  return value;
}

/** Histories over the same messages as a context's, whose entries are read once each. */
export class Mirror {
  readonly #codec: Codec;
  readonly #count: Count;
  readonly #entries = new WeakMap<Wire, Entry>();
  readonly #digests = new WeakMap<Wire, string>();
  #history: History;

  constructor(codec: Codec, count: Count) {
    this.#history = new History(codec.idScope);
    this.#codec = codec;
    this.#count = count;
  }

  entry(message: Wire): Entry {
    const known = this.#entries.get(message);
    if (known !== undefined) return known;
    const entry = entryOf(message, this.#codec, this.#count);
    this.#entries.set(message, entry);
    return entry;
  }

  digest(message: Wire): string {
    const known = this.#digests.get(message) ?? digestValue(this.#codec.canonical(message));
    this.#digests.set(message, known);
    return known;
  }

  /** A history of `messages`; extends the last one where it can. */
  of(messages: readonly Wire[]): History {
    const last = this.#history;
    const known = Math.min(last.length, messages.length);
    let same = 0;
    while (same < known && last.at(same).message === messages[same]) same += 1;
    if (same < last.length) this.#history = last.fork(same);
    for (const message of messages.slice(same)) this.#history.append(this.entry(message));
    return this.#history;
  }
}

/** Everything a view entry says, its patches in order. */
function entryKey({ from, to, tokens, bytes, range, patches, notes }: ViewEntry): string {
  return JSON.stringify([from, to, tokens, bytes, range, [...(patches ?? [])].sort(([a], [b]) => a - b), notes]);
}

export function sameView(one: View, other: View): string | undefined {
  if (one.tokens !== other.tokens || one.bytes !== other.bytes)
    return `${one.tokens} tokens and ${one.bytes} bytes against ${other.tokens} and ${other.bytes}`;
  if (one.entries.length !== other.entries.length)
    return `${one.entries.length} entries against ${other.entries.length}`;
  const at = one.entries.findIndex((entry, index) => {
    const twin = other.entries[index];
    return twin === undefined || (entry !== twin && entryKey(entry) !== entryKey(twin));
  });
  return at < 0
    ? undefined
    : `entry ${at}: ${JSON.stringify(one.entries[at])} against ${JSON.stringify(other.entries[at])}`;
}

/** The view cut back to the first `length` entries of the history. */
export function cutView(view: View, length: number): View {
  const entries = view.entries.filter((entry) => entry.to <= length);
  const tokens = entries.reduce((sum, entry) => sum + entry.tokens, 0);
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  return { entries, tokens, bytes };
}

export interface LedgerProof {
  readonly codec: Codec;
  readonly count: Count;
  readonly hash: (text: string) => string;
  readonly load: (address: string) => Promise<string | undefined>;
}

/** The groups as they come back from disk. */
export async function roundTrip(groups: readonly Group[], tools: LedgerProof): Promise<readonly Group[]> {
  const stored = groups.map((group) => storeGroup(group, tools.hash));
  const read = JSON.parse(JSON.stringify(stored)) as typeof stored;
  return Promise.all(read.map((group) => loadGroup(group, tools.load)));
}

/** The committed view is sound, and is what `project` makes of the ledger read back from JSON. */
export async function checkView(
  view: View,
  groups: readonly Group[],
  history: History,
  tools: LedgerProof,
): Promise<void> {
  const failures = verifyView(view, history);
  expectThat(failures.length === 0, 'verifyView', () => failures.join('; '));
  const projected = project(history, await roundTrip(groups, tools), tools.count);
  const difference = sameView(view, projected);
  expectThat(difference === undefined, 'the incremental view equals project after a JSON round trip', () =>
    String(difference),
  );
}

/** Any subset of the ledger, its repairs kept, pairs and covers. `pick` decides which epochs stay. */
export function checkSubset(
  groups: readonly Group[],
  history: History,
  count: Count,
  pick: (seq: number) => boolean,
): void {
  const subset = groups.filter(
    (group) => group.cause === 'repair' || group.cause === 'rewind' || (group.cause !== 'undo' && pick(group.seq)),
  );
  const failures = verifyView(project(history, subset, count), history);
  expectThat(
    failures.length === 0,
    'any subset of the ledger pairs and covers',
    () => `${subset.map((group) => group.seq).join(',')} of ${groups.length}: ${failures.join('; ')}`,
  );
}

export function render(view: View, history: History, codec: Codec): readonly Wire[] {
  return createEncoder(codec).messages(view, history);
}

const sizes = new WeakMap<object, number>();

/** Length of a value as JSON; remembered, since the values are frozen. */
export function jsonSize(value: object): number {
  const known = sizes.get(value);
  if (known !== undefined) return known;
  const size = JSON.stringify(value).length;
  sizes.set(value, size);
  return size;
}
