/** The loop: prepare, call, run the tools of the whole batch, again, until the model calls no tool. */
import { classifyError, type Receipt, wasCutByCap } from '@holdover/engine';
import type { Hooks } from '../hooks/hooks.ts';
import type { RequestSpec, ToolSpec } from '../providers/provider.ts';
import { type Called, type CallOptions, callModel, requestInForce } from './call-model.ts';
import type { RunResult, RunStop } from './events.ts';
import { type ExecuteOptions, executeCalls, type ToolCall } from './execute-calls.ts';

export interface LoopOptions extends CallOptions, Omit<ExecuteOptions, 'emit'> {
  readonly model: string;
  readonly system: string;
  readonly maxOutputTokens: number;
  /** Output cap of the one retry after a reply was cut. */
  readonly escalatedOutputTokens: number;
  readonly maxRounds: number;
  /** Absent: the model's own habit. */
  readonly thinking?: RequestSpec['thinking'];
  readonly hooks: Hooks<object>;
  /** Told of each batch whose results are in the history, before the model is asked again. */
  readonly onBatch?: (calls: readonly ToolCall[]) => void;
  /** Takes a message into history and log. */
  readonly append: (messages: readonly object[]) => Promise<void>;
  /** Takes an accepted reply into the log. */
  readonly accepted: (reply: Called, receipt: Receipt) => Promise<void>;
}

/** Continuation messages after replies cut at the cap, as in the teaching system. */
const MAX_CONTINUATIONS = 3;

/** Times a Stop hook may send the model back to work in one run. */
const MAX_STOP_ANSWERS = 5;

const CONTINUE =
  'Your reply was cut at the output limit. Continue exactly where it stopped, without repeating anything.';
const CONTINUE_CALLS =
  'Your reply was cut at the output limit, and none of its tool calls was run. Make them again, in smaller pieces.';

/** Messages kept verbatim when room is made for a reply, as in a reactive compaction. */
const KEPT_MESSAGES = 5;

/** An empty reply is asked about once in a row: some models end so in the middle of a task. */
const MAX_EMPTY_REPLIES = 1;
const EMPTY_REPLY = 'Your reply was empty. Go on with the task, or say that it is done.';

interface LoopState {
  readonly receipts: Receipt[];
  rounds: number;
  /** Continuation messages since the last whole reply. */
  continuations: number;
  emptyReplies: number;
  /** Whether a larger output cap is still worth asking for. */
  mayEscalate: boolean;
  stopAnswers: number;
  text: string;
}

/** The request of one round, without messages: the context holds them. */
export function requestOf(
  options: Pick<LoopOptions, 'tools' | 'model' | 'system' | 'maxOutputTokens' | 'thinking' | 'provider'>,
): object {
  const tools: ToolSpec[] = [...options.tools.values()];
  const { model, system, maxOutputTokens, thinking } = options;
  const spec = { model, system, tools, messages: [], maxOutputTokens };
  return options.provider.request(thinking === undefined ? spec : { ...spec, thinking });
}

function callsOf(called: Called, options: LoopOptions): readonly ToolCall[] {
  const { message } = called.decoded;
  if (message === undefined) return [];
  return options.provider.codec
    .decode(message)
    .parts.flatMap((part) => (part.kind === 'call' ? [{ id: part.id, name: part.name, input: part.input }] : []));
}

function textOf(called: Called, options: LoopOptions): string {
  const { message } = called.decoded;
  if (message === undefined) return '';
  return options.provider.codec
    .decode(message)
    .parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []))
    .join('\n');
}

/** A request the provider will not take as it stands, for something else than its size: here, a cap above the model's own. */
function isRefused(error: unknown): boolean {
  const known = classifyError(error);
  return known.kind === 'other' && known.status === 400;
}

/**
 * Calls the model; a reply cut at the cap is asked for once more with a larger cap, before anything is taken in. Continuations begin
 * with the larger one. Where the provider refuses the larger cap, the cut reply stands and this run asks for no more.
 */
