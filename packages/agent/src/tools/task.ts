/** `task`: a piece of work for a sub-agent that starts with nothing but its description. */
import * as v from 'valibot';
import type { SubagentResult, SubagentRun } from '../subagents/run-subagent.ts';
import { defineTool, objectSchema } from './define-tool.ts';
import type { LongTexts } from './long-texts.ts';
import { failure, success, type Tool, type ToolContext, type ToolOutput } from './tool.ts';

export interface TaskPort {
  /** Runs a sub-agent to its end; never rejects. */
  readonly run: (description: string, options: SubagentRun) => Promise<SubagentResult>;
  /** Keeps what is over the cap. */
  readonly texts: LongTexts;
}

/** Characters of a report: Claude Code's documented default for the output of a sub-agent. */
export const MAX_REPORT_CHARS: number = 32_000;

const schema = v.object({
  description: v.pipe(v.string('a string'), v.trim(), v.minLength(1, 'a non-empty string')),
  title: v.nullish(v.string('a string')),
});

export function createTaskTool(port: TaskPort): Tool {
  return defineTool({
    name: 'task',
    description:
      'Hand a piece of work to a sub-agent. It sees nothing of this conversation, works in the same folder with file and shell tools, and returns its last message only. ' +
      'Say in the description all it has to know, and what to report. Several tasks in one batch run side by side; do not let them change the same files.',
    inputSchema: objectSchema(
      {
        description: { type: 'string', description: 'The whole task.' },
        title: { type: 'string', description: 'A few words for the user to see.' },
      },
      ['description'],
    ),
    schema,
    isConcurrent: true,
    // What it does is asked about call by call.
    access: () => [{ kind: 'none' }],
    run: ({ description }, context) => runTask(description, context, port),
  });
}

async function runTask(description: string, context: ToolContext, port: TaskPort): Promise<ToolOutput> {
  const { signal, callId = 'task' } = context;
  const result = await port.run(description, { signal, callId });
  const { text, stop, rounds, receipts } = result;
  const details = { stop, rounds, receipts };
  const report = text.trim();
  if (stop === 'failed' || stop === 'interrupted') {
    const why = stop === 'failed' ? `failed: ${result.reason ?? 'unknown error'}` : 'was interrupted';
    const last = report === '' ? '' : `\nThe last it said: ${report}`;
    return failure(
      await port.texts.shorten(`task: the sub-agent ${why}, after ${rounds} rounds.${last}`, MAX_REPORT_CHARS),
      details,
    );
  }
  if (report === '') return success(`The sub-agent stopped after ${rounds} rounds without saying anything.`, details);
  const whole = stop === 'done' ? report : `${noteOf(stop, rounds)}\n${report}`;
  return success(await port.texts.shorten(whole, MAX_REPORT_CHARS), details);
}

/** Said first, where the last text may be no report. */
function noteOf(stop: SubagentResult['stop'], rounds: number): string {
  if (stop === 'rounds') return `(The sub-agent was stopped after ${rounds} rounds; the last it said follows.)`;
  if (stop === 'refusal') return '(The model declined to go on; the last it said follows.)';
  return '(The reply was cut at the output limit.)';
}
