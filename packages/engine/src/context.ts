/**
 * The hub: the only place that calls stages and awaits ports. One context serves one session; calls that change it run one
 * after the other, in the order they were made.
 */
import type { Archive } from './core/archive.ts';
import type { Codec, Head } from './core/codec.ts';
import type { Group, Pin } from './core/edit.ts';
import type { Wire } from './core/entry.ts';
import { ContextError } from './core/errors.ts';
import { estimateTokens } from './core/estimate.ts';
import type { ContextEvent } from './core/events.ts';
import type { SnipRequest } from './core/layers/snip.ts';
import type { SummarySpan } from './core/layers/summary.ts';
import { defaultLens, type Lens } from './core/lens.ts';
import { calibrated } from './core/meter.ts';
import { classic } from './core/policies/classic.ts';
import type { Policy } from './core/policy.ts';
import type { Recalled } from './core/recalled.ts';
import { sha256Hex } from './core/sha256.ts';
import { checkSnapshot, loadGroup, type Snapshot, storeGroup } from './core/snapshot.ts';
import type { Writer } from './core/summary/writer.ts';
import { type Count, isVerbatim, type View } from './core/view.ts';
import { type Window, windowOf } from './core/window.ts';
import type { BeforeSummaryPort, StatePort } from './hub/ask-host.ts';
import { type Breakdown, breakdown } from './hub/breakdown.ts';
import type { TurnDeps } from './hub/draft.ts';
import { createEncoder } from './hub/encode.ts';
import { pinning, requireWords, unpinning } from './hub/pinboard.ts';
import { recallAddress, recallText, storedText } from './hub/recall.ts';
import { appendMessages, createSession, moveTo, type Session } from './hub/session.ts';
import { loadMessages, type SyncTools } from './hub/sync.ts';
import type { Turn } from './hub/turn.ts';
import { Turns } from './hub/turns.ts';
import { undoNewest } from './hub/undo.ts';
import { classifyError, isSilentOverflow } from './providers/overflow.ts';

/** What a context is made with. `codec` and `archive` have to be given. */
export interface ContextOptions<Request extends object, Reply extends object> {
  /** The wire format of requests and replies. */
  readonly codec: Codec<Request, Reply>;
  /** Where everything taken out of view is kept. Private to one tenant. */
  readonly archive: Archive;
  /** @default classic */
  readonly policy?: Policy;
  /** The model that writes summaries. Without one the code writer does. */
  readonly writer?: Writer;
  /** What tool calls mean, for digests. @default defaultLens */
  readonly lens?: Lens;
  /** Counts tokens; deterministic. An exact encoder goes behind `guardedCounter`. @default estimateTokens */
  readonly count?: Count;
  /** Window of a model, tokens, 4,000 to 2,000,000. @default 200_000 */
  readonly windowTokens?: number | ((model: string) => number);
  /** Name of the tool that offers recall; markers are lossy only while the request has it. @default 'recall' */
  readonly recallTool?: string;
  /** Names the session in events and receipts. @default 'session' */
  readonly sessionId?: string;
  /** Sees the messages a summary is about to replace, before any model is asked; its rejection stops the summary. */
  readonly transcript?: (messages: readonly Wire[], address: string) => Promise<void>;
  /**
   * What to restore beside a summary: asked once for each, frozen into it, within 50,000 tokens (in proportion on windows below 200,000), half of
   * what the summary frees, and half of what it leaves before the next is due. Items of higher rank give way first. Its rejection is noted in `held`.
   */
  readonly state?: StatePort;
  /**
   * Asked before anything of a summary happens, once for each. `block` keeps it from being made: the threshold asks again at the next call, a
   * summary by hand is dropped, an overflow throws `COMPACTION_BLOCKED`. Its rejection is noted in `held` and blocks nothing.
   */
  readonly beforeSummary?: BeforeSummaryPort;
  /** Told of what happens, in order. What it throws surfaces as an uncaught error and changes nothing here. */
  readonly onEvent?: (event: ContextEvent) => void;
}

