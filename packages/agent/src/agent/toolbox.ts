/** The tools of one agent: the built-in ones, those that speak with the context, and the host's own. */
import type { Context } from '@holdover/engine';
import { createCompactTool } from '../tools/compact.ts';
import { createTools, type ToolsOptions } from '../tools/create-tools.ts';
import { createRecallTool } from '../tools/recall.ts';
import type { Tool } from '../tools/tool.ts';

export interface ToolboxOptions extends ToolsOptions {
  readonly context: Context<object, object>;
  /** What the window is believed to be before the first request, tokens. */
  readonly windowTokens: number;
  readonly own: readonly Tool[];
}

/** Characters of one recall answer: a tenth of the window, so that a page never drives out what it was fetched for. */
const RECALL_WINDOW_SHARE = 0.1;
const CHARS_PER_TOKEN = 4;

/** By name, in the order the model sees them; of two with one name the later stands. */
export function createToolbox(options: ToolboxOptions): ReadonlyMap<string, Tool> {
  const { context, windowTokens, own } = options;
  const pageChars = (): number =>
    Math.floor((context.gauge()?.window.windowTokens ?? windowTokens) * RECALL_WINDOW_SHARE * CHARS_PER_TOKEN);
  const tools = [
    ...createTools(options),
    createCompactTool((focus) => context.compact(focus === undefined ? {} : { focus })),
    createRecallTool(context, pageChars),
    ...own,
  ];
  return new Map(tools.map((tool) => [tool.name, tool]));
}
