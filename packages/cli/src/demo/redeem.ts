/** Fetches back everything the session took out, and compares it with the history it came from. */
import type { Codec, Context, Edit, Part } from '@holdover/engine';

export interface Redeemed {
  /** Distinct addresses the ledger issued. */
  readonly issued: number;
  /** How many of them came back and were what the history holds. */
  readonly identical: number;
}

/** The bytes a part stands for, read off the history independently of the archive. */
function original(part: Part): string {
  if (part.kind === 'text') return part.text;
  if (part.kind !== 'result') return '';
  return typeof part.content === 'string' ? part.content : JSON.stringify(part.content);
}

function isWhole(
  edit: Edit,
  recalled: string,
  source: { readonly history: readonly object[]; readonly codec: Codec },
): boolean {
  const parts = (index: number): readonly Part[] => source.codec.decode(source.history[index] ?? {}).parts;
  if (edit.kind === 'part') {
    const part = parts(edit.at)[edit.part];
    return part !== undefined && original(part) === recalled;
  }
  // A note cut to fit is the host's, not the history's: what stands in view is how its original begins.
  if (edit.kind === 'note') return recalled.startsWith(edit.text.slice(0, edit.text.indexOf('\n[')));
  for (let index = edit.from; index < edit.to; index += 1) {
    if (!parts(index).every((part) => recalled.includes(original(part)))) return false;
  }
  return true;
}

export async function redeemAll(context: Context<object, object>, codec: Codec): Promise<Redeemed> {
  const source = { history: context.history(), codec };
  const byAddress = new Map<string, Edit>();
  for (const group of context.groups()) {
    if (!('edits' in group)) continue;
    for (const edit of group.edits) for (const address of edit.addresses) byAddress.set(address, edit);
  }
  let identical = 0;
  for (const [address, edit] of byAddress) {
    const recalled = await context.recall(address);
    if (recalled.kind === 'content' && isWhole(edit, recalled.text, source)) identical += 1;
  }
  return { issued: byAddress.size, identical };
}
