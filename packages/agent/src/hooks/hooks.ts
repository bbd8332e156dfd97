/** Hooks: the user's own functions at four points of a turn. A hook that fails changes nothing. */
import { AgentError } from '../errors.ts';
import type { ToolOutput } from '../tools/tool.ts';

export interface HookToolCall {
  readonly id: string;
  readonly name: string;
  /** A copy: changing it does not change the call. */
  readonly input: unknown;
}

/** `null`, `undefined` and no return value mean: no answer. */
export type HookAnswer = string | null | undefined | void;

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
}

export type HookEvent = keyof HookCallbacks<never>;

export interface HooksOptions {
  /** Milliseconds a hook may take; its answer is ignored afterwards. 1 to 2,147,483,647. @default 10000 */
  readonly timeoutMs?: number;
  /** Told about hooks that throw, take too long or answer with something other than text. @default ignores */
  readonly onError?: (event: HookEvent, error: unknown) => void;
}

export const DEFAULT_HOOKS_OPTIONS: Required<HooksOptions> = { timeoutMs: 10_000, onError: () => undefined };

/** The methods never reject. Callbacks run one after the other, in the order they were added. */
export interface Hooks<Message> {
  /** Returns a function that takes the callback out again. */
  on<Event extends HookEvent>(event: Event, callback: HookCallbacks<Message>[Event]): () => void;
  /** The first answer; later callbacks are not called. `null`: none. So for the others. */
  userPromptSubmit(query: string): Promise<string | null>;
  preToolUse(call: HookToolCall): Promise<string | null>;
  /** Calls every callback. */
  postToolUse(call: HookToolCall, output: ToolOutput): Promise<void>;
  stop(messages: readonly Message[]): Promise<string | null>;
}

const MAX_TIMEOUT_MS = 2 ** 31 - 1;

type Registry<Message> = { readonly [Event in HookEvent]: HookCallbacks<Message>[Event][] };

/** @throws AgentError `invalid_option` */
export function createHooks<Message = unknown>(options: HooksOptions = {}): Hooks<Message> {
  const { timeoutMs, onError } = { ...DEFAULT_HOOKS_OPTIONS, ...options };
  if (!(timeoutMs >= 1 && timeoutMs <= MAX_TIMEOUT_MS)) {
    throw new AgentError('invalid_option', `timeoutMs is ${timeoutMs}; allowed: 1 to ${MAX_TIMEOUT_MS}`);
  }
  const registry: Registry<Message> = { UserPromptSubmit: [], PreToolUse: [], PostToolUse: [], Stop: [] };
  const run = (event: HookEvent, call: () => unknown): Promise<unknown> => guarded(call, { event, timeoutMs, onError });
  const firstAnswer = async (event: HookEvent, calls: readonly (() => unknown)[]): Promise<string | null> => {
    for (const call of calls) {
      const answer = await run(event, call);
      if (typeof answer === 'string') return answer;
      if (answer !== null && answer !== undefined) report(onError, event, notText(answer));
    }
    return null;
  };
  return {
    on: (event, callback) => add(registry[event], callback),
    userPromptSubmit: (query) =>
      firstAnswer(
        'UserPromptSubmit',
        registry.UserPromptSubmit.map((hook) => () => hook(query)),
      ),
    preToolUse: (call) =>
      firstAnswer(
        'PreToolUse',
        registry.PreToolUse.map((hook) => () => hook(copyOf(call))),
      ),
    stop: (messages) =>
      firstAnswer(
        'Stop',
        registry.Stop.map((hook) => () => hook(messages)),
      ),
    async postToolUse(call, output) {
      const calls = registry.PostToolUse.map((hook) => () => hook(copyOf(call), { ...output }));
      for (const observe of calls) await run('PostToolUse', observe);
    },
  };
}

function add<Callback>(callbacks: Callback[], callback: Callback): () => void {
  callbacks.push(callback);
  let added = true;
  return () => {
    if (!added) return;
    added = false;
    callbacks.splice(callbacks.indexOf(callback), 1);
  };
}

interface Guard {
  readonly event: HookEvent;
  readonly timeoutMs: number;
  readonly onError: (event: HookEvent, error: unknown) => void;
}

/** The value of `call`, or `undefined` when it throws or takes too long. A busy loop cannot be interrupted. */
async function guarded(call: () => unknown, guard: Guard): Promise<unknown> {
  const { event, timeoutMs, onError } = guard;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`a ${event} hook took longer than ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([(async () => call())(), tooLate]);
  } catch (error) {
    report(onError, event, error);
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

function report(onError: Guard['onError'], event: HookEvent, error: unknown): void {
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