async function callOnce(state: LoopState, options: LoopOptions): Promise<Called> {
  const request = requestOf(options);
  const escalated = (): object => options.provider.codec.withOutputCap(request, options.escalatedOutputTokens);
  if (state.continuations > 0) return callModel(state.mayEscalate ? escalated() : request, options);
  const called = await callModel(request, options);
  if (called.decoded.stop !== 'cap' || !state.mayEscalate) return called;
  options.emit({ type: 'request-retry', reason: 'the reply was cut at the output limit', attempt: 1, waitMs: 0 });
  try {
    return await callModel(escalated(), options);
  } catch (error) {
    options.signal.throwIfAborted();
    if (!isRefused(error)) throw error;
    state.mayEscalate = false;
    // The refused request closed the first turn; the same request prepares to the same bytes.
    return {
      ...called,
      turn: await options.context.prepare(requestInForce(request, options), { signal: options.signal }),
    };
  }
}

interface Settled extends Called {
  readonly hasLostCalls?: boolean;
}

/** A reply that was cut may end in half a call: its calls are left out. */
function wholeCalls(called: Called, options: LoopOptions): Settled {
  if (called.decoded.stop !== 'cap') return called;
  const reply = options.provider.withoutCalls(called.reply);
  return {
    ...called,
    reply,
    decoded: options.provider.codec.reply(reply),
    hasLostCalls: callsOf(called, options).length > 0,
  };
}

/** Makes room where continuations do not get on because the window, not the cap, cuts them. */
function makeRoom(called: Settled, options: LoopOptions): void {
  const { context, provider } = options;
  if (wasCutByCap(called.decoded.usage, provider.codec.head(called.turn.request).maxOutputTokens)) return;
  context.compact({ span: { upTo: Math.max(0, context.history().length - KEPT_MESSAGES) } });
}

/** What follows a reply without calls: the end, or a message that sends the model on. */
type Next = { readonly stop: RunStop } | { readonly message: string };

async function afterWords(called: Settled, state: LoopState, options: LoopOptions): Promise<Next> {
  const { stop } = called.decoded;
  if (stop === 'refusal') return { stop };
  if (stop === 'cap') {
    state.continuations += 1;
    if (state.continuations > MAX_CONTINUATIONS) return { stop: 'cap' };
    if (state.continuations > 1) makeRoom(called, options);
    return { message: called.hasLostCalls === true ? CONTINUE_CALLS : CONTINUE };
  }
  if (called.decoded.message === undefined && state.emptyReplies < MAX_EMPTY_REPLIES) {
    state.emptyReplies += 1;
    return { message: EMPTY_REPLY };
  }
  if (state.stopAnswers >= MAX_STOP_ANSWERS) return { stop: 'done' };
  const answer = await options.hooks.stop(options.context.history());
  if (answer === null) return { stop: 'done' };
  state.stopAnswers += 1;
  return { message: answer };
}

async function round(state: LoopState, options: LoopOptions): Promise<RunStop | undefined> {
  const called = wholeCalls(await callOnce(state, options), options);
  const receipt = await called.turn.accept(called.reply);
  await options.accepted(called, receipt);
  state.receipts.push(receipt);
  options.emit({ type: 'turn-end', receipt });
  if (called.decoded.stop !== 'cap') state.continuations = 0;
  if (called.decoded.message !== undefined) state.emptyReplies = 0;
  const calls = callsOf(called, options);
  const text = textOf(called, options);
  if (text !== '') state.text = text;
  options.emit({ type: 'assistant-message', text, calls: calls.length });
  if (calls.length > 0) {
    const results = await executeCalls(calls, options);
    await options.append(options.provider.results(results));
    options.onBatch?.(calls);
    options.signal.throwIfAborted();
    return undefined;
  }
  const next = await afterWords(called, state, options);
  if ('stop' in next) return next.stop;
  await options.append([options.provider.codec.compose([next.message])]);
  return undefined;
}

/** Runs until the model is done. Rejects with the provider's or the engine's error; the history stands as far as it came. */
export async function runLoop(options: LoopOptions): Promise<RunResult> {
  const mayEscalate = options.escalatedOutputTokens > options.maxOutputTokens;
  const state: LoopState = {
    receipts: [],
    rounds: 0,
    continuations: 0,
    emptyReplies: 0,
    stopAnswers: 0,
    text: '',
    mayEscalate,
  };
  let stop: RunStop | undefined;
  while (stop === undefined) {
    if (state.rounds >= options.maxRounds) stop = 'rounds';
    else {
      state.rounds += 1;
      stop = await round(state, options);
    }
  }
  return { text: state.text, stop, rounds: state.rounds, receipts: state.receipts };
}
