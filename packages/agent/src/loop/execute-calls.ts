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

/** An empty result may pass for the end of the turn with some models. */
const EMPTY_RESULT = '(no output)';

async function execute(call: ToolCall, options: ExecuteOptions): Promise<ToolOutput> {
  const { tools, permissions, hooks, toolContext } = options;
  if (toolContext.signal.aborted) return failure('The user interrupted before this call ran.');
  const tool = tools.get(call.name);
  if (tool === undefined) return failure(`There is no tool "${call.name}". Available: ${[...tools.keys()].join(', ')}.`);
  const blocked = await hooks.preToolUse(call);
  if (blocked !== null) return failure(blocked);
  const decision = await permissions.decide(call.name, call.input, tool.access(call.input));
  if (!decision.allowed) return failure(decision.reason);
  return tool.run(call.input, toolContext);
}

export async function executeCalls(calls: readonly ToolCall[], options: ExecuteOptions): Promise<readonly CallResult[]> {
  const { emit, hooks } = options;
  const results: CallResult[] = [];
  for (const call of calls) {
    emit({ type: 'tool-start', ...call });
    const output = await execute(call, options);
    await hooks.postToolUse(call, output);
    emit({ type: 'tool-end', id: call.id, name: call.name, text: output.text, isError: output.isError });
    results.push({ callId: call.id, text: output.text === '' ? EMPTY_RESULT : output.text, isError: output.isError });
  }
  return results;
}
