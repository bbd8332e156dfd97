/**
 * Reasoning bound to its prefix: on newer models a part of reasoning may be sent again only behind exactly what it was thought behind (Anthropic,
 * preserved thinking; OpenAI, preserved reasoning). So what stands before a part of reasoning that stays in view never changes; an epoch leaves none
 * in view.
 */
import type { Entry } from './entry.ts';
import { type Edit, startOf } from './edit.ts';
import type { History } from './history.ts';
import type { View, ViewEntry } from './view.ts';

function hasReasoning(entry: Entry): boolean {
  return entry.parts.some(({ kind }) => kind === 'reasoning');
}

/** The newest entry whose reasoning stands in view, of those `counts` names; -1 where none does. */
export function newestReasoning(view: View, history: History, counts: (at: number) => boolean = () => true): number {
  for (let i = view.entries.length - 1; i >= 0; i -= 1) {
    const entry = view.entries[i];
    if (entry === undefined || entry.range !== undefined) continue;
    if (hasReasoning(history.at(entry.from)) && counts(entry.from)) return entry.from;
  }
  return -1;
}

/** Those of `edits` that change nothing before a part of reasoning in view. */
export function sparingReasoning(edits: readonly Edit[], view: View, history: History): readonly Edit[] {
  const newest = edits.length === 0 ? -1 : newestReasoning(view, history);
  return newest < 0 ? edits : edits.filter((edit) => startOf(edit) > newest);
}

/** What edits break: `edits` of repairs and notes apart, which the caller's own messages made necessary, each that reasoning in view stands behind. */
export function boundFailures(edits: readonly Edit[], view: View, history: History): readonly string[] {
  const newest = edits.length === 0 ? -1 : newestReasoning(view, history);
  return edits
    .filter((edit) => edit.layer !== 'repair' && edit.kind !== 'note' && startOf(edit) < newest)
    .map(
      (edit) => `${edit.layer} edit at ${startOf(edit)}: the reasoning in entry ${newest} is bound to what it changes`,
    );
}

/** Entries whose reasoning stands in both views, in `after` behind something else than in `before`. */
export function unboundReasoning(before: View, after: View, history: History): readonly number[] {
  const first = after.entries.findIndex((entry, index) => !isSameEntry(entry, before.entries[index]));
  if (first < 0) return [];
  const shown = new Set(before.entries.flatMap(({ from, range }) => (range === undefined ? [from] : [])));
  return after.entries
    .slice(first)
    .flatMap(({ from, range }) =>
      range === undefined && shown.has(from) && hasReasoning(history.at(from)) ? [from] : [],
    );
}

function isSameEntry(one: ViewEntry, other: ViewEntry | undefined): boolean {
  if (other === undefined || one.from !== other.from || one.to !== other.to || one.range !== other.range) return false;
  const isPlain = (entry: ViewEntry): boolean => entry.patches === undefined && entry.notes === undefined;
  return one === other || (isPlain(one) && isPlain(other)) || sameWithin(one, other);
}

/** Views made anew from the ledger hold the same edits in other entries. */
function sameWithin(one: ViewEntry, other: ViewEntry): boolean {
  const patches = [...(one.patches ?? [])];
  const notes = one.notes ?? [];
  return (
    patches.length === (other.patches?.size ?? 0) &&
    patches.every(([part, edit]) => other.patches?.get(part) === edit) &&
    notes.length === (other.notes?.length ?? 0) &&
    notes.every((note, index) => other.notes?.[index] === note)
  );
}
