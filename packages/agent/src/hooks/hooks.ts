/** Hooks: the user's own functions at the points of a session. A hook that fails changes nothing. */
import { AgentError } from '../errors.ts';
import type { ToolOutput } from '../tools/tool.ts';

export interface HookToolCall {
  readonly id: string;
  readonly name: string;
  /** A copy: changing it does not change the call. */
  readonly input: unknown;
}

/** A compaction that is about to be made. */
export interface PreCompactAbout {
  /** What made it due, such as `manual` or `threshold`. */
  readonly trigger: string;
  /** What the user or the model asked to keep above all. */
  readonly focus?: string | undefined;
}

export interface PostCompactAbout {
  readonly trigger: string;
  /** The summary as the model will see it. */
  readonly summary: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

export interface SessionStartAbout {
  readonly source: 'startup' | 'resume' | 'clear' | 'compact';
  readonly sessionId: string;
}

/** Stops what was about to happen; the text says why. */
export interface HookBlock {
  readonly block: string;
}

/** `null`, `undefined` and no return value mean: no answer. */
export type HookAnswer = string | null | undefined | void;
export type PreCompactAnswer = HookAnswer | HookBlock;

/** What each hook is called with and what its answer means. `Message` is the message type of the session. */
export interface HookCallbacks<Message> {
  /** The answer is added to the context of the prompt. */
  readonly UserPromptSubmit: (query: string) => HookAnswer | Promise<HookAnswer>;
  /** An answer blocks the call, and its text becomes the result of the tool. */
  readonly PreToolUse: (call: HookToolCall) => HookAnswer | Promise<HookAnswer>;
  /** Observes; what it returns is ignored. */
  readonly PostToolUse: (call: HookToolCall, output: ToolOutput) => unknown;
  /** The answer is appended as a user message and the loop goes on; the caller bounds how often. */
  readonly Stop: (messages: readonly Message[]) => HookAnswer | Promise<HookAnswer>;
  /** A text is added to the summary's instructions; a block keeps the compaction from being made. */
  readonly PreCompact: (about: PreCompactAbout) => PreCompactAnswer | Promise<PreCompactAnswer>;
  /** Observes; what it returns is ignored. */
  readonly PostCompact: (about: PostCompactAbout) => unknown;
  /** The answer is added to the context of the session. */
  readonly SessionStart: (about: SessionStartAbout) => HookAnswer | Promise<HookAnswer>;
}

export type HookEvent = keyof HookCallbacks<never>;

export interface HooksOptions {
  /** Milliseconds a hook may take; its answer is ignored afterwards. 1 to 2,147,483,647. @default 10000 */
  readonly timeoutMs?: number;
  /** Told about hooks that throw, take too long or answer with something they cannot. @default ignores */
  readonly onError?: (event: HookEvent, error: unknown) => void;
}

export const DEFAULT_HOOKS_OPTIONS: Required<HooksOptions> = { timeoutMs: 10_000, onError: () => undefined };

export interface OneHookOptions {
  /** Milliseconds this hook may take. @default that of all hooks */
  readonly timeoutMs?: number;
}

/** The methods never reject. Callbacks run one after the other, in the order they were added. */
export interface Hooks<Message> {
  /** Returns a function that takes the callback out again. @throws AgentError `invalid_option` */
  on<Event extends HookEvent>(
    event: Event,
    callback: HookCallbacks<Message>[Event],
    options?: OneHookOptions,
  ): () => void;
  /** The first answer; later callbacks are not called. `null`: none. So for the others. */
  userPromptSubmit(query: string): Promise<string | null>;
  preToolUse(call: HookToolCall): Promise<string | null>;
  /** Calls every callback. */
  postToolUse(call: HookToolCall, output: ToolOutput): Promise<void>;
  stop(messages: readonly Message[]): Promise<string | null>;
  preCompact(about: PreCompactAbout): Promise<string | HookBlock | null>;
  /** Calls every callback. */
  postCompact(about: PostCompactAbout): Promise<void>;
  sessionStart(about: SessionStartAbout): Promise<string | null>;
}

const MAX_TIMEOUT_MS = 2 ** 31 - 1;

interface Registered<Callback> {
  readonly callback: Callback;
  readonly timeoutMs: number;
}

type Registry<Message> = { readonly [Event in HookEvent]: Registered<HookCallbacks<Message>[Event]>[] };

function checkedTimeout(timeoutMs: number): number {
  if (timeoutMs >= 1 && timeoutMs <= MAX_TIMEOUT_MS) return timeoutMs;
  throw new AgentError('invalid_option', `timeoutMs is ${timeoutMs}; allowed: 1 to ${MAX_TIMEOUT_MS}`);
}

/** @throws AgentError `invalid_option` */
export function createHooks<Message = unknown>(options: HooksOptions = {}): Hooks<Message> {
  const { timeoutMs, onError } = { ...DEFAULT_HOOKS_OPTIONS, ...options };
  checkedTimeout(timeoutMs);
  const registry: Registry<Message> = {
    UserPromptSubmit: [],
    PreToolUse: [],
    PostToolUse: [],
    Stop: [],
    PreCompact: [],
    PostCompact: [],
    SessionStart: [],
  };
  const tell = (event: HookEvent, error: unknown): void => report(onError, event, error);

  type Call<Event extends HookEvent> = (callback: HookCallbacks<Message>[Event]) => unknown;

  /** The first answer of the kind the event knows. */
  async function first<Event extends HookEvent, Answer>(
    event: Event,
    call: Call<Event>,
    isAnswer: (answer: unknown) => answer is Answer,
  ): Promise<Answer | null> {
    for (const hook of [...registry[event]]) {
      const answer = await guarded(() => call(hook.callback), { event, timeoutMs: hook.timeoutMs, tell });
      if (isAnswer(answer)) return answer;
      if (answer !== null && answer !== undefined) tell(event, notText(answer));
    }
    return null;
  }

  async function observe<Event extends HookEvent>(event: Event, call: Call<Event>): Promise<void> {
    for (const hook of [...registry[event]])
      await guarded(() => call(hook.callback), { event, timeoutMs: hook.timeoutMs, tell });
  }

  return {
    on: (event, callback, one = {}) =>
      add(registry[event], { callback, timeoutMs: checkedTimeout(one.timeoutMs ?? timeoutMs) }),
    userPromptSubmit: (query) => first('UserPromptSubmit', (hook) => hook(query), isText),
    preToolUse: (call) => first('PreToolUse', (hook) => hook(copyOf(call)), isText),
    postToolUse: (call, output) => observe('PostToolUse', (hook) => hook(copyOf(call), { ...output })),
    stop: (messages) => first('Stop', (hook) => hook(messages), isText),
    preCompact: (about) => first('PreCompact', (hook) => hook({ ...about }), isTextOrBlock),
    postCompact: (about) => observe('PostCompact', (hook) => hook({ ...about })),
    sessionStart: (about) => first('SessionStart', (hook) => hook({ ...about }), isText),
  };
}

function isText(answer: unknown): answer is string {
  return typeof answer === 'string';
}

function isTextOrBlock(answer: unknown): answer is string | HookBlock {
  if (isText(answer)) return true;
  return typeof answer === 'object' && answer !== null && isText((answer as Partial<HookBlock>).block);
}

function add<Item>(items: Item[], item: Item): () => void {
  items.push(item);
  return () => {
    const index = items.indexOf(item);
    if (index !== -1) items.splice(index, 1);
  };
}

interface Guard {
  readonly event: HookEvent;
  readonly timeoutMs: number;
  readonly tell: (event: HookEvent, error: unknown) => void;
}

/** The value of `call`, or `undefined` when it throws or takes too long. A busy loop cannot be interrupted. */
async function guarded(call: () => unknown, { event, timeoutMs, tell }: Guard): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`a ${event} hook took longer than ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([(async () => call())(), tooLate]);
  } catch (error) {
    tell(event, error);
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

function report(onError: Required<HooksOptions>['onError'], event: HookEvent, error: unknown): void {
  try {
    onError(event, error);
  } catch {
    // a broken reporter is no reason to end the turn
  }
}

function notText(answer: unknown): Error {
  return new Error(`a hook must answer with text or nothing; got ${typeof answer}`);
}

/** Input comes from JSON, so it can always be cloned. */
function copyOf(call: HookToolCall): HookToolCall {
  return { ...call, input: structuredClone(call.input) };
}
