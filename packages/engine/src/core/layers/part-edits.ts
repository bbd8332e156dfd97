/** How layers make part edits: store the exact part under its content address, replace its body, keep it only where tokens are freed. */
import { type Address, contentAddress } from '../archive.ts';
import type { LayerName, PartEdit } from '../edit.ts';
import { exactText, isUserWords, MEDIA_TOKENS, type Part } from '../entry.ts';
import { freedByPart, locate, type View } from '../view.ts';
import type { LayerInput } from './layer.ts';

/** A result that stands verbatim in the view. */
export interface VisibleResult {
  readonly at: number;
  readonly part: number;
  /** Characters of its text, a picture counted as 6,400. */
  readonly chars: number;
}

/** One part's replacement before it is frozen. */
export interface PartPlan {
  readonly at: number;
  readonly part: number;
  readonly layer: LayerName;
  readonly reason: string;
  /** Makes the replacing text from the part's readable text and its address. */
  readonly text: (readable: string, address: Address, part: Part) => string;
}

export function readableText(part: Part): string {
  return part.kind === 'result' || part.kind === 'text' ? part.text : exactText(part);
}

/** What stands in view where a plan's part is: the part, or the text an earlier edit put there. */
function standing(plan: { readonly at: number; readonly part: number }, view: View): PartEdit | undefined {
  return view.entries[locate(view.entries, plan.at)]?.patches?.get(plan.part);
}

/** Characters of what goes, as JSON: a text is escaped there, a list of blocks is JSON already. */
function jsonChars(part: Part, exact: string): number {
  const isText = part.kind === 'text' || (part.kind === 'result' && typeof part.content === 'string');
  return isText ? JSON.stringify(exact).length : exact.length;
}

/** Whether the edit is shorter than what stands there now, in tokens and in bytes as JSON. */
function frees(edit: PartEdit, exactChars: number, input: LayerInput): boolean {
  const { history, view, count } = input;
  const chars = JSON.stringify(edit.text).length;
  if (freedByPart(edit, history, count) <= 0 || chars >= exactChars) return false;
  const earlier = standing(edit, view);
  return (
    earlier === undefined || (count(edit.text) < count(earlier.text) && chars < JSON.stringify(earlier.text).length)
  );
}

/** The edit of a plan and the bytes to archive, or undefined where it would free nothing. */
export function planPart(
  plan: PartPlan,
  input: LayerInput,
): { edit: PartEdit; address: Address; exact: string } | undefined {
  const { history, hash } = input;
  const part = history.at(plan.at).parts[plan.part];
  if (part === undefined) return undefined;
  const exact = exactText(part);
  const address = contentAddress(exact, hash);
  // An older user message may be shortened while there is a newer one: the edit falls with it in a rewind.
  const isOlderUser = history.at(plan.at).origin === 'user' && isUserWords(part) && plan.at < history.newestUser;
  const until = isOlderUser ? history.newestUser + 1 : plan.at + 1;
  const edit: PartEdit = {
    kind: 'part',
    layer: plan.layer,
    at: plan.at,
    part: plan.part,
    until,
    proof: history.digest(plan.at, until),
    text: plan.text(readableText(part), address, part),
    becomesText: false,
    addresses: [address],
    reason: plan.reason,
  };
  return frees(edit, jsonChars(part, exact), input) ? { edit, address, exact } : undefined;
}

/** What a picture counts in characters, where characters are compared: its tokens at four characters each. */
const MEDIA_CHARS = MEDIA_TOKENS * 4;

export function picturesIn(part: Part): number {
  return part.kind === 'result' ? part.mediaCount : 0;
}

/** Results of the view entries from index `from` on, oldest first, whether replaced already or not. */
export function resultsFrom(
  view: View,
  input: LayerInput,
  from: number,
): readonly (VisibleResult & { readonly isReplaced: boolean })[] {
  const results: (VisibleResult & { isReplaced: boolean })[] = [];
  for (let i = from; i < view.entries.length; i += 1) {
    const entry = view.entries[i];
    if (entry === undefined || entry.range !== undefined) continue;
    input.history.at(entry.from).parts.forEach((part, index) => {
      if (part.kind !== 'result' || entry.patches?.get(index)?.becomesText === true) return;
      results.push({
        at: entry.from,
        part: index,
        chars: part.text.length + part.mediaCount * MEDIA_CHARS,
        isReplaced: entry.patches?.has(index) ?? false,
      });
    });
  }
  return results;
}
