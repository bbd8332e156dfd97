/**
 * What the calls of a history did, by call, file and command: derived, and kept up to date in one walk as the history
 * grows. It holds places and the inputs' own strings, no copies of texts.
 */
import type { Entry } from '../entry.ts';
import type { History, Place } from '../history.ts';
import type { Fact, Lens, Outcome } from '../lens.ts';
import {
  type CallRecord,
  type FileRecord,
  isDone,
  type Mutable,
  type Operation,
  operationOf,
  partsOf,
  repeatKey,
  type RepeatRecord,
  succeeded,
} from './call-record.ts';
import { pathKey } from './paths.ts';
import { type Superseded, supersedingOf } from './superseding.ts';

type OpenFile = Mutable<Omit<FileRecord, 'operations' | 'freshReads'>> & {
  readonly operations: Operation[];
  freshReads: Operation[];
};

type OpenRepeat = Mutable<Omit<RepeatRecord, 'records'>> & { readonly records: CallRecord[] };

const FAILED: Outcome = { isError: true };
const SUCCEEDED: Outcome = { isError: false };

/** The newer of two calls. */
function newer(one: CallRecord | undefined, other: CallRecord): CallRecord {
  return one !== undefined && one.seq > other.seq ? one : other;
}

/** Results of one batch may come in any order: the list stays in the order of the calls. */
function insert(reads: Operation[], read: Operation): void {
  let at = reads.length;
  while (at > 0 && (reads[at - 1]?.record.seq ?? -1) > read.record.seq) at -= 1;
  reads.splice(at, 0, read);
}

export class FactIndex {
  readonly #history: History;
  readonly #lens: Lens;
  readonly #calls: CallRecord[] = [];
  readonly #answered: CallRecord[] = [];
  readonly #files = new Map<string, OpenFile>();
  /** By kind, then by key: the key of a command is its own text, of which there is no copy then. */
  readonly #repeats = new Map<Fact['kind'], Map<string, OpenRepeat>>();
  /** Calls of the open round that wait for results. */
  readonly #open = new Map<string, Mutable<CallRecord>>();
  #length = 0;

  constructor(history: History, lens: Lens) {
    this.#history = history;
    this.#lens = lens;
  }

  /** Takes in what the history has grown by: linear in that. */
  extend(): this {
    for (; this.#length < this.#history.length; this.#length += 1)
      this.#take(this.#history.at(this.#length), this.#length);
    return this;
  }

  /** Entries taken in. */
  get length(): number {
    return this.#length;
  }

  /** All calls in order. */
  get calls(): readonly CallRecord[] {
    return this.#calls;
  }

  /** The files calls were about, in the order of their first call. */
  files(): IterableIterator<FileRecord> {
    return this.#files.values();
  }

  /** What is known of a file, by any spelling of its path. */
  file(path: string): FileRecord | undefined {
    return this.#files.get(pathKey(path));
  }

  /** The commands that were run, in the order of the first time. */
  commands(): Iterable<RepeatRecord> {
    return this.#repeats.get('ran')?.values() ?? [];
  }

  /** The runs of a command line, or undefined where it was never run. */
  runs(command: string): RepeatRecord | undefined {
    return this.#repeats.get('ran')?.get(command);
  }

  /** All calls that ask for the same as `record`; undefined for calls that cannot be repeated as such. */
  repeats({ fact }: Pick<CallRecord, 'fact'>): RepeatRecord | undefined {
    const key = repeatKey(fact);
    return key === undefined ? undefined : this.#repeats.get(fact.kind)?.get(key);
  }

  /** The call whose result stands at `place`. */
  answeredAt({ entry, part }: Place): CallRecord | undefined {
    let low = 0;
    let high = this.#answered.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const record = this.#answered[middle];
      if (record?.result === undefined) return undefined;
      const order = record.result.entry - entry || record.result.part - part;
      if (order === 0) return record;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }

  /** What superseded the result at `place`; undefined where nothing did, or no result stands there. */
  superseding(place: Place): Superseded | undefined {
    const record = this.answeredAt(place);
    return record === undefined ? undefined : supersedingOf(record, this);
  }

  #take(entry: Entry, index: number): void {
    // A message of the model, or one without results, ends the round: later results answer nothing.
    if (entry.origin !== 'user' || !entry.parts.some((part) => part.kind === 'result')) this.#open.clear();
    entry.parts.forEach((part, i) => {
      if (part.kind === 'call') this.#takeCall(part, { entry: index, part: i });
      else if (part.kind === 'result') this.#takeResult(part, { entry: index, part: i });
    });
  }

