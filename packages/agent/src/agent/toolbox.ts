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
  readonly runTask: TaskPort['run'];
  readonly skills: readonly Skill[];
  readonly own: readonly Tool[];
}

/** By name, in the order the model sees them; of two with one name the later stands. */
export function createToolbox(options: ToolboxOptions): ReadonlyMap<string, Tool> {
  const { context, archive, codec, runTask, skills, own } = options;
  const recall = recallingLongTexts(context, { archive, codec, history: () => context.history() });
  const tools = [
    ...createTools(options),
    createTaskTool({ run: runTask, texts: createLongTexts(archive) }),
    createLoadSkillTool(skills),
    createCompactTool((focus) => context.compact(focus === undefined ? {} : { focus })),
    createSnipTool((request) => context.snip(request)),
    createRecallTool(recall),
    ...own,
  ];
  return new Map(tools.map((tool) => [tool.name, tool]));
}
