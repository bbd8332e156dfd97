/** `compact`: the model asks for a compaction; it happens when the whole batch of calls has its results. */
import * as v from 'valibot';
import { defineTool, objectSchema } from './define-tool.ts';
import { success, type Tool } from './tool.ts';

const schema = v.object({ focus: v.optional(v.string('a string')) });

export function createCompactTool(request: (focus: string | undefined) => void): Tool {
  return defineTool({
    name: 'compact',
    description:
      'Summarize the conversation so far to make room. Takes effect after the results of this batch; nothing is lost, recall gets it back.',
    inputSchema: objectSchema(
      { focus: { type: 'string', description: 'What the summary has to keep above all.' } },
      [],
    ),
    schema,
    access: () => [{ kind: 'none' }],
    async run({ focus }) {
      request(focus);
      return success('The conversation will be compacted before the next step.');
    },
  });
}
