/** Whether the addresses an edit names give back, to the byte, what it took out of view. */
import type { Edit } from '../core/edit.ts';
import { exactText } from '../core/entry.ts';
import type { History } from '../core/history.ts';
import { isContentAddress } from '../core/archive.ts';

/** What an address gave: a text out of the archive, entries `[from, to)` of the history, or one part of one of them. */
export type Redeemed =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'entries'; readonly from: number; readonly to: number; readonly part?: number };

const HISTORY_ADDRESS = /^h_(\d{1,9})(?:-(\d{1,9})|\.(\d{1,6}))_([0-9a-f]{16})$/;

/** The entries an address of the history names, where it was made over this very history; undefined otherwise. */
export function redeemInHistory(address: string, history: History): Redeemed | undefined {
  const match = HISTORY_ADDRESS.exec(address);
  if (match === null) return undefined;
  const from = Number(match[1]);
  const to = match[2] === undefined ? from + 1 : Number(match[2]);
  if (from >= to || to > history.length || history.digest(from, to) !== match[4]) return undefined;
  if (match[3] === undefined) return { kind: 'entries', from, to };
  const part = Number(match[3]);
  return history.at(from).parts[part] === undefined ? undefined : { kind: 'entries', from, to, part };
}

/** What `address` gives. `load`: the text the archive holds at a content address, checked against it. */
export async function redeem(
  address: string,
  { history, load }: { readonly history: History; readonly load: (address: string) => Promise<string | undefined> },
): Promise<Redeemed | undefined> {
  if (!isContentAddress(address)) return redeemInHistory(address, history);
  const text = await load(address);
  return text === undefined ? undefined : { kind: 'text', text };
}

function givesPart(redeemed: Redeemed, place: { readonly at: number; readonly part: number }, exact: string): boolean {
  if (redeemed.kind === 'text') return redeemed.text === exact;
  const isWithin = redeemed.from <= place.at && place.at < redeemed.to;
  return isWithin && (redeemed.part === undefined || redeemed.part === place.part);
}

/**
 * The entries of what `edit` took out of view that nothing of `redeemed` gives back, ascending. Repairs and notes took nothing out: what they
 * replace was empty, or the caller's fault.
 */
export function unredeemed(edit: Edit, redeemed: readonly Redeemed[], history: History): readonly number[] {
  if (edit.layer === 'repair' || edit.kind === 'note') return [];
  if (edit.kind === 'part') {
    const part = history.at(edit.at).parts[edit.part];
    const isGiven = part !== undefined && redeemed.some((given) => givesPart(given, edit, exactText(part)));
    return isGiven ? [] : [edit.at];
  }
  const missing: number[] = [];
  for (let entry = edit.from; entry < edit.to; entry += 1) {
    const isGiven = redeemed.some(
      (given) => given.kind === 'entries' && given.part === undefined && given.from <= entry && entry < given.to,
    );
    if (!isGiven) missing.push(entry);
  }
  return missing;
}
