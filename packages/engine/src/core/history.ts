/**
 * One branch of a session's append-only history, with everything the layers ask of it kept up to date on arrival: range
 * digests, rounds, user messages, what the model has seen, and the caller's faults against the protocol.
 */
import type { Address } from './archive.ts';
import { type Digest, RangeDigests } from './digest.ts';
import { type Entry, hasUserWords, isBarrier, mediaTokensOf, type Part, type Wire } from './entry.ts';
import { Indices } from './indices.ts';
import { createPairing, type Fault, type IdScope, type Pairing } from './pairing.ts';

/** One part of one entry. */
export interface Place {
  readonly entry: number;
  readonly part: number;
}

export class History {
  readonly #entries: Entry[] = [];
  /** Of the entries: a caller's whole array is held against them in every call, and one list is read far quicker than so many objects. */
  readonly #messages: Wire[] = [];
  readonly #digests = new RangeDigests();
  readonly #roundStarts = new Indices();
  readonly #users: number[] = [];
  readonly #models: number[] = [];
  readonly #barriers: number[] = [];
  /** By the id of a call, the entry that answers it. */
  readonly #results = new Map<string, number>();
  readonly #pairing: Pairing;
  /** Tokens of the entries before each. */
  readonly #tokensBefore: number[] = [];
  #tokens = 0;
  #mediaTokens = 0;

  /** Where ids of calls have to be unique, by the wire format. */
  readonly idScope: IdScope;

  constructor(idScope: IdScope = 'request') {
    this.idScope = idScope;
    this.#pairing = createPairing(idScope);
  }

  get length(): number {
    return this.#entries.length;
  }

  /** Tokens of all entries: what append-only would send. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Tokens of the entries before entry `index`. */
  tokensBefore(index: number): number {
    return this.#tokensBefore[index] ?? this.#tokens;
  }

  /** What pictures and pages are counted at, at most, tokens. */
  get mediaTokens(): number {
    return this.#mediaTokens;
  }

  /** The message of each entry. */
  get messages(): readonly Wire[] {
    return this.#messages;
  }

  /** Entry `index`; the caller guarantees that it exists. */
  at(index: number): Entry {
    const entry = this.#entries[index];
    if (entry === undefined) throw new RangeError(`history has ${this.length} entries, asked for ${index}`);
    return entry;
  }

  append(entry: Entry): void {
    const index = this.length;
    const { start, answers } = this.#pairing.append(entry, index);
    this.#entries.push(entry);
    this.#messages.push(entry.message);
    this.#tokensBefore.push(this.#tokens);
    this.#tokens += entry.tokens;
    this.#mediaTokens += mediaTokensOf(entry);
    this.#digests.append(entry);
    this.#roundStarts.push(start);
    for (const part of answers) this.#noteResult(entry.parts[part], index);
    if (hasUserWords(entry)) this.#users.push(index);
    if (entry.origin === 'model') this.#models.push(index);
    if (isBarrier(entry)) this.#barriers.push(index);
  }

  /** A call is answered once; where ids are numbered anew in each reply, the newest round counts. */
  #noteResult(part: Part | undefined, entry: number): void {
    if (part?.kind === 'result') this.#results.set(part.callId, entry);
  }

  /** Where the result of a call stands, of the newest round that used the id; undefined where it has none. */
  resultOf(callId: string): Place | undefined {
    const entry = this.#results.get(callId);
    if (entry === undefined) return undefined;
    const isResult = (part: Part): boolean => part.kind === 'result' && part.callId === callId;
    return { entry, part: this.at(entry).parts.findIndex(isResult) };
  }

  /** A new branch with the first `length` entries of this one. */
  fork(length: number): History {
    const branch = new History(this.idScope);
    for (let i = 0; i < length; i += 1) branch.append(this.at(i));
    return branch;
  }

  digest(from: number, to: number): Digest {
    return this.#digests.range(from, to);
  }

  /** The address of a range: it names history bytes, and needs no copy of them. */
  address(from: number, to: number): Address {
    return `h_${from}-${to}_${this.digest(from, to)}`;
  }

  /** Whether the view may be cut before entry `index`: nowhere inside a round, nor behind one that waits for results. */
  canCut(index: number): boolean {
    return index >= this.length ? this.#pairing.openStart() === undefined : this.#roundStarts.at(index) === index;
  }

  /** Whether the cut before `index` is one only because entry `index` came while calls were open. */
  isForcedCut(index: number): boolean {
    return this.#pairing.endsOpenRound(index);
  }

  /** The nearest allowed cut at or before `index`. */
  cutBefore(index: number): number {
    if (index >= this.length) return this.#pairing.openStart() ?? this.length;
    return this.#roundStarts.at(index) ?? index;
  }

  /** The nearest allowed cut at or after `index`; the end of the history where there is none. */
  cutAfter(index: number): number {
    let cut = index;
    while (cut < this.length && !this.canCut(cut)) cut += 1;
    return cut;
  }

  /** Index of the newest message with the user's own words, or -1. */
  get newestUser(): number {
    return this.#users.at(-1) ?? -1;
  }

  /** Indices of the messages with the user's own words, ascending. */
  get users(): readonly number[] {
    return this.#users;
  }

  /** Indices of the model's entries, ascending. */
  get models(): readonly number[] {
    return this.#models;
  }

  /** Index of the newest model entry, or -1. Results before it have been seen; derived, never kept as state. */
  get newestModel(): number {
    return this.#models.at(-1) ?? -1;
  }

  /** Entries no range edit may cover, within `[from, to)`, ascending. */
  barriersIn(from: number, to: number): readonly number[] {
    return this.#barriers.slice(lowerBound(this.#barriers, from), lowerBound(this.#barriers, to));
  }

  /** Whether `[from, to)` holds a message with the user's own words. */
  hasUserIn(from: number, to: number): boolean {
    return lowerBound(this.#users, from) < lowerBound(this.#users, to);
  }

  /** What the caller got wrong, oldest first; calls still open at the end are included. */
  faults(): readonly Fault[] {
    return this.#pairing.faults();
  }
}

/** Index of the first of the ascending `values` that is not below `value`. */
function lowerBound(values: readonly number[], value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
