/** The tools of one agent: the built-in ones, those that speak with the context, and the host's own. */
import type { Context } from '@holdover/engine';
import type { Skill } from '../skills/find-skills.ts';
import { createCompactTool } from '../tools/compact.ts';
import { createTools, type ToolsOptions } from '../tools/create-tools.ts';
import { createLoadSkillTool } from '../tools/load-skill.ts';
import { createLongTexts, type LongTextSource, recallingLongTexts } from '../tools/long-texts.ts';
import { createRecallTool } from '../tools/recall.ts';
import { createSnipTool } from '../tools/snip.ts';
import { createTaskTool, type TaskPort } from '../tools/task.ts';
import type { Tool } from '../tools/tool.ts';

export interface ToolboxOptions extends ToolsOptions, Omit<LongTextSource, 'history'> {
  readonly context: Context<object, object>;
  /** What the window is believed to be before the first request, tokens. */
  readonly windowTokens: number;
  readonly runTask: TaskPort['run'];
  readonly skills: readonly Skill[];
  readonly own: readonly Tool[];
}

/** Characters of one recall answer: a tenth of the window, so that a page never drives out what it was fetched for. */
const RECALL_WINDOW_SHARE = 0.1;
const CHARS_PER_TOKEN = 4;

/** By name, in the order the model sees them; of two with one name the later stands. */
export function createToolbox(options: ToolboxOptions): ReadonlyMap<string, Tool> {
  const { context, windowTokens, archive, codec, runTask, skills, own } = options;
  const pageChars = (): number =>
    Math.floor((context.gauge()?.window.windowTokens ?? windowTokens) * RECALL_WINDOW_SHARE * CHARS_PER_TOKEN);
  const recall = recallingLongTexts(context, { archive, codec, history: () => context.history() });
  const tools = [
    ...createTools(options),
    createTaskTool({ run: runTask, texts: createLongTexts(archive) }),
    createLoadSkillTool(skills),
    createCompactTool((focus) => context.compact(focus === undefined ? {} : { focus })),
    createSnipTool((request) => context.snip(request)),
    createRecallTool(recall, pageChars),
    ...own,
  ];
  return new Map(tools.map((tool) => [tool.name, tool]));
}