/** Of one `prepare`. */
export interface PrepareOptions {
  /** Aborts the summary a prepare may ask a model for; nothing has changed then. */
  readonly signal?: AbortSignal;
}

/** Of one `compact`. */
export interface CompactOptions {
  /** What the summary has to keep above all. */
  readonly focus?: string;
  /** @default 'all' */
  readonly span?: SummarySpan;
}

/** How full the window is, by the meter. */
export interface Gauge {
  /** The view with the newest request's system and tools, as the meter expects it to be billed. */
  readonly tokens: number;
  /** Of the newest request's model. */
  readonly window: Window;
}

/** One session's context: made by `createContext`, used by one host. Calls that change it run one after the other. */
export interface Context<Request extends object, Reply extends object> {
  /**
   * Makes the next request out of the caller's. `messages` is the caller's whole array, or empty for hosts that `append`. Two prepares in a
   * row give the same bytes. Messages handed in must not be changed in place afterwards. Rejects with `INVALID_REQUEST`, `INVARIANT_BROKEN`, `ARCHIVE_FAILED`; nothing has changed then.
   */
  prepare<const R extends Request>(request: R, options?: PrepareOptions): Promise<Turn<R, Reply>>;
  /** Adds messages to the history. While a turn is being prepared or is open they wait, and land behind its reply. `INVALID_REQUEST` for one that cannot be read. */
  append(messages: readonly Wire[]): void;
  /** Asks for a summary; the next prepare makes it, and the request is done with once that turn is accepted or kept. */
  compact(options?: CompactOptions): void;
  /** Asks that all turns of the user but the newest become one marker, with the user's words in them carried; the next prepare does it, if it offers recall. `keepTurns`, from 1: turns that stay. @default 1 */
  snip(options?: Partial<SnipRequest>): void;
  /**
   * A text for the model to see now, such as a reminder: put by the next prepare at the end of the newest message of the user's side that was never
   * sent (results or words), and frozen there. No part of the history and never the user's words; it waits where nothing unsent is there, stays until
   * its message is compacted, and a rewind before that message takes it along. Over a tenth of the window, head, tail and address stay. `INVALID_OPTION` for an empty text.
   */
  attach(text: string): void;
  /**
   * Keeps a text in view, verbatim, from the next prepared turn on and after every compaction, undo and restart, until it is unpinned; a rewind keeps it
   * too. Returns its id, that of the live pin where the text is pinned already. `INVALID_OPTION` for an empty text, one of more than a tenth of the window, or
   * pins of more than half of it together. A text that was pinned before gets the id it had. Not while a `restore` is under way: it replaces the ledger.
   */
  pin(text: string): number;
  /** No longer carried along: gone from the view with the next compaction of where it stands. False where no live pin has this id. */
  unpin(id: number): boolean;
  /** The live pins, oldest first. */
  pins(): readonly Pin[];
  /**
   * Takes back the newest epoch that is in force; forgets an open turn. False where there is none, as where a rewind dropped them all. Rejects with
   * `WINDOW_EXHAUSTED` if the result would not fit.
   */
  undo(): Promise<boolean>;
  /**
   * Goes on from the first `length` messages of the history, what waits included; forgets an open turn. Edits that speak of later messages are dropped
   * for good. `INVALID_OPTION` for a length that is not there.
   */
  rewind(length: number): void;
  /** The exact original at an address (`UNKNOWN_ADDRESS` for others). */
  recall(address: string): Promise<Recalled>;
  /** What left the view and contains a text, newest first, case ignored; at most 20 hits, the rest are counted. */
  search(query: string): Recalled;
  /** Whether the model still sees the result of this call word for word; false for a call without one. Where ids come again, the newest round counts. */
  showsResult(callId: string): boolean;
  /** How full the window is now; undefined before the first prepare, since the model and its window are not known. */
  gauge(): Gauge | undefined;
  /**
   * How the window is used, by category, were `request` sent now and nothing compacted: adds up exactly to what `gauge` says. `request` as
   * for `prepare`, before the first one too. Throws `INVALID_REQUEST`.
   */
  breakdown(request: Request): Breakdown;
  /** The state as JSON. `after`: number of a group; only the groups behind it are given, for logs that persist deltas. @default 0 */
  snapshot(after?: number): Snapshot;
  /**
   * Takes up a snapshot over the messages it was made with; edits that do not match them, or whose text the archive lost, are dropped. What waited,
   * messages and attached texts, goes with the session that is left. Rejects with `SNAPSHOT_UNREADABLE`, or `INVALID_REQUEST` for the messages.
   */
  restore(snapshot: unknown, messages: readonly Wire[]): Promise<void>;
  /** The whole history as it was handed in. */
  history(): readonly Wire[];
  /** The groups of the ledger, for persistence and proofs. */
  groups(): readonly Group[];
  /** The view as it stands, for proofs and displays. */
  view(): View;
}

