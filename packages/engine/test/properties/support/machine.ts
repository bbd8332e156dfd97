/** Runs a random session against a context and checks after every step what has to hold. */
import { createHash } from 'node:crypto';
import { createContext, type Context } from '../../../src/context.ts';
import { anthropic } from '../../../src/codecs/anthropic.ts';
import type { Codec } from '../../../src/core/codec.ts';
import { type Group, isEpoch } from '../../../src/core/edit.ts';
import type { Wire } from '../../../src/core/entry.ts';
import { ContextError, type ContextErrorCode } from '../../../src/core/errors.ts';
import { codePointTokens, estimateTokens } from '../../../src/core/estimate.ts';
import { arrival } from '../../../src/core/layers/arrival.ts';
import { budget } from '../../../src/core/layers/budget.ts';
import { micro } from '../../../src/core/layers/micro.ts';
import { snip } from '../../../src/core/layers/snip.ts';
import { superseded } from '../../../src/core/layers/superseded.ts';
import { classic } from '../../../src/core/policies/classic.ts';
import { economicPolicy } from '../../../src/core/policies/economic.ts';
import type { CachePrices } from '../../../src/core/prices.ts';
import { Frozen } from './frozen.ts';
import { Ledger, rewindGroup } from '../../../src/core/ledger.ts';
import type { Policy } from '../../../src/core/policy.ts';
import { classifyError } from '../../../src/providers/overflow.ts';
import { type Count, project } from '../../../src/core/view.ts';
import type { Turn } from '../../../src/hub/turn.ts';
import type { CallSpec, ResultSpec, WireBuilder } from '../../../src/testing/wire-builder.ts';
import {
  checkSubset,
  checkView,
  cutView,
  deepFreeze,
  expectThat,
  jsonSize,
  type LedgerProof,
  Mirror,
  render,
  sameView,
} from './checks.ts';
import { memoryArchive, MoodyHost, MoodyWriter, refusal } from './doubles.ts';
import type { CallRound, Op, Outcome, Session, SyncKind } from './ops.ts';
import { anthropicFaults, openaiChatFaults } from './protocol.ts';
import {
  checkNewestUser,
  checkProgress,
  checkRecall,
  checkSnipped,
  checkUntouched,
  newestUserIndex,
  type Settled,
} from './settled.ts';
import { checkForecast } from './foretold.ts';
import { checkResultsShown } from './results-shown.ts';
import { StickyTexts } from './sticky-texts.ts';
import { liveEpochs, redoable, undoable, withEpochs } from './taken-back.ts';
import { type TextSpec, textOf } from './texts.ts';

/** Fires early, so that short histories reach every layer. */
const EAGER: Policy = {
  ...classic,
  name: 'eager',
  layers: [
    budget({ limitChars: 30_000, previewChars: 4_000 }),
    snip({ maxMessages: 12, headMessages: 2 }),
    micro({ keepResults: 1 }),
  ],
};

const FRUGAL = economicPolicy({ point: 'frugal' });

/** The same for the schedule: epochs as soon as they free anything. */
const THRIFTY: Policy = {
  ...FRUGAL,
  name: 'thrifty',
  layers: [
    arrival({ minChars: 4_000, minSavedChars: 4_000, limitChars: 60_000, previewChars: 20_000 }),
    superseded({ minChars: 2_000 }),
  ],
  ...(FRUGAL.rhythm === undefined
    ? {}
    : { rhythm: { ...FRUGAL.rhythm, stretch: 0.1, workingRounds: 2, minWorkingTokens: 5_000 } }),
};

/** Shapes results on arrival, at sizes the texts of histories have. */
const SHAPING = arrival({
  minChars: 40,
  minSavedChars: 20,
  limitChars: 2_000,
  readLimitChars: 4_000,
  previewChars: 500,
  messageChars: 8_000,
  errorChars: 100,
});

/** The same counts, remembered: the checks count the same texts again and again. */
function remembered(count: Count): Count {
  const known = new Map<string, number>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    if (known.size > 5_000) known.clear();
    const tokens = count(text);
    known.set(text, tokens);
    return tokens;
  };
}

const byCodePoints = remembered(codePointTokens);

const POLICIES: Readonly<Record<Session['policy'], Policy>> = {
  classic: { ...classic, count: byCodePoints },
  eager: { ...EAGER, count: byCodePoints },
  economic: { ...economicPolicy(), count: byCodePoints },
  thrifty: { ...THRIFTY, count: byCodePoints },
  calibrated: {
    ...EAGER,
    name: 'calibrated',
    count: remembered(estimateTokens),
    isCalibrated: true,
    layers: [SHAPING, ...EAGER.layers.slice(1)],
  },
};

/** Prices by model: the newest Claude's, DeepSeek's with its cheap reads, and one with a cliff within reach. */
const PRICES: readonly CachePrices[] = [
  { readTimes: 0.1, writeTimes: 1.25, outputTimes: 5, ttlMs: 300_000, cliffs: [] },
  { readTimes: 0.02, writeTimes: 1, outputTimes: 4, ttlMs: 3_600_000, cliffs: [] },
  { readTimes: 0.1, writeTimes: 1, outputTimes: 8, ttlMs: 600_000, cliffs: [{ aboveTokens: 2_000, inputTimes: 2 }] },
];

const TOOLS = ['bash', 'read_file', 'write_file', 'edit_file', 'grep', 'glob', 'frobnicate'] as const;

export interface Stats {
  turns: number;
  epochs: number;
  messages: number;
  summaries: number;
  exhausted: number;
  thrashing: number;
}

export interface Run {
  /** Digest over the bytes of every request. */
  readonly fingerprint: string;
  readonly stats: Stats;
}

type AnyTurn = Turn<object, object>;

interface Sent {
  readonly messages: readonly Wire[];
  readonly length: number;
}

