/** Makes one request: plan, write the summary if one is due, archive, verify, encode. Changes nothing in the session but its memory of a model's answers. */
import type { Address, Archive } from '../core/archive.ts';
import type { Codec, Head } from '../core/codec.ts';
import { type Cause, type Epoch, isEpoch } from '../core/edit.ts';
import type { Wire } from '../core/entry.ts';
import { ContextError } from '../core/errors.ts';
import type { ContextEvent } from '../core/events.ts';
import type { Lens } from '../core/lens.ts';
import type { SnipRequest } from '../core/layers/snip.ts';
import { calibrated } from '../core/meter.ts';
import type { Policy } from '../core/policy.ts';
import type { CachePrices } from '../core/prices.ts';
import type { ErrorReader } from '../core/provider-error.ts';
import type { Receipt, SummaryReceipt } from '../core/receipt.ts';
import { longTexts } from '../core/snapshot.ts';
import { finishStep } from '../core/finish-step.ts';
import { declineSummary, planStep } from '../core/step.ts';
import type { Binding, Step, StepInput, SummaryTask, Trigger } from '../core/step-parts.ts';
import type { Writer } from '../core/summary/writer.ts';
import { assertView } from '../core/verify.ts';
import type { Count } from '../core/view.ts';
import type { Window } from '../core/window.ts';
import { aboutTexts } from './about-texts.ts';
import { askGate, askState, type BeforeSummaryPort, compactionBlocked, type StatePort } from './ask-host.ts';
import { breakpointsOf, type Encoder, sharedWith } from './encode.ts';
import { type ManualRequest, nextSeqOf, pendingGroups, type Session } from './session.ts';
import { summarise } from './summarise.ts';
import { archivedBytes, type Draft, groupsOf } from './turn.ts';
import { untilAborted } from './until-aborted.ts';

export interface TurnDeps {
  readonly session: Session;
  readonly policy: Policy;
  readonly count: Count;
  readonly codec: Codec;
  readonly hash: (text: string) => string;
  readonly archive: Archive;
  readonly writer: Writer | undefined;
  readonly lens: Lens;
  readonly errors: ErrorReader;
  readonly encoder: Encoder;
  readonly recallTool: string;
  readonly sessionId: string;
  readonly transcript: ((messages: readonly Wire[], address: string) => Promise<void>) | undefined;
  readonly state: StatePort | undefined;
  readonly beforeSummary: BeforeSummaryPort | undefined;
  readonly emit: (event: ContextEvent) => void;
  readonly windowFor: (head: Head) => Window;
  readonly prices: (model: string) => CachePrices;
  readonly binding: (model: string) => Binding;
  /** Secrets replaced in a message of the history; undefined where none are on arrival. */
  readonly redacted: ((message: Wire) => number) | undefined;
  /** Milliseconds. */
  readonly now: () => number;
  /** Appends what came while a turn was open. */
  readonly flush: () => void;
  readonly serial: <T>(work: () => Promise<T>) => Promise<T>;
}

export interface DraftOptions {
  readonly id: string;
  readonly request: object;
  readonly head: Head;
  readonly headTokens: number;
  readonly trigger: Trigger | undefined;
  /** The request of `compact` this turn carries out. */
  readonly manual: ManualRequest | undefined;
  /** The request of `snip` it carries out. */
  readonly snip: SnipRequest | undefined;
  /** 0 for the first request, then the number of the retry. */
  readonly attempt: number;
  readonly signal: AbortSignal | undefined;
}

export function inputOf(deps: TurnDeps, options: DraftOptions): StepInput {
  const { session } = deps;
  const { head } = options;
  const { sentLength, notes } = session;
  const { pins } = session.ledger;
  return {
    history: session.history,
    sentLength,
    staying: { pins: new Set(pins.map(({ id }) => id)), sentLength },
    view: session.view,
    window: deps.windowFor(head),
    count: deps.count,
    hash: deps.hash,
    policy: deps.policy,
    ledger: session.ledger,
    lens: deps.lens,
    recallTool: deps.recallTool,
    offersRecall: head.toolNames.includes(deps.recallTool),
    headTokens: options.headTokens,
    calibrate: (tokens) => calibrated(session.meter, tokens, session.ledger.nextSeq),
    holdLength: session.holdLength,
    trigger: options.trigger,
    snip: options.snip,
    pending: { notes, pins, sentLength },
    economy: session.economy,
    moment: { nowMs: deps.now(), model: head.model, prices: deps.prices(head.model) },
    binding: deps.binding(head.model),
  };
}

