/** `snip`: the model lets go of finished turns; it happens when the whole batch of calls has its results. */
import * as v from 'valibot';
import { defineTool, integerFrom, objectSchema } from './define-tool.ts';
import { success, type Tool } from './tool.ts';

export interface SnipRequest {
  /** Finished turns that stay, the newest. Absent: the engine's default. */
  readonly keepTurns?: number;
}

const schema = v.object({ keep_turns: v.nullish(integerFrom(1)) });

export function createSnipTool(snip: (request: SnipRequest) => void): Tool {
  return defineTool({
    name: 'snip',
    description:
      'Take finished turns of the conversation out of view to make room, without a summary; what the user wrote stays. ' +
      'Takes effect after the results of this batch; nothing is lost, recall gets it back.',
    inputSchema: objectSchema(
      { keep_turns: { type: 'integer', minimum: 1, description: 'Newest finished turns to keep. Default: 1.' } },
      [],
    ),
    schema,
    access: () => [{ kind: 'none' }],
    async run({ keep_turns: keepTurns }) {
      snip(keepTurns === undefined || keepTurns === null ? {} : { keepTurns });
      return success('Finished turns will be taken out of view before the next step.');
    },
  });
}
