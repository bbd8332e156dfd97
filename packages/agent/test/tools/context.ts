/** A tool context for tests: a real workspace, a real clock, a signal that stays quiet. */
import type { Tool, ToolContext, ToolOutput } from '../../src/tools/tool.ts';
import { createWorkspace } from '../../src/workspace/workspace.ts';

export function contextFor(root: string, changes: Partial<ToolContext> = {}): ToolContext {
  return {
    workspace: createWorkspace(root),
    signal: new AbortController().signal,
    env: { PATH: process.env.PATH ?? '' },
    now: () => Date.now(),
    ...changes,
  };
}

/** The text of a call that must succeed. */
export async function textOf(output: Promise<ToolOutput>): Promise<string> {
  const { text, isError } = await output;
  if (isError) throw new Error(`unexpected error: ${text}`);
  return text;
}

/** The text of a call that must fail. */
export async function errorOf(output: Promise<ToolOutput>): Promise<string> {
  const { text, isError } = await output;
  if (!isError) throw new Error(`unexpected success: ${text}`);
  return text;
}

/** A tool bound to a folder. */
export function runner(
  tool: Tool,
  root: string,
  changes: Partial<ToolContext> = {},
): (input: unknown) => Promise<ToolOutput> {
  const context = contextFor(root, changes);
  return (input) => tool.run(input, context);
}
