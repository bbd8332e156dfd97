/** Reasoning comes back whole, unaltered and where it was, or not at all. */

import { isObject } from '../../json.ts';
import { firstProblem, type Problem } from '../../problem.ts';
import { isThinking, type PlacedBlock } from '../conversation.ts';
import { invalidRequest } from '../problems.ts';
import { type SignatureClaims, verifyBlock } from '../signatures.ts';
import type { Rule, RuleContext } from './context.ts';

export const thinkingNotLast: Rule = ({ turns }) =>
  firstProblem(turns, (turn) => {
    const last = turn.blocks.at(-1);
    if (last === undefined || !isThinking(last)) return undefined;
    return invalidRequest(
      `messages.${last.messageIndex}.content: The final block in an assistant message cannot be \`${last.block.type}\`.`,
    );
  });

export const thinkingUnaltered: Rule = (context) => {
  const bound = startBinding(context);
  return firstProblem(context.turns, (turn, turnIndex) => {
    let others = 0;
    return firstProblem(turn.blocks, (placed) => {
      if (!isThinking(placed)) {
        others += 1;
        return undefined;
      }
      const claims = verifyBlock(context.signer, placed.block);
      if (claims === undefined) return invalidSignature(placed);
      return others > claims.position ? moved(placed) : bound?.({ placed, claims, turnIndex });
    });
  });
};

/** Inside a tool loop with extended thinking on, the calls must come back with the thinking that led to them. */
export const thinkingKeptInLoop: Rule = ({ body, turns, cameWithThinking }) => {
  const thinking = body['thinking'];
  const isOn = isObject(thinking) && thinking['type'] === 'enabled';
  const isLoop = turns.at(-1)?.blocks[0]?.block.type === 'tool_result';
  const turn = turns.at(-2);
  const first = turn?.blocks[0];
  if (!isOn || !isLoop || turn === undefined || first === undefined || isThinking(first)) return undefined;
  const hadThinking = turn.blocks.some(
    ({ block }) => block.type === 'tool_use' && cameWithThinking(String(block['id'])),
  );
  if (!hadThinking) return undefined;
  return invalidRequest(
    `${first.path}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.block.type}\`. When \`thinking\` ` +
      'is enabled, a final `assistant` message must start with a thinking block (preceding the lastmost set of ' +
      '`tool_use` and `tool_result` blocks).',
  );
};

interface BoundCheck {
  readonly placed: PlacedBlock;
  readonly claims: SignatureClaims;
  readonly turnIndex: number;
}

/** On bound models the prefix must be the one the thinking was made on, and no thinking in the middle may be gone. */
function startBinding({
  body,
  prefixHashBefore,
}: RuleContext): ((check: BoundCheck) => Problem | undefined) | undefined {
  if (prefixHashBefore === undefined || isDropAllowed(body['thinking'])) return undefined;
  let last: SignatureClaims | undefined;
  return ({ placed, claims, turnIndex }) => {
    const isContiguous = last === undefined || claims.previous === last.nonce;
    last = claims;
    if (isContiguous && claims.prefixHash === prefixHashBefore(turnIndex)) return undefined;
    return invalidRequest(
      `${placed.path}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation.`,
    );
  };
}

function isDropAllowed(thinking: unknown): boolean {
  const binding = isObject(thinking) ? thinking['block_binding'] : undefined;
  return isObject(binding) && binding['prefix_mismatch_behavior'] === 'drop_block';
}

function invalidSignature({ path, block }: PlacedBlock): Problem {
  return block.type === 'thinking'
    ? invalidRequest(`${path}: Invalid \`signature\` in \`thinking\` block`)
    : invalidRequest(`${path}: Invalid \`data\` in \`redacted_thinking\` block`);
}

function moved({ path }: PlacedBlock): Problem {
  return invalidRequest(
    `${path}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. ` +
      'These blocks must remain as they were in the original response.',
  );
}

/** The nonce of the last thinking block the client sent, `-` for none: what the next one is chained to. */
export function lastThinkingNonce({ turns, signer }: Pick<RuleContext, 'turns' | 'signer'>): string {
  const blocks = turns.flatMap((turn) => turn.blocks.filter(isThinking));
  const last = blocks.at(-1);
  return (last === undefined ? undefined : verifyBlock(signer, last.block)?.nonce) ?? '-';
}