  #takeCall({ id, name, input }: { id: string; name: string; input: unknown }, call: Place): void {
    const fact = this.#lens.call(name, input);
    // All members from the start: what is added later lies outside of the object, and there is one for every call.
    const record = { seq: this.#calls.length, call, id, name, fact, result: undefined, outcome: undefined };
    this.#calls.push(record);
    this.#open.set(id, record);
    if (fact.kind === 'read' || fact.kind === 'wrote' || fact.kind === 'edited') {
      for (const { path, lines } of partsOf(fact)) {
        this.#fileAt(path).operations.push(operationOf(fact.kind, record, lines));
      }
    }
    const key = repeatKey(fact);
    if (key !== undefined) this.#noteRepeat(key, record);
  }

  #fileAt(path: string): OpenFile {
    const key = pathKey(path);
    const known = this.#files.get(key);
    if (known !== undefined) return known;
    const file: OpenFile = { path, operations: [], freshReads: [] };
    this.#files.set(key, file);
    return file;
  }

  #noteRepeat(key: string, record: CallRecord): void {
    const { kind } = record.fact;
    const ofKind = this.#repeats.get(kind) ?? new Map<string, OpenRepeat>();
    this.#repeats.set(kind, ofKind);
    const known = ofKind.get(key);
    if (known !== undefined) known.records.push(record);
    // Most are run once: a list that began empty would have room for seventeen.
    else ofKind.set(key, { records: [record], lastDone: undefined, lastSuccess: undefined });
  }

  #takeResult({ callId, text, isError }: { callId: string; text: string; isError: boolean }, result: Place): void {
    const record = this.#open.get(callId);
    if (record === undefined) return;
    this.#open.delete(callId);
    record.result = result;
    const outcome = this.#lens.outcome?.(record.fact, { name: record.name, text, isError });
    record.outcome = outcome ?? (isError ? FAILED : SUCCEEDED);
    this.#answered.push(record);
    this.#settleRepeat(record);
    if (succeeded(record)) this.#settleFiles(record);
  }

  #settleRepeat(record: CallRecord): void {
    const key = repeatKey(record.fact);
    const repeat = key === undefined ? undefined : this.#repeats.get(record.fact.kind)?.get(key);
    if (repeat === undefined) return;
    if (isDone(record)) repeat.lastDone = newer(repeat.lastDone, record);
    if (succeeded(record)) repeat.lastSuccess = newer(repeat.lastSuccess, record);
  }

  #settleFiles(record: CallRecord): void {
    const { fact } = record;
    if (fact.kind !== 'read' && fact.kind !== 'wrote' && fact.kind !== 'edited') return;
    for (const { path, lines } of partsOf(fact)) {
      const file = this.#fileAt(path);
      file.lastSuccess = newer(file.lastSuccess, record);
      if (fact.kind === 'read') {
        const isStale = file.lastChange !== undefined && file.lastChange.seq > record.seq;
        if (!isStale) insert(file.freshReads, operationOf('read', record, lines));
      } else {
        file.lastChange = newer(file.lastChange, record);
        file.freshReads = file.freshReads.filter((read) => read.record.seq > record.seq);
      }
    }
  }
}
