/** Calls and results: every call answered at once, first in the next turn, exactly once. */

import { firstProblem, type Problem } from '../../problem.ts';
import type { PlacedBlock, Turn } from '../conversation.ts';
import { invalidRequest } from '../problems.ts';
import type { Rule } from './context.ts';

export const uniqueCallIds: Rule = ({ turns }) => {
  const seen = new Set<unknown>();
  return firstProblem(turns, (turn) =>
    firstProblem(blocksOfKind(turn, 'tool_use'), ({ block }) => {
      if (seen.has(block['id'])) return invalidRequest('messages: `tool_use` ids must be unique');
      seen.add(block['id']);
      return undefined;
    }),
  );
};

/** Turn by turn, so that the earliest fault is the one reported. */
export const callsPaired: Rule = ({ turns }) =>
  firstProblem(
    turns,
    (turn, index) =>
      checkExpected(turn, turns[index - 1]) ?? checkSingle(turn) ?? checkAnswered(turn, turns[index + 1]),
  );

function checkExpected(turn: Turn, previous: Turn | undefined): Problem | undefined {
  const calls = new Set(blocksOfKind(previous, 'tool_use').map(({ block }) => block['id']));
  return firstProblem(blocksOfKind(turn, 'tool_result'), ({ block, path }) =>
    calls.has(block['tool_use_id'])
      ? undefined
      : invalidRequest(
          `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(block['tool_use_id'])}. ` +
            'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
        ),
  );
}

function checkSingle(turn: Turn): Problem | undefined {
  const seen = new Set<unknown>();
  return firstProblem(blocksOfKind(turn, 'tool_result'), ({ block, path }) => {
    const id = block['tool_use_id'];
    if (!seen.has(id)) {
      seen.add(id);
      return undefined;
    }
    return invalidRequest(
      `${path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${String(id)}`,
    );
  });
}

function checkAnswered(turn: Turn, next: Turn | undefined): Problem | undefined {
  const answered = new Set(leadingResults(next).map(({ block }) => block['tool_use_id']));
  const open = blocksOfKind(turn, 'tool_use').filter(({ block }) => !answered.has(block['id']));
  if (open.length === 0) return undefined;
  const ids = open.map(({ block }) => String(block['id'])).join(', ');
  return invalidRequest(
    `messages.${open[0]?.messageIndex ?? 0}: \`tool_use\` ids were found without \`tool_result\` blocks immediately ` +
      `after: ${ids}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

function blocksOfKind(turn: Turn | undefined, kind: string): readonly PlacedBlock[] {
  return turn?.blocks.filter(({ block }) => block.type === kind) ?? [];
}

/** Results count only when nothing stands before them. */
function leadingResults(turn: Turn | undefined): readonly PlacedBlock[] {
  const blocks = turn?.role === 'user' ? turn.blocks : [];
  const end = blocks.findIndex(({ block }) => block.type !== 'tool_result');
  return end === -1 ? blocks : blocks.slice(0, end);
}