class Machine {
  readonly #builder: WireBuilder;
  readonly #session: Session;
  readonly #codec: Codec;
  readonly #policy: Policy;
  readonly #archive = memoryArchive();
  readonly #writer = new MoodyWriter();
  readonly #host: MoodyHost;
  #writerCallsSeen = 0;
  readonly #mirror: Mirror;
  readonly #proof: LedgerProof;
  readonly #bytes = createHash('sha256');
  readonly stats: Stats = { turns: 0, epochs: 0, messages: 0, summaries: 0, exhausted: 0, thrashing: 0 };
  #context: Context<object, object>;
  /** The conversation as the caller knows it. */
  #messages: Wire[] = [];
  /** How many of them the context was given. */
  #delivered = 0;
  #nextId = 1;
  #sent: Sent | undefined;
  /** What was attached and pinned, by the machine's own account. */
  readonly #sticky: StickyTexts;
  /** The newest request as the caller made it. */
  #asked: object = {};
  #nowMs = 0;
  #model = 'model-0';
  readonly #frozen: Frozen;
  /** Whether the newest request was answered by a message. */
  #isAnswered = true;
  /** Whether the newest turn was accepted. */
  #isAccepted = true;

  constructor(builder: WireBuilder, session: Session) {
    this.#builder = builder;
    this.#session = session;
    this.#codec =
      builder.name === 'anthropic' ? (anthropic({ cache: session.cache }) as unknown as Codec) : builder.codec;
    this.#policy = POLICIES[session.policy];
    const count = this.#policy.count ?? codePointTokens;
    this.#mirror = new Mirror(this.#codec, count);
    this.#frozen = new Frozen((message) => this.#mirror.digest(message));
    this.#writer.mode = session.writer;
    this.#host = new MoodyHost(session.state, session.gate);
    const hash = this.#archive.hash as (text: string) => string;
    this.#proof = { codec: this.#codec, count, hash, load: (address) => this.#archive.get(address) };
    this.#context = this.#newContext();
    this.#sticky = new StickyTexts(() => this.#context);
    if (session.opening === 'compaction' && builder.name === 'anthropic')
      this.#push(builder.kinds.assistant['compaction']?.('Go on.', []) as Wire);
    this.#push(builder.user('Please begin.'));
  }

  #newContext(): Context<object, object> {
    return createContext<object, object>({
      codec: this.#codec,
      archive: this.#archive,
      policy: this.#policy,
      windowTokens: this.#session.windowTokens,
      prices: (model) => PRICES[Number(model.slice('model-'.length))] ?? (PRICES[0] as CachePrices),
      reasoningBinding: () => this.#session.binding,
      now: () => this.#nowMs,
      ...(this.#session.writer === 'none' ? {} : { writer: this.#writer }),
      ...this.#host.ports,
    });
  }

  /** A host that blocks summaries gets the provider's refusal back. */
  get #blocks(): readonly ContextErrorCode[] {
    return ['never', 'sometimes'].includes(this.#session.gate) ? ['COMPACTION_BLOCKED'] : [];
  }

  get fingerprint(): string {
    return this.#bytes.copy().digest('hex');
  }

