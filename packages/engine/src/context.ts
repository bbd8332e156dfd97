/**
 * The hub: the only place that calls stages and awaits ports. One context serves one session; calls that change it run one
 * after the other, in the order they were made.
 */
import type { Codec, Head } from './core/codec.ts';
import type { Group, Pin } from './core/edit.ts';
import type { Wire } from './core/entry.ts';
import { ContextError } from './core/errors.ts';
import { estimateTokens } from './core/estimate.ts';
import type { ContextEvent } from './core/events.ts';
import type { SnipRequest } from './core/layers/snip.ts';
import { defaultLens } from './core/lenses/default.ts';
import { calibrated } from './core/meter.ts';
import { classic } from './core/policies/classic.ts';
import type { Policy } from './core/policy.ts';
import type { Recalled, SearchFilters } from './core/recalled.ts';
import { sha256Hex } from './core/sha256.ts';
import { checkSnapshot, loadGroup, type Snapshot, storeGroup } from './core/snapshot.ts';
import { isVerbatim, type View } from './core/view.ts';
import { type Window, windowOf } from './core/window.ts';
import { RECALL_TOOL } from './core/unread-recalls.ts';
import { type Breakdown, breakdown } from './hub/breakdown.ts';
import type { TurnDeps } from './hub/draft.ts';
import { diffOf, type EpochDiff } from './hub/diff.ts';
import { createEncoder } from './hub/encode.ts';
import type { CompactOptions, Context, ContextOptions, ForecastOptions, Gauge, PrepareOptions } from './hub/face.ts';
import { type Forecast, forecast } from './hub/forecast.ts';
import { pinning, requireWords, unpinning } from './hub/pinboard.ts';
import { recallAddress, recallText, storedText } from './hub/recall.ts';
import { type RedactionPort, redactingCodec, redactingState, redactingWriter } from './hub/redaction.ts';
import { appendMessages, createSession, moveTo, type Session } from './hub/session.ts';
import { loadMessages, type SyncTools } from './hub/sync.ts';
import type { Turn } from './hub/turn.ts';
import { Turns } from './hub/turns.ts';
import { redoNewest, undoNewest } from './hub/undo.ts';
import { cachePricesOf, modelFacts } from './providers/model-facts.ts';
import { classifyError, isSilentOverflow } from './providers/overflow.ts';
import { redactSecrets } from './providers/redact.ts';
import { redactMessage, redactMessages } from './providers/redact-message.ts';

export type { CompactOptions, Context, ContextOptions, ForecastOptions, Gauge, PrepareOptions } from './hub/face.ts';

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

/** Looks each model up once: every prepare asks. */
function remembered<T>(look: (model: string) => T): (model: string) => T {
  const known = new Map<string, T>();
  return (model) => {
    const before = known.get(model);
    if (before !== undefined) return before;
    const found = look(model);
    known.set(model, found);
    return found;
  };
}

const REDACTION: RedactionPort = { text: (text) => redactSecrets(text).text, messages: redactMessages };

class Hub<Request extends object, Reply extends object> implements Context<Request, Reply> {
  readonly #options: ContextOptions<Request, Reply>;
  readonly #policy: Policy;
  readonly #session: Session;
  readonly #tools: SyncTools;
  readonly #hash: (text: string) => string;
  readonly #deps: TurnDeps;
  readonly #turns: Turns;
  readonly #waiting: Wire[][] = [];
  #head: Head | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #busy = 0;

  constructor(options: ContextOptions<Request, Reply>) {
    this.#options = options;
    this.#policy = options.policy ?? classic;
    // The hub treats requests as opaque; the codec is the one that knows their type.
    const given = options.codec as unknown as Codec;
    const codec = options.redact === 'arrival' ? redactingCodec(given, REDACTION) : given;
    this.#tools = { codec, count: this.#policy.count ?? options.count ?? estimateTokens };
    this.#session = createSession(codec.idScope);
    this.#hash = options.archive.hash ?? sha256Hex;
    this.#deps = this.#turnDeps();
    this.#turns = new Turns(this.#deps);
  }

