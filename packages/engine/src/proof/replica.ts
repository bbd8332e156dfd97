/** A session built up again from what its log says, record by record: the history so far, the ledger so far, and the view they make. */
import type { Codec } from '../core/codec.ts';
import { type Group, isEpoch } from '../core/edit.ts';
import type { Wire } from '../core/entry.ts';
import { estimateTokens } from '../core/estimate.ts';
import { History } from '../core/history.ts';
import { isProved } from '../core/ledger.ts';
import { loadGroup, type StoredGroup } from '../core/snapshot.ts';
import { applyEdits, type Count, EMPTY_VIEW, extend, project, type View } from '../core/view.ts';
import { createEncoder } from '../hub/encode.ts';
import { entryOf } from '../hub/session.ts';

export interface ReplicaOptions {
  readonly codec: Codec;
  /** The text the archive holds at a content address; undefined where it has none, or not that one. */
  readonly load: (address: string) => Promise<string | undefined>;
  /** Counts tokens. @default estimateTokens */
  readonly count?: Count;
}

export interface Replica {
  readonly history: History;
  /** What a request made now would hold: `project(history, groups)`. */
  readonly view: View;
  readonly groups: readonly Group[];
  /** Throws `INVALID_REQUEST` for a message the codec cannot read; nothing has changed then. */
  append(message: Wire): void;
  /** Goes on from the first `length` entries, or all where there are fewer. */
  rewind(length: number): void;
  /** Takes groups as a log keeps them; gives them back with their texts. An edit whose text is lost has no proof. */
  take(groups: readonly StoredGroup[]): Promise<readonly Group[]>;
  /** The messages of the view as the engine sends them, in order. */
  messages(): readonly Wire[];
}

class Rebuilt implements Replica {
  history: History;
  readonly groups: Group[] = [];
  readonly #options: Required<ReplicaOptions>;
  readonly #encoder: ReturnType<typeof createEncoder>;
  #view: View = EMPTY_VIEW;
  /** Set where the view has to be projected anew: something was taken back, or is about messages that are not here yet. */
  #isStale = false;

  constructor(options: ReplicaOptions) {
    this.#options = { count: estimateTokens, ...options };
    this.history = new History(options.codec.idScope);
    this.#encoder = createEncoder(options.codec);
  }

  append(message: Wire): void {
    this.history.append(entryOf(message, this.#options.codec, this.#options.count));
    if (!this.#isStale) this.#view = extend(this.#view, this.history);
  }

  rewind(length: number): void {
    if (length >= this.history.length) return;
    this.history = this.history.fork(length);
    this.#isStale = true;
  }

  async take(stored: readonly StoredGroup[]): Promise<readonly Group[]> {
    const groups = await Promise.all(stored.map((group) => loadGroup(group, this.#options.load)));
    this.groups.push(...groups);
    const edits = groups.flatMap((group) => (isEpoch(group) ? group.edits : []));
    this.#isStale ||= groups.some(takesBack) || !edits.every((edit) => isProved(edit, this.history));
    if (!this.#isStale)
      this.#view = applyEdits(this.#view, edits, { history: this.history, count: this.#options.count });
    return groups;
  }

  get view(): View {
    if (this.#isStale) this.#view = project(this.history, this.groups, this.#options.count);
    this.#isStale = false;
    return this.#view;
  }

  messages(): readonly Wire[] {
    return this.#encoder.messages(this.view, this.history);
  }
}

/** Whether a group is neither edits nor about pins: what it takes back, only a projection knows. */
function takesBack(group: Group): boolean {
  return !isEpoch(group) && group.cause !== 'pin' && group.cause !== 'unpin';
}

export function createReplica(options: ReplicaOptions): Replica {
  return new Rebuilt(options);
}