  #push(...messages: readonly Wire[]): void {
    for (const message of messages) {
      const last = this.#messages.at(-1) as { role?: unknown } | undefined;
      const isHost = last?.role === 'system' || last?.role === 'developer';
      // The provider wants the model's answer behind a message of the host.
      if (isHost && (message as { role?: unknown }).role !== 'assistant')
        this.#messages.push(deepFreeze(this.#builder.assistant({ text: 'Noted.' })));
      this.#messages.push(deepFreeze(message));
    }
  }

  async run(): Promise<void> {
    for (const op of this.#session.ops) {
      await this.#apply(op);
      this.#sticky.checkPins();
    }
    await this.#turn(
      { kind: 'accept', text: { kind: 'words', chars: 40, salt: 1 }, usage: undefined, stop: 'end' },
      { isTwice: true, viaArray: false, hasRecall: true },
    );
    this.stats.messages = this.#messages.length;
  }

  /** What the caller says, without a request. */
  #say(op: Extract<Op, { op: 'user' | 'model' | 'hollow' | 'host' }>): void {
    if (op.op === 'user') return this.#push(this.#userMessage(op.text, op.kind));
    if (op.op === 'model') return this.#push(this.#modelMessage(op.text, op.kind, []));
    if (op.op === 'host') {
      const words = textOf(op.text);
      return this.#push(
        this.#builder.user(words),
        this.#builder.host(`Host: ${words}`),
        this.#builder.assistant({ text: 'Noted.' }),
      );
    }
    if (op.side === 'user') return this.#push({ role: 'user', content: [] });
    // Behind a message of the host nothing but a real answer is allowed.
    return this.#push(this.#builder.user('And?'), {
      role: 'assistant',
      content: this.#builder.name === 'anthropic' ? [] : null,
    });
  }

  readonly #doers: { readonly [K in Op['op']]: (op: Extract<Op, { op: K }>) => void | Promise<void> } = {
    user: (op) => this.#say(op),
    model: (op) => this.#say(op),
    hollow: (op) => this.#say(op),
    host: (op) => this.#say(op),
    round: (op) => this.#round(op),
    turn: (op) => this.#turn(op.outcome, op),
    compact: (op) => this.#compact(op),
    'compact-now': () => this.#compactNow(),
    snip: (op) => this.#snip(op.keepTurns),
    attach: (op) => this.#sticky.attach(textOf(op.text)),
    pin: (op) => this.#sticky.pin(textOf(op.text), op.again),
    unpin: (op) => this.#sticky.unpin(op.pick),
    abort: (op) => this.#abort(op.ticks),
    undo: () => this.#undo(),
    redo: () => this.#redo(),
    preview: (op) => this.#preview(op.share),
    idle: (op) => {
      this.#nowMs += op.minutes * 60_000;
    },
    switch: (op) => {
      this.#model = `model-${op.pick}`;
    },
    rewind: (op) => this.#rewind(op.share),
    resume: (op) => this.#resume(op.reparsed),
    fork: (op) => this.#fork(op),
    sync: (op) => this.#sync(op),
    writer: (op) => {
      this.#writer.mode = op.mode === 'none' ? 'good' : op.mode;
    },
  };

  async #apply(op: Op): Promise<void> {
    await (this.#doers[op.op] as (op: Op) => void | Promise<void>)(op);
  }

  #userMessage(text: TextSpec, kind: number): Wire {
    const makers = Object.values(this.#builder.kinds.user);
    const make = kind < makers.length ? makers[kind] : makers[0];
    return make?.(textOf(text)) as Wire;
  }

  #modelMessage(text: TextSpec, kind: number, calls: readonly CallSpec[]): Wire {
    const makers = Object.values(this.#builder.kinds.assistant);
    const make = kind < makers.length ? makers[kind] : makers[0];
    return make?.(textOf(text), calls) as Wire;
  }

  #callsOf(op: CallRound): CallSpec[] {
    const calls = op.calls.map(({ tool, text }): CallSpec => {
      const id = `call_${this.#nextId++}`;
      return {
        id,
        name: TOOLS[tool] ?? 'bash',
        input: tool === 0 ? { command: `run ${text.salt}` } : { path: `src/file-${text.salt}.ts` },
      };
    });
    const first = calls[0];
    if (first === undefined) return calls;
    if (op.fault === 'duplicate-call' && this.#nextId > calls.length + 1)
      return [{ ...first, id: `call_${1 + (op.kind % (this.#nextId - calls.length - 1))}` }, ...calls.slice(1)];
    return op.fault === 'twin-call' ? [...calls, { ...first }] : calls;
  }

  #resultsOf(op: CallRound, calls: readonly CallSpec[]): ResultSpec[] {
    const kinds = Object.values(this.#builder.kinds.result);
    const answered = op.fault === 'twin-call' ? calls.slice(0, -1) : calls;
    const results = answered.map((call, index): ResultSpec => {
      const spec = op.calls[index];
      const text = spec === undefined ? '' : textOf(spec.text);
      const make = spec !== undefined && spec.content < kinds.length ? kinds[spec.content] : undefined;
      return {
        callId: call.id,
        text,
        ...(make === undefined ? {} : { content: make(text) }),
        ...(spec?.isError ? { isError: true } : {}),
      };
    });
    const first = results[0];
    switch (op.fault) {
      case 'unanswered':
        return results.slice(1);
      case 'all-unanswered':
        return [];
      case 'orphan':
        return [...results, { callId: `nobody_${op.kind}`, text: 'answers nothing' }];
      case 'duplicate-result':
        return first === undefined ? results : [...results, { ...first, text: 'again' }];
      default:
        return results;
    }
  }

  #callMessage(op: CallRound, calls: readonly CallSpec[]): Wire {
    if (op.words === undefined && op.kind > 10) {
      return this.#builder.assistant({ calls, ...(op.thought ? { thought: 'Hm.' } : {}) });
    }
    return this.#modelMessage({ kind: 'words', chars: 20, salt: op.kind, ...op.words }, op.kind, calls);
  }

  async #round(op: CallRound): Promise<void> {
    const calls = this.#callsOf(op);
    const message = this.#callMessage(op, calls);
    if (op.viaTurn) {
      const turn = await this.#prepare({ viaArray: op.thought, hasRecall: true });
      if (turn === undefined) return;
      await this.#accept(turn, this.#replyOf(message, undefined, 'end'));
    } else this.#push(message);
    const results = this.#resultsOf(op, calls);
    const beside = op.beside === undefined ? undefined : textOf(op.beside);
    if (op.fault === 'late-result') {
      // With no reply in between, only the repair of the turn before says that the result is late.
      const reply = {
        kind: 'accept',
        text: { kind: 'words', chars: 40, salt: 2 },
        usage: undefined,
        stop: 'end',
      } as const;
      const outcome: Outcome = op.kind % 2 === 0 ? { kind: 'empty-reply' } : reply;
      await this.#turn(outcome, { isTwice: false, viaArray: op.thought, hasRecall: true });
    }
    if (op.fault === 'split-results' && results.length > 1) {
      this.#push(...this.#builder.results(results.slice(0, 1)), ...this.#builder.results(results.slice(1), beside));
    } else if (results.length > 0) this.#push(...this.#builder.results(results, beside));
  }

  #replyOf(message: Wire, usageTokens: number | undefined, stop: 'end' | 'window' | 'cap'): object {
    const hasUsage = usageTokens !== undefined;
    if (this.#builder.name === 'anthropic') {
      const reason = { end: 'end_turn', window: 'model_context_window_exceeded', cap: 'max_tokens' }[stop];
      return deepFreeze({
        content: (message as { content: unknown }).content,
        stop_reason: reason,
        ...(hasUsage ? { usage: { input_tokens: usageTokens, output_tokens: 7 } } : {}),
      });
    }
    const reason = { end: 'stop', window: 'model_context_window_exceeded', cap: 'length' }[stop];
    return deepFreeze({
      choices: [{ message, finish_reason: reason }],
      ...(hasUsage ? { usage: { prompt_tokens: usageTokens, completion_tokens: 7 } } : {}),
    });
  }

  /** The request a caller makes, by whole array or for what was appended. */
  #request(messages: readonly Wire[], hasRecall: boolean): object {
    const request = this.#builder.request(messages, {
      toolNames: hasRecall ? ['bash', 'recall'] : ['bash'],
      system: 'You are a test. $& 日本',
    });
    return deepFreeze({ ...request, model: this.#model });
  }

  #deliver(): void {
    if (this.#messages.length > this.#delivered) this.#context.append(this.#messages.slice(this.#delivered));
    this.#delivered = this.#messages.length;
  }

  /** State that only `accept` may change. The breaker and a model's answers are memory of a model, not decisions. */
  #decisions(): string {
    const { breaker: _, ...rest } = this.#context.snapshot();
    return JSON.stringify(rest);
  }

  async #prepare(
    how: { viaArray: boolean; hasRecall: boolean; array?: readonly Wire[] },
    signal?: AbortSignal,
  ): Promise<AnyTurn | undefined> {
    if (!how.viaArray) this.#deliver();
    const array = how.array ?? (how.viaArray ? this.#messages : []);
    const request = this.#request([...array], how.hasRecall);
    this.#asked = request;
    const calls = this.#writer.calls;
    this.#writerCallsSeen = calls;
    const before = how.viaArray ? undefined : this.#decisions();
    const check = this.#expectations(request);
    const turn: AnyTurn | undefined = await this.#context.prepare(request, signal === undefined ? {} : { signal });
    this.#delivered = this.#messages.length;
    expectThat(this.#writer.calls - calls <= 2, 'bounded attempts: at most two calls of the writer', () =>
      String(this.#writer.calls - calls),
    );
    if (before !== undefined)
      expectThat(
        this.#decisions() === before,
        'a breakdown or a prepare without accept changes nothing',
        () => `${before} -> ${this.#decisions()}`,
      );
    this.#checkHistory(array.length > 0 && how.array === undefined ? array : undefined);
    check(turn);
    if (turn !== undefined) this.#checkRequest(turn, request);
    return turn;
  }

  /** What holds of the next turn, by what can be known before it. */
  #expectations(request: object): (turn: AnyTurn | undefined) => void {
    const asked = { ...this.#host.asks };
    const forecast = this.#breakdown(request);
    const wasAccepted = this.#isAccepted;
    this.#isAccepted = false;
    return (turn) => {
      const { asks } = this.#host;
      expectThat(
        asks.state - asked.state <= 1 && asks.gate - asked.gate <= 1,
        'the host is asked once about a summary',
        () => JSON.stringify({ asked, asks }),
      );
      const isUnedited = wasAccepted && turn?.receipt.layers.length === 0;
      expectThat(
        !isUnedited || forecast === turn.receipt.tokens.calibrated,
        'the breakdown foretells the receipt',
        () => `${forecast} for ${JSON.stringify(turn?.receipt.tokens)}`,
      );
    };
  }

  /** The total of a breakdown, whose categories and items have to add up to it. */
  #breakdown(request: object): number {
    const { totalTokens, categories, ...rest } = this.#context.breakdown(request);
    const sum = (parts: readonly { tokens: number }[]): number => parts.reduce((all, { tokens }) => all + tokens, 0);
    const isExact =
      sum(categories) === totalTokens &&
      categories.every(({ tokens, items }) => tokens >= 0 && (items === undefined || sum(items) === tokens));
    const numbers = [totalTokens, ...Object.values(rest), ...categories.map(({ tokens }) => tokens)];
    expectThat(
      isExact && numbers.every((number) => Number.isInteger(number) && number >= 0),
      'a breakdown adds up exactly',
      () => JSON.stringify({ totalTokens, categories, rest }),
    );
    return totalTokens;
  }

  /** The history is what the caller said, in the caller's bytes. */
  #checkHistory(expected: readonly Wire[] | undefined): void {
    const history = this.#context.history();
    const told = expected ?? this.#messages;
    expectThat(
      history.length === told.length,
      'the history is what the caller said',
      () => `${history.length} messages, told ${told.length}`,
    );
    history.forEach((message, index) => {
      const other = told[index];
      if (message === other || other === undefined) return;
      expectThat(
        this.#mirror.digest(message) === this.#mirror.digest(other),
        'the history is what the caller said',
        () => `message ${index}: ${JSON.stringify(message)} for ${JSON.stringify(other)}`,
      );
    });
    this.#messages = [...history];
    for (const message of history) deepFreeze(message);
  }

  #checkRequest(turn: AnyTurn, request: object): void {
    this.stats.turns += 1;
    this.#bytes.update(JSON.stringify(turn.request));
    checkUntouched(turn.request, request, this.#builder.name);
    this.#sticky.checkRequest(turn);
    const faults = this.#builder.name === 'anthropic' ? anthropicFaults(turn.request) : openaiChatFaults(turn.request);
    expectThat(
      faults.length === 0,
      'the request obeys the provider',
      () => `${faults.join('; ')} in ${JSON.stringify(outline(turn.request))}`,
    );
    const { ratio } = this.#context.snapshot().meter;
    expectThat(ratio >= 0.25 && ratio <= 4, 'the meter is clamped', () => String(ratio));
    const { summary } = turn.receipt;
    // A summary asked for by an earlier prepare is remembered, whatever the writer's mood is now.
    const wasAsked = this.#writer.calls > this.#writerCallsSeen;
    this.#writerCallsSeen = this.#writer.calls;
    const isRefused =
      wasAsked && ['empty', 'cut', 'call', 'throws'].includes(this.#writer.mode) && (summary?.attempts ?? 0) > 0;
    expectThat(!isRefused || summary?.writer === 'code', 'a bad summary is refused', () => JSON.stringify(summary));
    this.#checkHost(turn);
    const { calibrated, head, view } = turn.receipt.tokens;
    expectThat(
      Number.isInteger(calibrated) && calibrated >= 0 && head > 0 && view >= 0,
      'a receipt has whole numbers',
      () => JSON.stringify(turn.receipt.tokens),
    );
  }

  /** Beside every summary stands the host's state, or the receipt says what is missing; a summary it blocked is not made. */
  #checkHost(turn: AnyTurn): void {
    const { held, layers, summary } = turn.receipt;
    const isMade = layers.some(({ layer }) => layer === 'summary');
    const { state, gate } = this.#session;
    expectThat(gate !== 'never' || !isMade, 'a summary the host blocks is not made', () =>
      JSON.stringify(turn.receipt),
    );
    expectThat(
      gate === 'none' || (summary === undefined) === !isMade || held.length > 0,
      'a summary that is not made is accounted for',
      () => JSON.stringify(turn.receipt),
    );
    if (!isMade || state === 'none') return;
    const sent = JSON.stringify(turn.request);
    const names = {
      small: ['plan'],
      growing: ['plan', 'src/file.ts'],
      huge: ['log', 'plan', 'src/file.ts'],
      hostile: ['a "name"\nof two lines', 'half'],
      throws: [],
    }[state];
    for (const name of names) {
      const line = JSON.stringify(name);
      const isGiven = sent.includes(JSON.stringify(`${line}:\n\``).slice(1, -1));
      expectThat(
        isGiven || held.some((note) => note.startsWith('state: ') && note.includes(line)),
        'state stands beside the summary, or is named as left out',
        () => `${name}: ${held.join('; ')}`,
      );
    }
    expectThat(
      state !== 'throws' || held.some((note) => note.includes('the plan cannot be read')),
      'a failing port is noted',
    );
  }

  async #accept(turn: AnyTurn, reply: object): Promise<void> {
    const length = this.#messages.length;
    const groupsBefore = [...this.#context.groups()];
    await turn.accept(reply);
    const settled: Settled = {
      turn,
      codec: this.#codec,
      count: this.#proof.count,
      history: this.#mirror.of(this.#messages.slice(0, length)),
      view: cutView(this.#context.view(), length),
      groupsBefore,
      groups: this.#context.groups(),
      windowTokens: this.#session.windowTokens,
    };
    const { entries, tokens, bytes } = this.#context.view();
    const tokensOf = entries.reduce((sum, entry) => sum + entry.tokens, 0);
    const bytesOf = entries.reduce((sum, entry) => sum + entry.bytes, 0);
    expectThat(
      tokensOf === tokens && bytesOf === bytes,
      'a view counts what it holds',
      () => `${tokensOf} for ${tokens}`,
    );
    const bare = this.#request([], true);
    const toolNames = this.#codec.head(this.#asked).toolNames;
    if (toolNames.includes('recall'))
      expectThat(this.#breakdown(bare) === this.#context.gauge()?.tokens, 'the breakdown is what the gauge shows');
    this.#isAccepted = true;
    this.#messages = [...this.#context.history()];
    for (const message of this.#messages) deepFreeze(message);
    this.#delivered = this.#messages.length;
    const sent = this.#codec.messages(turn.request);
    this.#sent = { messages: sent, length };
    this.#sticky.checkAccepted(settled, this.#builder.name);
    await this.#checkSettled(settled, sent);
  }

  async #checkSettled(settled: Settled, sent: readonly Wire[]): Promise<void> {
    const { view, history, groups, groupsBefore } = settled;
    await checkView(view, groups, history, this.#proof);
    const rendered = render(view, history, this.#codec);
    expectThat(
      rendered.length === sent.length,
      'the request is the view',
      () => `${sent.length} messages for ${rendered.length}`,
    );
    rendered.forEach((message, index) => {
      const entry = view.entries[index];
      const isVerbatim = entry?.range === undefined && entry?.patches === undefined && entry?.notes === undefined;
      const other = sent[index];
      if (isVerbatim && (!this.#session.cache || this.#builder.name !== 'anthropic')) {
        expectThat(other === message, 'an untouched message comes back as the same object', () => `message ${index}`);
      } else if (other !== undefined && other !== message) {
        expectThat(
          this.#mirror.digest(other) === this.#mirror.digest(message),
          'the request is the view',
          () => `message ${index}`,
        );
      }
    });
    this.#checkFrozen(settled, sent);
    const added = groups.slice(groupsBefore.length);
    this.stats.epochs += added.filter((group) => isEpoch(group) && group.cause !== 'repair').length;
    if (settled.turn.receipt.summary !== undefined) this.stats.summaries += 1;
    checkProgress(settled);
    checkNewestUser(settled, sent);
    checkSnipped(settled, sent);
    // The reply behind them holds no result.
    checkResultsShown(this.#context, sent, this.#codec.idScope);
    await checkRecall(settled, (address) => this.#context.recall(address), this.#proof.hash);
    if (added.length > 0) {
      const salt = groups.length;
      checkSubset(groups, history, this.#proof.count, (seq) => (seq * 2_654_435_761 + salt) % 3 !== 0);
      checkSubset(groups, history, this.#proof.count, (seq) => (seq + salt) % 2 === 0);
    }
  }

  #checkFrozen({ view, history, groups }: Settled, sent: readonly Wire[]): void {
    const length = view.entries.at(-1)?.to ?? 0;
    this.#isAnswered = this.#messages.length > length;
    this.#frozen.checkSent(sent, groups, length);
    if (this.#session.binding === 'none') return;
    const verbatim = view.entries.map(({ from, range }) =>
      range === undefined ? history.at(from).message : undefined,
    );
    this.#frozen.checkThoughts(sent, verbatim);
    const reply = this.#messages[length];
    if (reply !== undefined && this.#mirror.entry(reply).parts.some(({ kind }) => kind === 'reasoning'))
      this.#frozen.noteThought(reply, sent);
  }

  async #turn(
    outcome: Outcome,
    how: { isTwice: boolean; viaArray: boolean; hasRecall: boolean; array?: readonly Wire[] },
  ): Promise<void> {
    const { array: _, ...again } = how;
    let turn = await this.#prepare(how);
    if (turn === undefined) return;
    if (how.isTwice) {
      const twin = await this.#prepare({ ...again, viaArray: how.viaArray && how.array === undefined });
      const first = JSON.stringify(turn.request);
      expectThat(
        twin !== undefined && JSON.stringify(twin.request) === first,
        'two prepares in a row give the same bytes',
        () =>
          `${JSON.stringify(outline((turn as AnyTurn).request))} then ${twin === undefined ? 'nothing' : JSON.stringify(outline(twin.request))}`,
      );
      turn = twin;
    }
    return this.#settle(turn, outcome);
  }

  async #settle(turn: AnyTurn, outcome: Outcome): Promise<void> {
    switch (outcome.kind) {
      case 'accept': {
        const usage = usageOf(turn.request, outcome.usage);
        return this.#accept(
          turn,
          this.#replyOf(this.#modelMessage(outcome.text, outcome.text.salt, []), usage, outcome.stop),
        );
      }
      case 'empty-reply':
        return this.#accept(
          turn,
          this.#builder.name === 'anthropic'
            ? { content: [], stop_reason: 'end_turn' }
            : { choices: [{ message: { role: 'assistant', content: '' }, finish_reason: 'stop' }] },
        );
      case 'refused':
        return this.#refuse(turn, outcome);
      case 'honest':
        return this.#sendHonestly(turn);
      case 'kept':
        return this.#keep(turn);
      case 'settled-twice': {
        await this.#accept(turn, this.#replyOf(this.#builder.assistant({ text: 'Done.' }), undefined, 'end'));
        const again = await this.#codeOf(() =>
          turn.accept(this.#replyOf(this.#builder.assistant({ text: 'Again.' }), undefined, 'end')),
        );
        expectThat(again === 'TURN_SETTLED', 'a turn is settled once', () => String(again));
        return;
      }
      case 'late-append': {
        const late = deepFreeze(this.#builder.user(textOf(outcome.text)));
        this.#context.append([late]);
        // For the turn after this one.
        this.#sticky.attach('while it was open');
        this.#sticky.pin('while it was open', false);
        const reply = this.#builder.assistant({ text: 'Before the late one.' });
        await turn.accept(this.#replyOf(reply, undefined, 'end'));
        this.#sticky.delivered(turn.request, true);
        const history = this.#context.history();
        expectThat(
          history.length === this.#messages.length + 2 && history.at(-1) === late,
          'what is appended while a turn is open lands behind its reply',
          () => String(history.length),
        );
        this.#messages = [...history];
        this.#sent = undefined;
        this.#delivered = history.length;
        return;
      }
      default:
        return;
    }
  }

  /** The turn's view stands, and nothing else has changed. */
  async #keep(turn: AnyTurn): Promise<void> {
    const { meter } = this.#context.snapshot();
    const receipt = await turn.keep();
    this.#sticky.delivered(turn.request, false);
    expectThat(receipt === turn.receipt, 'a kept turn has the receipt of its request');
    expectThat(
      JSON.stringify(this.#context.snapshot().meter) === JSON.stringify(meter),
      'a kept turn leaves the meter alone',
    );
    this.#checkHistory(undefined);
    const history = this.#mirror.of(this.#messages);
    await checkView(this.#context.view(), this.#context.groups(), history, this.#proof);
    const kept = render(this.#context.view(), history, this.#codec).map((message) => this.#mirror.digest(message));
    const sent = this.#codec.messages(turn.request).map((message) => this.#mirror.digest(message));
    expectThat(kept.join() === sent.join(), 'a kept turn leaves the view it would have sent');
    checkResultsShown(this.#context, this.#codec.messages(turn.request), this.#codec.idScope);
    const again = await this.#codeOf(() => turn.keep());
    expectThat(again === 'TURN_SETTLED', 'a turn is settled once', () => String(again));
  }

  async #refuse(first: AnyTurn, outcome: Extract<Outcome, { kind: 'refused' }>): Promise<void> {
    let turn = first;
    for (let times = 0; times < outcome.times; times += 1) {
      const size = Math.ceil(JSON.stringify(turn.request).length / 3);
      const error = refusal(this.#builder.name, outcome.how, {
        limit: this.#session.windowTokens,
        requested: Math.max(size, this.#session.windowTokens + 1),
      });
      const before = this.#decisions();
      const calls = this.#writer.calls;
      const next = await this.#allow(['WINDOW_EXHAUSTED', 'THRASHING', ...this.#blocks], () => turn.fail(error));
      expectThat(this.#writer.calls - calls <= 2, 'bounded attempts: at most two calls of the writer', () =>
        String(this.#writer.calls - calls),
      );
      if (classifyError(error).kind === 'other') {
        expectThat(next === undefined && this.#decisions() === before, 'an unrelated error changes nothing');
        return;
      }
      if (next === undefined) return;
      expectThat(times < 2, 'bounded attempts: two retries at most', () => String(times + 1));
      this.#checkRequest(next, this.#asked);
      const sizes = [turn, next].map((one) => jsonSize(one.request));
      expectThat((sizes[1] ?? 0) < (sizes[0] ?? 0), 'a retry is strictly smaller', () => sizes.join(' then '));
      turn = next;
    }
    if (outcome.settle === 'accept')
      await this.#accept(turn, this.#replyOf(this.#builder.assistant({ text: 'At last.' }), undefined, 'end'));
  }

  /** A provider that refuses what is over the window by its own count, and nothing else: it has to be satisfied in the end. */
  async #sendHonestly(first: AnyTurn): Promise<void> {
    const limit = this.#session.windowTokens;
    const count = (turn: AnyTurn): number => Math.ceil(JSON.stringify(turn.request).length / 3);
    let turn = first;
    for (let requested = count(turn); requested > limit; requested = count(turn)) {
      // What comes before the refusal may go along with the retry.
      this.#sticky.attach('before the refusal');
      const error = refusal(this.#builder.name, 'numbers', { limit, requested });
      const refused: AnyTurn = turn;
      // Reasoning beside a message that has to stay may be all that is left, and nothing before it may change.
      const bound: readonly ContextErrorCode[] = this.#session.binding === 'none' ? [] : ['WINDOW_EXHAUSTED'];
      const next = await this.#allow(['THRASHING', ...bound, ...this.#blocks], () => refused.fail(error));
      if (next === undefined) return;
      this.#checkRequest(next, this.#asked);
      turn = next;
    }
    await this.#accept(turn, this.#replyOf(this.#builder.assistant({ text: 'It fits.' }), count(turn), 'end'));
  }

  #compact(op: Extract<Op, { op: 'compact' }>): void {
    const span =
      op.share === undefined ? ('all' as const) : { upTo: Math.floor((this.#messages.length * op.share) / 100) };
    this.#deliver();
    this.#context.compact({ span, ...(op.focus ? { focus: 'the tests' } : {}) });
  }

  #compactNow(): Promise<void> {
    this.#compact({ op: 'compact', share: undefined, focus: false });
    return this.#turn({ kind: 'kept' }, { isTwice: false, viaArray: false, hasRecall: true });
  }

  #snip(keepTurns: number): void {
    this.#deliver();
    this.#context.snip({ keepTurns });
  }

  async #abort(ticks: number): Promise<void> {
    this.#deliver();
    this.#context.compact();
    const before = this.#decisions();
    const abort = new AbortController();
    const failed = this.#codeOf(() => this.#context.prepare(this.#request([], true), { signal: abort.signal }));
    for (let i = 0; i < ticks; i += 1) await Promise.resolve();
    abort.abort();
    const code = await failed;
    expectThat(code === undefined || code === 'AbortError', 'an abort rejects as an abort or comes too late', () =>
      String(code),
    );
    expectThat(this.#decisions() === before, 'an abort leaves the old state');
    this.#checkHistory(undefined);
  }

  async #undo(): Promise<void> {
    this.#frozen.forget();
    const before = [...this.#context.groups()];
    const history = this.#mirror.of(this.#context.history());
    const done = await this.#allow(['WINDOW_EXHAUSTED', 'REASONING_BOUND'], () => this.#context.undo());
    if (done === undefined) return;
    // A move of a dropped turn is committed with the undo, and drops edits.
    const after = this.#context.groups();
    const moved = [...before, ...after.slice(before.length).filter(({ cause }) => cause === 'rewind')];
    const target = undoable(moved, history);
    const is = done === (target !== undefined);
    expectThat(is, 'undo takes back the newest epoch in force', () => `${done} for ${target?.seq}`);
    if (target === undefined) return;
    const kept = liveEpochs(before).filter((epoch) => epoch !== target);
    this.#checkTurnedBack('undo restores the view without its epoch', withEpochs(after, kept));
  }

  async #redo(): Promise<void> {
    this.#frozen.forget();
    const before = [...this.#context.groups()];
    const history = this.#mirror.of(this.#context.history());
    const done = await this.#allow(['WINDOW_EXHAUSTED', 'REASONING_BOUND'], () => this.#context.redo());
    if (done === undefined) return;
    const after = this.#context.groups();
    const moved = [...before, ...after.slice(before.length).filter(({ cause }) => cause === 'rewind')];
    const target = redoable(moved, history);
    const is = done === (target !== undefined);
    expectThat(is, 'redo brings back what the newest undo took', () => `${done} for ${target?.seq}`);
    if (target === undefined) return;
    const kept = before.filter(isEpoch).filter((epoch) => epoch === target || liveEpochs(before).includes(epoch));
    this.#checkTurnedBack('redo restores the view with its epoch', withEpochs(after, kept));
  }

  /** Between two prepares, which give the same bytes: it changes nothing. Where nothing but code writes, it foretells the first of a kind. */
  async #preview(share: number | undefined): Promise<void> {
    const first = await this.#prepare({ viaArray: false, hasRecall: true });
    if (first === undefined) return;
    const before = this.#decisions();
    const calls = this.#writer.calls;
    const asks = this.#host.asks.gate;
    const length = this.#context.history().length;
    const compact = share === undefined ? {} : { compact: { span: { upTo: Math.floor((length * share) / 100) } } };
    const forecast = await this.#context.preview(this.#request([], true), compact);
    const isQuiet = this.#writer.calls === calls && this.#host.asks.gate === asks;
    expectThat(isQuiet, 'a preview asks neither the model nor the host for its word');
    expectThat(this.#decisions() === before, 'a preview changes nothing');
    checkForecast(forecast, share === undefined && this.#isForeseen(first) ? first.receipt : undefined);
    const second = await this.#prepare({ viaArray: false, hasRecall: true });
    const isSame = JSON.stringify(first.request) === JSON.stringify(second?.request);
    expectThat(isSame, 'a preview leaves the next bytes as they were', () => JSON.stringify(forecast).slice(0, 400));
  }

  /** Whether the turn's summary, if it has one, is one that code wrote and the host did not mind. */
  #isForeseen({ receipt }: AnyTurn): boolean {
    const { gate } = this.#session;
    return receipt.summary === undefined ? gate === 'none' : receipt.summary.writer === 'code' && gate === 'none';
  }

  #checkTurnedBack(law: string, groups: readonly Group[]): void {
    const history = this.#mirror.of(this.#context.history());
    const difference = sameView(this.#context.view(), project(history, groups, this.#proof.count));
    expectThat(difference === undefined, law, () => String(difference));
    this.#checkShown();
  }

  /** What the view says of results is what it would send. */
  #checkShown(): void {
    const view = this.#context.view();
    const sent = render(view, this.#mirror.of(this.#context.history()), this.#codec);
    checkResultsShown(this.#context, sent, this.#codec.idScope);
    this.#sticky.checkOnce(view, sent);
  }

  #checkProjected(): void {
    const history = this.#mirror.of(this.#context.history());
    const difference = sameView(this.#context.view(), project(history, this.#context.groups(), this.#proof.count));
    expectThat(difference === undefined, 'a moved view is the projection of the ledger', () => String(difference));
    this.#checkShown();
    // What lost its proof stays dropped, should the same bytes come again.
    const ledger = new Ledger();
    ledger.append(this.#context.groups());
    expectThat(rewindGroup(ledger, history) === undefined, 'a move drops for good what it leaves without proof');
  }

  #rewind(share: number): void {
    this.#frozen.forget();
    this.#deliver();
    const length = Math.floor((this.#messages.length * share) / 100);
    this.#context.rewind(length);
    this.#sticky.rewound(length);
    this.#messages = this.#messages.slice(0, length);
    this.#delivered = length;
    this.#sent = undefined;
    this.#checkHistory(undefined);
    this.#checkProjected();
    if (length === 0) this.#push(this.#builder.user('From the start.'));
  }

  async #resume(reparsed: boolean): Promise<void> {
    this.#frozen.resume(this.#isAnswered);
    this.#deliver();
    const saved: unknown = JSON.parse(JSON.stringify(this.#context.snapshot()));
    const messages = reparsed
      ? this.#messages.map((message) => deepFreeze(JSON.parse(JSON.stringify(message)) as Wire))
      : this.#messages;
    const expected = project(this.#mirror.of(this.#messages), this.#context.groups(), this.#proof.count);
    const next = this.#newContext();
    await next.restore(saved, messages);
    this.#sticky.restored(messages);
    const difference = sameView(next.view(), expected);
    expectThat(difference === undefined, 'a resumed session has the same view', () => String(difference));
    this.#context = next;
    this.#checkShown();
    this.#messages = [...messages];
    this.#sent = undefined;
    this.#checkHistory(undefined);
  }

  async #fork(op: Extract<Op, { op: 'fork' }>): Promise<void> {
    this.#frozen.forget();
    this.#deliver();
    const saved: unknown = JSON.parse(JSON.stringify(this.#context.snapshot()));
    this.#messages = this.#messages.slice(0, Math.floor((this.#messages.length * op.share) / 100));
    this.#push(this.#builder.user(`fork ${textOf(op.text)}`));
    this.#context = this.#newContext();
    await this.#context.restore(saved, this.#messages);
    this.#sticky.restored(this.#messages);
    this.#delivered = this.#messages.length;
    this.#sent = undefined;
    this.#checkHistory(undefined);
    this.#checkProjected();
  }

  async #sync(op: Extract<Op, { op: 'sync' }>): Promise<void> {
    this.#frozen.forgetThoughts();
    this.#frozen.forget();
    this.#deliver();
    const before = this.#messages;
    const array = this.#incoming(op.how, op.share, textOf(op.text));
    if (array === undefined) return;
    const isOwnView = op.how.startsWith('own-view');
    if (!isOwnView) {
      const parting = before.findIndex((message, index) => !this.#isSame(message, array[index]));
      if (parting >= 0) this.#sticky.rewound(parting);
      this.#messages = [...array];
      if (op.how !== 'reparsed' && op.how !== 'moved-cache') this.#sent = undefined;
    }
    const accept: Outcome = { kind: 'accept', text: op.text, usage: undefined, stop: 'end' };
    await this.#turn(accept, { isTwice: op.share % 2 === 0, viaArray: true, hasRecall: true, array });
  }

  #isSame(message: Wire, other: Wire | undefined): boolean {
    return other !== undefined && this.#mirror.digest(message) === this.#mirror.digest(other);
  }

  #incoming(how: SyncKind, share: number, text: string): readonly Wire[] | undefined {
    const messages = this.#messages;
    const at = Math.floor(((messages.length - 1) * share) / 100);
    const copy = (message: Wire): Wire => JSON.parse(JSON.stringify(message)) as Wire;
    switch (how) {
      case 'reparsed':
        return messages.map(copy).map(deepFreeze);
      case 'moved-cache':
        return messages.map((message, index) => (index === at ? deepFreeze(withBreakpoint(copy(message))) : message));
      case 'amended': {
        const target = messages.findLastIndex((message, index) => index <= at && isPlain(message));
        return target < 0
          ? undefined
          : messages.map((message, index) =>
              index === target
                ? deepFreeze({ role: (message as { role: string }).role, content: `amended ${text}` })
                : message,
            );
      }
      case 'oldest-dropped': {
        const from = messages.findIndex(
          (message, index) =>
            index >= at &&
            index > 0 &&
            (message as { role: string }).role === 'user' &&
            newestUserIndex([message]) === 0,
        );
        return from < 0 ? undefined : messages.slice(from);
      }
      case 'truncated':
        this.#messages = messages.slice(0, at);
        this.#push(this.#builder.user(`instead ${text}`));
        return this.#messages;
      default: {
        if (this.#sent === undefined) return undefined;
        const own = how === 'own-view' ? this.#sent.messages : this.#sent.messages.map(copy).map(deepFreeze);
        return [...own, ...messages.slice(this.#sent.length)];
      }
    }
  }

  async #codeOf(work: () => Promise<unknown>): Promise<string | undefined> {
    try {
      await work();
      return undefined;
    } catch (error) {
      if (error instanceof ContextError) return error.code;
      return error instanceof Error ? error.name : String(error);
    }
  }

  /** Undefined for an error the engine documents here; anything else is a violation. */
  async #allow<T>(codes: readonly ContextErrorCode[], work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      const code = error instanceof ContextError ? error.code : undefined;
      if (code === undefined || !codes.includes(code)) throw error;
      if (code === 'WINDOW_EXHAUSTED') this.stats.exhausted += 1;
      if (code === 'THRASHING') this.stats.thrashing += 1;
      return undefined;
    }
  }
}

/** Tokens reported for a request: small numbers are percent of its size, others what an odd server might say. */
function usageOf(request: object, usage: number | undefined): number | undefined {
  if (usage === undefined || usage === 0 || usage > 1_000) return usage;
  return Math.ceil((Math.ceil(JSON.stringify(request).length / 4) * usage) / 100);
}

function isPlain(message: Wire): boolean {
  const { role, content, tool_calls: calls } = message as { role?: unknown; content?: unknown; tool_calls?: unknown };
  return typeof content === 'string' && calls === undefined && (role === 'user' || role === 'assistant');
}

function withBreakpoint(message: Wire): Wire {
  const { content } = message as { content?: unknown };
  const last = Array.isArray(content) ? (content as unknown[]).at(-1) : undefined;
  if (!Array.isArray(content) || typeof last !== 'object' || last === null) return message;
  return {
    ...message,
    content: [...(content as unknown[]).slice(0, -1), { ...last, cache_control: { type: 'ephemeral' } }],
  };
}

/** A request's messages in short, for counterexamples. */
export function outline(request: object): readonly string[] {
  const messages = (request as { messages?: readonly object[] }).messages ?? [];
  return messages.map((message) =>
    JSON.stringify(message, (_, value: unknown) =>
      typeof value === 'string' && value.length > 60 ? `${value.slice(0, 60)}…${value.length}` : value,
    ),
  );
}

export async function runSession(builder: WireBuilder, session: Session): Promise<Run> {
  const machine = new Machine(builder, session);
  await machine.run();
  return { fingerprint: machine.fingerprint, stats: machine.stats };
}
