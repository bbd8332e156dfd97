/** PreCompact, PostCompact and SessionStart, around what the engine compacts. */
import type { ContextOptions, Group, Receipt } from '@holdover/engine';
import type { Hooks } from '../hooks/hooks.ts';
import type { Parts } from './parts.ts';

type BeforeSummary = NonNullable<ContextOptions<object, object>['beforeSummary']>;

/** Asks PreCompact before anything of a summary happens. */
export function beforeSummary(hooks: Hooks<object>): BeforeSummary {
  return async ({ trigger, focus }) => {
    const answer = await hooks.preCompact({ trigger, focus });
    if (answer === null) return undefined;
    return typeof answer === 'string' ? { focus: answer } : answer;
  };
}

/** The summary of an epoch, as the model will see it. */
function summaryOf(groups: readonly Group[], epochId: number | undefined): string {
  const epoch = groups.findLast((group) => group.seq === epochId);
  if (epoch === undefined || !('edits' in epoch)) return '';
  const pieces = epoch.edits.flatMap((edit) => (edit.kind === 'range' && edit.layer === 'summary' ? edit.pieces : []));
  return pieces.filter((piece) => typeof piece === 'string').join('\n\n');
}

/** Tells the hooks of a compaction, and lets them say something to the context that came of it. */
export async function afterTurn(
  parts: Pick<Parts, 'hooks' | 'context' | 'sessionId'>,
  receipt: Receipt,
): Promise<void> {
  const { summary, epochId, layers } = receipt;
  if (summary === undefined) return;
  const { hooks, context, sessionId } = parts;
  const made = layers.find(({ layer }) => layer === 'summary');
  await hooks.postCompact({
    trigger: summary.trigger,
    summary: summaryOf(context.groups(), epochId),
    tokensBefore: made?.tokensBefore ?? receipt.tokens.appendOnly,
    tokensAfter: made?.tokensAfter ?? receipt.tokens.view,
  });
  const text = await hooks.sessionStart({ source: 'compact', sessionId });
  if (text !== null && text.trim() !== '') context.attach(text);
}
