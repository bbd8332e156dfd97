/**
 * Runs the tools of one batch: hook, permission, tool, hook. Every call gets a result, whatever happens, and results stand in the order of the
 * calls. Calls run one after the other, but for neighbours whose tools may run side by side.
 */
import type { Hooks } from '../hooks/hooks.ts';
import type { Decision, Permissions } from '../permissions/permissions.ts';
import type { CallResult } from '../providers/provider.ts';
import type { Tool, ToolContext, ToolOutput } from '../tools/tool.ts';
import { failure } from '../tools/tool.ts';
import { asJudged } from '../workspace/as-judged.ts';
import type { AgentEvent } from './events.ts';

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface ExecuteOptions {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly permissions: Permissions;
  readonly hooks: Hooks<object>;
  readonly toolContext: ToolContext;
  readonly emit: (event: AgentEvent) => void;
}

/** Calls side by side at most: each sub-agent holds a context and a connection. */
const MAX_SIDE_BY_SIDE = 4;

/** Milliseconds a tool has to end by itself after an interrupt: killing a process group takes up to a second and a half. */
const INTERRUPT_GRACE_MS = 3_000;

/** An empty result may pass for the end of the turn with some models. */
const EMPTY_RESULT = '(no output)';

const INTERRUPTED = 'The user interrupted before this call ran.';
const REFUSED_BY_INTERRUPT: Decision = { allowed: false, reason: INTERRUPTED };

/** The newest decision of each set of permissions; agents that share one are asked about in turn too. */
const deciding = new WeakMap<Permissions, Promise<unknown>>();

/** One question at a time: the next is judged when the answer before it is in force. */
function oneAtATime(permissions: Permissions, decide: () => Promise<Decision>): Promise<Decision> {
  const decision = (deciding.get(permissions) ?? Promise.resolve()).then(decide);
  deciding.set(
    permissions,
    decision.catch(() => undefined),
  );
  return decision;
}

/** Runs an allowed call. A tool of the host's own may throw: the model is told, the batch goes on. */
async function run(call: ToolCall, tool: Tool, options: ExecuteOptions): Promise<ToolOutput> {
  const { permissions, hooks, toolContext } = options;
  const blocked = await hooks.preToolUse(call);
  if (blocked !== null) return failure(blocked);
  const { signal } = toolContext;
  // Taken before the rules look: what a path leads to may change while the user is asked.
  const workspace = asJudged(toolContext.workspace, tool.access(call.input));
  const decision = await oneAtATime(permissions, async () => {
    if (signal.aborted) return REFUSED_BY_INTERRUPT;
    const asked = permissions.decide(call.name, call.input, tool.access(call.input));
    // A question that is never answered must not hold the ones behind it.
    return untilInterrupted(asked, signal).catch((error: unknown) => {
      if (signal.aborted) return REFUSED_BY_INTERRUPT;
      throw error;
    });
  });
  if (!decision.allowed) return failure(decision.reason);
  toolContext.files?.begin(call.id);
  const work = tool
    .run(call.input, { ...toolContext, workspace, callId: call.id })
    .then((output) => checked(call, output));
  const output = await untilInterrupted(work, signal).catch((error: unknown) => thrown(call, error));
  await hooks.postToolUse(call, output);
  return output;
}

/** A tool of the host's own may hand back anything; and half a surrogate pair in a result would be refused on every later request. */
function checked({ name }: ToolCall, output: ToolOutput): ToolOutput {
  if (typeof output?.text !== 'string') return failure(`${name} gave no text`);
  return { ...output, text: output.text.toWellFormed() };
}

/** Settles with `work`, or rejects some time after the user interrupts: a tool that does not mind the signal must not hold the session. */
async function untilInterrupted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: () => void = () => undefined;
  const interrupted = new Promise<never>((_, reject) => {
    const give = (): void => reject(new Error('the user interrupted it; it may still have run'));
    // Tools that do mind get a moment to say what became of their work.
    stop = () => setTimeout(give, INTERRUPT_GRACE_MS).unref();
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, interrupted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function thrown({ name }: ToolCall, error: unknown): ToolOutput {
  return failure(`${name} failed: ${error instanceof Error ? error.message : String(error)}`);
}

async function execute(call: ToolCall, options: ExecuteOptions): Promise<ToolOutput> {
  const { tools, toolContext } = options;
  if (toolContext.signal.aborted) return failure(INTERRUPTED);
  const tool = tools.get(call.name);
  if (tool === undefined)
    return failure(`There is no tool "${call.name}". Available: ${[...tools.keys()].join(', ')}.`);
  return run(call, tool, options).catch((error: unknown) => thrown(call, error));
}

async function executeOne(call: ToolCall, options: ExecuteOptions): Promise<CallResult> {
  const { emit } = options;
  emit({ type: 'tool-start', ...call });
  const { text, isError } = await execute(call, options);
  emit({ type: 'tool-end', id: call.id, name: call.name, text, isError });
  return { callId: call.id, text: text.trim() === '' ? EMPTY_RESULT : text, isError };
}

/** The batch cut into runs of calls that go side by side; every other call is a run of its own. */
function runsOf(calls: readonly ToolCall[], tools: ExecuteOptions['tools']): readonly (readonly ToolCall[])[] {
  const isConcurrent = (call: ToolCall | undefined): boolean =>
    call !== undefined && tools.get(call.name)?.isConcurrent === true;
  const runs: ToolCall[][] = [];
  for (const [index, call] of calls.entries()) {
    const run = runs.at(-1);
    if (run !== undefined && isConcurrent(call) && isConcurrent(calls[index - 1])) run.push(call);
    else runs.push([call]);
  }
  return runs;
}

/** Results in the order of the calls, whichever ends first. */
async function sideBySide(calls: readonly ToolCall[], options: ExecuteOptions): Promise<readonly CallResult[]> {
  const results: CallResult[] = [];
  const waiting = [...calls.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      results[next[0]] = await executeOne(next[1], options);
  };
  await Promise.all(Array.from({ length: Math.min(MAX_SIDE_BY_SIDE, calls.length) }, work));
  return results;
}

export async function executeCalls(
  calls: readonly ToolCall[],
  options: ExecuteOptions,
): Promise<readonly CallResult[]> {
  const results: CallResult[] = [];
  for (const run of runsOf(calls, options.tools)) results.push(...(await sideBySide(run, options)));
  return results;
}