interface Finished {
  readonly step: Step;
  readonly summary?: SummaryReceipt;
  /** True where the host would not have the summary that was due. */
  readonly isDeclined?: boolean;
}

/** Hands over what the summary is about to replace, once, and only what no earlier summary stands for. */
async function transcribe(deps: TurnDeps, planned: Step, signal: AbortSignal | undefined): Promise<void> {
  const { from, to } = planned.summary?.span ?? { from: 0, to: 0 };
  const { history, transcribed } = deps.session;
  const summarised = planned.view.entries.filter((entry) => entry.range?.layer === 'summary' && entry.to <= to);
  const start = Math.max(from, summarised.at(-1)?.to ?? from);
  const address = history.address(start, to);
  if (deps.transcript === undefined || start >= to || transcribed.has(address)) return;
  const doomed = Array.from({ length: to - start }, (_, index) => history.at(start + index).message);
  const { transcript } = deps;
  await untilAborted(() => transcript(doomed, address), signal);
  transcribed.add(address);
}

interface Plan {
  readonly planned: Step;
  readonly input: StepInput;
  readonly options: DraftOptions;
}

/** Number the epoch will have: repairs and what is shaped on arrival are groups of their own in front of it. */
function epochSeq(deps: TurnDeps, { planned, input }: Plan): number {
  const { sentLength } = input.pending;
  const options = { step: planned, nextSeq: nextSeqOf(deps.session), historyLength: input.history.length, sentLength };
  return (
    nextSeqOf(deps.session) +
    groupsOf({ ...options, cause: 'threshold' }).filter(({ cause }) => cause !== 'threshold').length
  );
}

/** What both the model and the host want kept above all. */
function focusOf(...wishes: readonly (string | undefined)[]): string | undefined {
  const said = wishes.filter((wish) => wish !== undefined && wish.trim() !== '');
  return said.length === 0 ? undefined : said.join('; ');
}

function withNote<T extends Step>(step: T, note: string | undefined): T {
  return note === undefined ? step : { ...step, held: [...step.held, note] };
}

/** Carries out the summary a step asks for: the host's word first, then the transcript, the state, the model, the freezing. */
async function finish(deps: TurnDeps, plan: Plan): Promise<Finished> {
  const { planned, input, options } = plan;
  const task = planned.summary;
  if (task === undefined) return { step: planned };
  const gate = await askGate(deps, { task, input }, options.signal);
  if (gate.block !== undefined) return { step: declined(gate.block, plan), isDeclined: true };
  await transcribe(deps, planned, options.signal);
  const state = await askState(deps, input, options.signal);
  const allowed = { ...task, focus: focusOf(task.focus, gate.focus) };
  const noted = withNote(withNote(planned, gate.note), state.note);
  return write(deps, { ...plan, planned: noted, input: { ...input, state: state.items } }, allowed);
}

/** What a request that the provider refused for its size cannot do without, everything else can. */
function declined(why: string, { planned, input, options }: Plan): Step {
  if (options.trigger?.kind === 'overflow' && options.attempt > 0) throw compactionBlocked(why, options.trigger.error);
  return declineSummary(planned, why, input);
}

async function write(deps: TurnDeps, plan: Plan, task: SummaryTask): Promise<Finished> {
  const { planned, input, options } = plan;
  const { head } = options;
  const ids = { sessionId: deps.sessionId, turnId: options.id, epochId: epochSeq(deps, plan) };
  const written = await summarise({
    session: deps.session,
    writer: deps.writer,
    errors: deps.errors,
    input,
    step: planned,
    task,
    target: `${head.model} ${input.window.windowTokens}`,
    signal: options.signal,
    emit: (event) => deps.emit({ ...ids, ...event }),
  });
  const step = finishStep(planned, written.text, input);
  const { writer, attempts, inputTokens, outputTokens } = written;
  const author = written.text === undefined ? 'code' : writer;
  return { step, summary: { writer: author, trigger: task.trigger, attempts, inputTokens, outputTokens } };
}

export function causeOf(options: DraftOptions, planned: Step, isDeclined = false): Cause {
  const isMade = !isDeclined || options.trigger?.kind === 'overflow';
  if (isMade && options.trigger !== undefined) return options.trigger.kind;
  if (isMade && planned.summary !== undefined) return 'threshold';
  return options.snip === undefined ? 'every-turn' : 'manual';
}