  #turnDeps(): TurnDeps {
    const { archive, writer, lens, recallTool, sessionId, transcript, onEvent, state, beforeSummary } = this.#options;
    const { prices, reasoningBinding, now } = this.#options;
    const isArrival = this.#options.redact === 'arrival';
    return {
      ...this.#tools,
      session: this.#session,
      policy: this.#policy,
      hash: this.#hash,
      archive,
      writer: writer === undefined ? undefined : redactingWriter(writer, REDACTION, isArrival),
      lens: lens ?? defaultLens,
      errors: { classify: (error) => classifyError(error), isSilentOverflow },
      encoder: createEncoder(this.#tools.codec),
      recallTool: recallTool ?? RECALL_TOOL,
      sessionId: sessionId ?? 'session',
      transcript,
      state: isArrival && state !== undefined ? redactingState(state, REDACTION) : state,
      beforeSummary,
      redacted: isArrival ? (message) => redactMessage(message, this.#tools.codec).count : undefined,
      emit: (event) => tell(onEvent, event),
      windowFor: (head) => this.#windowFor(head),
      prices: prices ?? remembered((model) => cachePricesOf(modelFacts(model))),
      binding: reasoningBinding ?? remembered((model) => modelFacts(model).reasoningBinding ?? 'reject'),
      now: now ?? Date.now,
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
      const turn = await this.#turns.prepare(request, this.#head, signal);
      // `encode` keeps the request's type: it replaces the messages of a shallow copy.
      return turn as unknown as Turn<R, Reply>;
    });
  }

  /** What is kept of a text or of messages the host hands in. */
  #keptText(text: string): string {
    return this.#options.redact === 'arrival' ? REDACTION.text(text) : text;
  }

  #keptMessages(messages: readonly Wire[]): readonly Wire[] {
    return this.#options.redact === 'arrival' ? REDACTION.messages(messages, this.#tools.codec) : messages;
  }

  append(given: readonly Wire[]): void {
    const messages = this.#keptMessages(given);
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
    this.#session.notes = [...this.#session.notes, { text: this.#keptText(text) }];
  }

  pin(text: string): number {
    const { count } = this.#tools;
    const made = pinning(this.#session, this.#keptText(text), { count, windowTokens: this.#knownWindowTokens() });
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
    return this.#serial(async () => this.#turnBack('epoch-undo', undoNewest));
  }

  redo(): Promise<boolean> {
    return this.#serial(async () => this.#turnBack('epoch-redo', redoNewest));
  }

  #turnBack(type: 'epoch-undo' | 'epoch-redo', work: typeof undoNewest): boolean {
    // What the context shows is what is undone, the course of an open turn included.
    this.#turns.keepCourse();
    this.#turns.drop();
    const done = work(this.#session, {
      count: this.#tools.count,
      hash: this.#hash,
      tokensOf: (view, seq) => this.#tokensOf(view, seq),
      roomTokens: this.#head === undefined ? Number.POSITIVE_INFINITY : this.#windowFor(this.#head).blockTokens,
      isBound: this.#head === undefined || this.#deps.binding(this.#head.model) !== 'none',
    });
    if (done === undefined) return false;
    this.#flush();
    const sessionId = this.#options.sessionId ?? 'session';
    tell(this.#options.onEvent, { type, sessionId, epochId: done.target, groups: done.groups });
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

  search(query: string, filters?: SearchFilters): Recalled {
    const { lens = defaultLens, recallTool = RECALL_TOOL } = this.#options;
    const session = { ...this.#session, view: this.#turns.openView ?? this.#session.view };
    const port = { lens, recallTool, redact: REDACTION.text, count: this.#tools.count };
    return recallText(session, { query, filters }, port);
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

  preview(request: Request, { compact, signal }: ForecastOptions = {}): Promise<Forecast> {
    const manual = compact === undefined ? undefined : { span: compact.span ?? 'all', focus: compact.focus };
    return this.#serial(async () => {
      const headTokens = (head: Head): number => this.#turns.headTokens(head);
      const deps = { ...this.#deps, headTokens, waiting: this.#waiting.flat() };
      return forecast(deps, { request, manual, signal });
    });
  }

  diff(epochId?: number): EpochDiff | undefined {
    return diffOf(this.#session, epochId, this.#deps);
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
      loadMessages(fresh, this.#keptMessages(messages), this.#tools);
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
    return history.messages.slice();
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