/** A listener's fault is not the engine's: it surfaces as an uncaught error, as an event target's would, and changes nothing here. */
function tell(listener: ((event: ContextEvent) => void) | undefined, event: ContextEvent): void {
  try {
    listener?.(event);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

class Hub<Request extends object, Reply extends object> implements Context<Request, Reply> {
  readonly #options: ContextOptions<Request, Reply>;
  readonly #policy: Policy;
  readonly #session: Session;
  readonly #tools: SyncTools;
  readonly #hash: (text: string) => string;
  readonly #turns: Turns;
  readonly #waiting: Wire[][] = [];
  #head: Head | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #busy = 0;

  constructor(options: ContextOptions<Request, Reply>) {
    this.#options = options;
    this.#policy = options.policy ?? classic;
    // The hub treats requests as opaque; the codec is the one that knows their type.
    const codec = options.codec as unknown as Codec;
    this.#tools = { codec, count: this.#policy.count ?? options.count ?? estimateTokens };
    this.#session = createSession(codec.idScope);
    this.#hash = options.archive.hash ?? sha256Hex;
    this.#turns = new Turns(this.#turnDeps());
  }

  #turnDeps(): TurnDeps {
    const { archive, writer, lens, recallTool, sessionId, transcript, onEvent, state, beforeSummary } = this.#options;
    return {
      ...this.#tools,
      session: this.#session,
      policy: this.#policy,
      hash: this.#hash,
      archive,
      writer,
      lens: lens ?? defaultLens,
      errors: { classify: (error) => classifyError(error), isSilentOverflow },
      encoder: createEncoder(this.#tools.codec),
      recallTool: recallTool ?? 'recall',
      sessionId: sessionId ?? 'session',
      transcript,
      state,
      beforeSummary,
      emit: (event) => tell(onEvent, event),
      windowFor: (head) => this.#windowFor(head),
      flush: () => this.#flush(),
      serial: (work) => this.#serial(work),
    };
  }

  /** One change at a time, in the order of the calls. */
  #serial<T>(work: () => Promise<T>): Promise<T> {
    this.#busy += 1;
    const run = this.#queue.then(work).finally(() => {
      this.#busy -= 1;
    });
    this.#queue = run.catch(() => undefined);
    return run;
  }

  #flush(): void {
    if (this.#waiting.length === 0) return;
    this.#turns.keepCourse();
    for (const messages of this.#waiting.splice(0)) appendMessages(this.#session, messages, this.#tools);
  }

  #windowFor(head: Head): Window {
    const { windowTokens = 200_000 } = this.#options;
    const told = typeof windowTokens === 'number' ? windowTokens : windowTokens(head.model);
    const learned = this.#session.learnedWindows.get(head.model) ?? told;
    return windowOf(
      { windowTokens: Math.min(told, learned), maxOutputTokens: head.maxOutputTokens },
      this.#policy.window,
    );
  }

  /** Calibrated tokens of a request with `view` under the ledger's next version. */
  #tokensOf(view: View, seq: number): number {
    const headTokens = this.#head === undefined ? 0 : this.#turns.headTokens(this.#head);
    return calibrated(this.#session.meter, headTokens + view.tokens, seq);
  }

  prepare<const R extends Request>(request: R, { signal }: PrepareOptions = {}): Promise<Turn<R, Reply>> {
    return this.#serial(async () => {
      this.#head = this.#tools.codec.head(request);
      const turn = await this.#turns.prepare(request, signal);
      // `encode` keeps the request's type: it replaces the messages of a shallow copy.
      return turn as unknown as Turn<R, Reply>;
    });
  }

  append(messages: readonly Wire[]): void {
    if (this.#busy > 0 || this.#turns.isOpen) {
      // One that cannot be read is refused now: later it would take along what waits behind it.
      for (const message of messages) this.#tools.codec.decode(message);
      this.#waiting.push([...messages]);
      return;
    }
    // A turn that was dropped may have left some waiting, which came first.
    this.#flush();
    // What is appended to a course of its own makes the course the session's.
    this.#turns.keepCourse();
    appendMessages(this.#session, messages, this.#tools);
  }

  compact({ focus, span = 'all' }: CompactOptions = {}): void {
    this.#session.manual = { span, focus };
  }

  snip({ keepTurns = 1 }: Partial<SnipRequest> = {}): void {
    if (!Number.isInteger(keepTurns) || keepTurns < 1)
      throw new ContextError('INVALID_OPTION', `keepTurns must be a whole number from 1, got ${String(keepTurns)}`);
    this.#session.snip = { keepTurns };
  }

  attach(text: string): void {
    requireWords('attach', text);
    this.#session.notes = [...this.#session.notes, { text }];
  }

  pin(text: string): number {
    const { count } = this.#tools;
    const made = pinning(this.#session, text, { count, windowTokens: this.#knownWindowTokens() });
    if (typeof made === 'number') return made;
    this.#changePins(made);
    return made.id;
  }

  unpin(id: number): boolean {
    const made = unpinning(this.#session, id);
    if (made !== undefined) this.#changePins(made);
    return made !== undefined;
  }

  pins(): readonly Pin[] {
    return this.#session.ledger.pins;
  }

  #changePins(group: Group): void {
    this.#session.ledger.append([group]);
    const sessionId = this.#options.sessionId ?? 'session';
    tell(this.#options.onEvent, { type: 'pins-change', sessionId, groups: [group] });
  }

  #knownWindowTokens(): number | undefined {
    if (this.#head !== undefined) return this.#windowFor(this.#head).windowTokens;
    const { windowTokens = 200_000 } = this.#options;
    return typeof windowTokens === 'number' ? windowTokens : undefined;
  }

  undo(): Promise<boolean> {
    return this.#serial(async () => this.#undo());
  }

  #undo(): boolean {
    // What the context shows is what is undone, the course of an open turn included.
    this.#turns.keepCourse();
    this.#turns.drop();
    const undone = undoNewest(this.#session, {
      count: this.#tools.count,
      hash: this.#hash,
      tokensOf: (view, seq) => this.#tokensOf(view, seq),
      roomTokens: this.#head === undefined ? Number.POSITIVE_INFINITY : this.#windowFor(this.#head).blockTokens,
    });
    if (undone === undefined) return false;
    this.#flush();
    const sessionId = this.#options.sessionId ?? 'session';
    tell(this.#options.onEvent, { type: 'epoch-undo', sessionId, epochId: undone.target, groups: undone.groups });
    return true;
  }

  rewind(length: number): void {
    const waiting = this.#waiting.reduce((sum, messages) => sum + messages.length, 0);
    const most = this.#session.history.length + waiting;
    if (!Number.isInteger(length) || length < 0 || length > most) {
      throw new ContextError('INVALID_OPTION', `rewind takes 0 to ${most} messages, not ${length}`);
    }
    this.#turns.keepCourse();
    this.#turns.drop();
    this.#flush();
    const { history } = this.#session;
    moveTo(this.#session, { history: history.fork(length), keep: length }, this.#tools.count);
  }

  recall(address: string): Promise<Recalled> {
    return recallAddress(this.#session, address, { archive: this.#options.archive, hash: this.#hash });
  }

  search(query: string): Recalled {
    return recallText(this.#session, query, this.#options.recallTool ?? 'recall');
  }

  showsResult(callId: string): boolean {
    const { history, view } = this.#session;
    const place = history.resultOf(callId);
    return place !== undefined && isVerbatim(view, place);
  }

  gauge(): Gauge | undefined {
    if (this.#head === undefined) return undefined;
    const tokens = this.#tokensOf(this.#session.view, this.#session.ledger.nextSeq);
    return { tokens, window: this.#windowFor(this.#head) };
  }

  breakdown(request: Request): Breakdown {
    const deps = { ...this.#tools, session: this.#session, waiting: this.#waiting.flat(), policy: this.#policy };
    return breakdown(
      { ...deps, windowFor: (head) => this.#windowFor(head), headTokens: (head) => this.#turns.headTokens(head) },
      request,
    );
  }

  snapshot(after = 0): Snapshot {
    const { ledger, meter, breaker, holdLength, learnedWindows } = this.#session;
    const groups = ledger.since(after).map((group) => storeGroup(group, this.#hash));
    return { v: 1, groups, meter, breaker, holdLength, learnedWindows: [...learnedWindows] };
  }

  restore(value: unknown, messages: readonly Wire[]): Promise<void> {
    // What waits now belongs to the session that is left; what comes from here on follows the restored messages.
    this.#waiting.length = 0;
    this.#session.notes = [];
    return this.#serial(async () => {
      const snapshot = checkSnapshot(value);
      const { archive } = this.#options;
      const load = (at: string): Promise<string | undefined> => storedText(at, { archive, hash: this.#hash });
      const groups = await Promise.all(snapshot.groups.map((group) => loadGroup(group, load)));
      const fresh = createSession(this.#tools.codec.idScope);
      fresh.ledger.append(groups);
      loadMessages(fresh, messages, this.#tools);
      const { meter, breaker, holdLength } = snapshot;
      // The anchor belongs to a request of the old process; only the ratio is carried over.
      Object.assign(this.#session, fresh, {
        meter: { ratio: meter.ratio, reports: meter.reports },
        breaker,
        holdLength,
        // Attached since the call: for the messages to come.
        notes: this.#session.notes,
      });
      for (const [model, tokens] of snapshot.learnedWindows) this.#session.learnedWindows.set(model, tokens);
      this.#turns.drop();
      this.#flush();
    });
  }

  history(): readonly Wire[] {
    const { history } = this.#session;
    return Array.from({ length: history.length }, (_, index) => history.at(index).message);
  }

  groups(): readonly Group[] {
    return this.#session.ledger.groups;
  }

  view(): View {
    return this.#session.view;
  }
}

/** A context over one session. Throws `INVALID_OPTION` without a codec or an archive, and, at the first prepare, for a window out of range. */
export function createContext<Request extends object, Reply extends object>(
  options: ContextOptions<Request, Reply>,
): Context<Request, Reply> {
  // TypeScript says so at once; JavaScript would fail later and less clearly.
  if (options?.codec === undefined)
    throw new ContextError(
      'INVALID_OPTION',
      'codec is missing; import one, such as anthropic() from @holdover/engine/codecs/anthropic',
    );
  if (options.archive === undefined)
    throw new ContextError(
      'INVALID_OPTION',
      'archive is missing; import one, such as fsArchive(folder) from @holdover/engine/archives/fs',
    );
  return new Hub(options);
}
