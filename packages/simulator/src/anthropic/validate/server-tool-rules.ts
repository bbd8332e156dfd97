/** Tools the provider runs itself: their result stands in the assistant turn, not in the user's. */

import { firstProblem, type Problem } from '../../problem.ts';
import type { PlacedBlock, Turn } from '../conversation.ts';
import { invalidRequest } from '../problems.ts';
import type { Rule, RuleContext } from './context.ts';

const SERVER_CALLS = ['server_tool_use', 'mcp_tool_use'];

export const serverToolsPaired: Rule = (context) => {
  const open = new Map<unknown, PlacedBlock>();
  return firstProblem(context.turns, (turn, index) => {
    if (turn.role !== 'assistant') return undefined;
    return takeTurn(turn, open) ?? checkOpen(context, { index, open });
  });
};

function takeTurn(turn: Turn, open: Map<unknown, PlacedBlock>): Problem | undefined {
  return firstProblem(turn.blocks, (placed) => {
    const { block, path } = placed;
    if (SERVER_CALLS.includes(block.type)) open.set(block['id'], placed);
    if (!isServerResult(block.type) || open.delete(block['tool_use_id'])) return undefined;
    return invalidRequest(
      `${path}: unexpected \`tool_use_id\` found in \`${block.type}\` blocks: ${String(block['tool_use_id'])}. ` +
        `Each \`${block.type}\` block must have a corresponding \`server_tool_use\` block before it.`,
    );
  });
}

/** A call may stay open only while the client answers ordinary calls of the same turn, or when the turn was paused. */
function checkOpen(
  { turns }: RuleContext,
  { index, open }: { readonly index: number; readonly open: ReadonlyMap<unknown, PlacedBlock> },
): Problem | undefined {
  const first = [...open.values()][0];
  const next = turns[index + 1];
  if (first === undefined || next === undefined) return undefined;
  const hasOnlyResults = next.role === 'user' && next.blocks.every(({ block }) => block.type === 'tool_result');
  if (hasOnlyResults) return undefined;
  const name = String(first.block['name']);
  return invalidRequest(
    `messages.${first.messageIndex}: \`${name}\` tool use with id \`${String(first.block['id'])}\` was found without a ` +
      `corresponding \`${name}_tool_result\` block`,
  );
}

function isServerResult(type: string): boolean {
  return type !== 'tool_result' && type.endsWith('_tool_result');
}