/** The clear error of the last rung. */
export function exhausted(headTokens: number, window: Window, cause: unknown): ContextError {
  return new ContextError(
    'WINDOW_EXHAUSTED',
    `nothing smaller can be sent: system and tools take about ${headTokens} of ${window.windowTokens} tokens; use fewer tools, a shorter system prompt or a model with a larger window`,
    { cause },
  );
}

async function store(
  deps: TurnDeps,
  { step, input }: { readonly step: Step; readonly input: StepInput },
  signal: AbortSignal | undefined,
): Promise<void> {
  if (step.edits.length === 0 && step.kept.size === 0) return;
  const texts = new Map([...step.kept, ...longTexts(step.edits, deps.hash)]);
  const known = aboutTexts(step.edits, input);
  const always = { session: deps.sessionId, atMs: input.moment.nowMs };
  const put = ([address, text]: readonly [Address, string]): Promise<void> =>
    deps.archive.put(address, text, { ...known.get(address), ...always });
  await untilAborted(() => Promise.all([...texts].map(put)), signal);
}

export async function draftTurn(deps: TurnDeps, options: DraftOptions): Promise<Draft> {
  const { session } = deps;
  const { head } = options;
  const input = inputOf(deps, options);
  // The session may move on to another branch while a model writes: everything below speaks of this one.
  const { history } = input;
  const planned = planStep(input);
  const { step, summary, isDeclined } = await finish(deps, { planned, input, options });
  const bound = input.binding === 'none' ? [] : step.edits;
  if (step.edits.length > 0) assertView(step.view, history, { pins: step.pins, bound, hasPointers: true });
  await store(deps, { step, input }, options.signal);
  const shared = sharedWith(step.view, session.lastSent);
  const messages = deps.encoder.messages(step.view, history);
  const { sentLength } = input.pending;
  const groups = groupsOf({
    step,
    nextSeq: nextSeqOf(session),
    historyLength: history.length,
    sentLength,
    cause: causeOf(options, planned, isDeclined),
  });
  const epoch = groups.findLast(isEpoch);
  const ids = { sessionId: deps.sessionId, turnId: options.id, ...(epoch === undefined ? {} : { epochId: epoch.seq }) };
  for (const layer of step.layers) deps.emit({ type: 'layer-apply', ...ids, ...layer });
  return {
    id: options.id,
    ids,
    head,
    request: deps.codec.encode(options.request, messages, breakpointsOf(step.view, shared.entries)),
    original: options.request,
    view: step.view,
    messages,
    groups: [...pendingGroups(session), ...groups],
    receipt: receiptOf({ deps, ids, head, input, step, epoch, shared, summary }),
    estimatedTokens: input.headTokens + step.view.tokens,
    moment: input.moment,
    manual: options.manual,
    snip: options.snip,
    notes: step.edits.some((edit) => edit.kind === 'note' && edit.pin === undefined) ? input.pending.notes : [],
    attempt: options.attempt,
    signal: options.signal,
  };
}

interface ReceiptParts {
  readonly deps: TurnDeps;
  readonly ids: Draft['ids'];
  readonly head: Head;
  readonly input: StepInput;
  readonly step: Step;
  readonly epoch: Epoch | undefined;
  readonly shared: { readonly entries: number; readonly tokens: number };
  readonly summary: SummaryReceipt | undefined;
}

function receiptOf({ deps, ids, head, input, step, epoch, shared, summary }: ReceiptParts): Receipt {
  const { headTokens } = input;
  const bare = headTokens + step.view.tokens;
  const { meter } = deps.session;
  return {
    v: 1,
    ...ids,
    policy: deps.policy.name,
    model: head.model,
    window: input.window,
    ...(epoch === undefined ? {} : { cause: epoch.cause }),
    layers: step.layers,
    tokens: {
      head: headTokens,
      appendOnly: headTokens + input.history.tokens,
      view: step.view.tokens,
      // An epoch of this very turn makes the anchor stale.
      calibrated: epoch === undefined ? input.calibrate(bare) : Math.ceil(bare * meter.ratio),
    },
    ...(summary === undefined ? {} : { summary }),
    held: step.held,
    archivedBytes: archivedBytes(step.kept),
    cache: { sharedEntries: shared.entries, sharedTokens: shared.tokens },
    ...(deps.redacted === undefined ? {} : { redacted: redactedIn(input, deps.redacted) }),
  };
}

/** Secrets replaced in what was never sent before. */
function redactedIn({ history, pending }: StepInput, redacted: (message: Wire) => number): number {
  let sum = 0;
  for (let i = pending.sentLength; i < history.length; i += 1) sum += redacted(history.at(i).message);
  return sum;
}
