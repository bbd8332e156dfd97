/** Runs the tools of one batch, in order: hook, permission, tool, hook. Every call gets a result, whatever happens. */
import type { Hooks } from '../hooks/hooks.ts';
import type { Permissions } from '../permissions/permissions.ts';
import type { CallResult } from '../providers/provider.ts';
import type { Tool, ToolContext, ToolOutput } from '../tools/tool.ts';
import { failure } from '../tools/tool.ts';
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

/** Milliseconds a tool has to end by itself after an interrupt: killing a process group takes up to a second and a half. */
const INTERRUPT_GRACE_MS = 3_000;

/** An empty result may pass for the end of the turn with some models. */
const EMPTY_RESULT = '(no output)';

/** Runs an allowed call. A tool of the host's own may throw: the model is told, the batch goes on. */
async function run(call: ToolCall, tool: Tool, options: ExecuteOptions): Promise<ToolOutput> {
  const { permissions, hooks, toolContext } = options;
  const blocked = await hooks.preToolUse(call);
  if (blocked !== null) return failure(blocked);
  const decision = await permissions.decide(call.name, call.input, tool.access(call.input));
  if (!decision.allowed) return failure(decision.reason);
  const work = tool.run(call.input, toolContext).then((output) => checked(call, output));
  const output = await untilInterrupted(work, toolContext.signal).catch((error: unknown) => thrown(call, error));
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
  if (toolContext.signal.aborted) return failure('The user interrupted before this call ran.');
  const tool = tools.get(call.name);
  if (tool === undefined)
    return failure(`There is no tool "${call.name}". Available: ${[...tools.keys()].join(', ')}.`);
  return run(call, tool, options).catch((error: unknown) => thrown(call, error));
}

export async function executeCalls(
  calls: readonly ToolCall[],
  options: ExecuteOptions,
): Promise<readonly CallResult[]> {
  const { emit } = options;
  const results: CallResult[] = [];
  for (const call of calls) {
    emit({ type: 'tool-start', ...call });
    const output = await execute(call, options);
    emit({ type: 'tool-end', id: call.id, name: call.name, text: output.text, isError: output.isError });
    results.push({
      callId: call.id,
      text: output.text.trim() === '' ? EMPTY_RESULT : output.text,
      isError: output.isError,
    });
  }
  return results;
}
