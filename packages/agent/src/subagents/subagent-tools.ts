/** The tools of a sub-agent: those that look and change, and recall. None that makes sub-agents, plans, or compacts by order. */
import type { Archive, Codec, Context } from '@holdover/engine';
import { createTools } from '../tools/create-tools.ts';
import { recallingLongTexts } from '../tools/long-texts.ts';
import type { Processes } from '../tools/processes.ts';
import { createRecallTool } from '../tools/recall.ts';
import type { Tool } from '../tools/tool.ts';

export interface SubagentToolsOptions {
  readonly context: Context<object, object>;
  readonly archive: Archive;
  readonly codec: Codec;
  readonly processes: Processes;
}

const WITHHELD: ReadonlySet<string> = new Set(['todo_write']);

export function subagentTools(options: SubagentToolsOptions): ReadonlyMap<string, Tool> {
  const { context, archive, codec, processes } = options;
  const port = recallingLongTexts(context, { archive, codec, history: () => context.history() });
  const tools = [
    ...createTools({ processes, todos: { items: [] } }).filter(({ name }) => !WITHHELD.has(name)),
    createRecallTool(port),
  ];
  return new Map(tools.map((tool) => [tool.name, tool]));
}
