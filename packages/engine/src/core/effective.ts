/** What a view entry says: its history entry with patches and notes applied, or the message that stands for a range. */
import type { Entry, Part } from './entry.ts';
import type { History } from './history.ts';
import type { ViewEntry } from './view.ts';

/** The parts the model is sent for one view entry. */
export function effectiveParts(entry: ViewEntry, history: History): readonly Part[] {
  if (entry.range !== undefined) {
    return entry.range.pieces.flatMap((piece): readonly Part[] => {
      if (typeof piece === 'string') return [{ kind: 'text', text: piece }];
      const part = history.at(piece.entry).parts[piece.part];
      return part === undefined ? [] : [part];
    });
  }
  const parts = history.at(entry.from).parts.map((part, index): Part => {
    const patch = entry.patches?.get(index);
    if (patch === undefined) return part;
    if (patch.becomesText || part.kind !== 'result') return { kind: 'text', text: patch.text };
    return { ...part, text: patch.text, content: patch.text, mediaCount: 0 };
  });
  return [...parts, ...(entry.notes ?? []).map(({ text }): Part => ({ kind: 'text', text }))];
}

/** A view entry as the provider reads it. */
export function effectiveEntry(entry: ViewEntry, history: History): Entry {
  const source = history.at(entry.from);
  if (entry.range === undefined && entry.patches === undefined && entry.notes === undefined) return source;
  const origin = entry.range !== undefined ? 'user' : source.origin;
  return { ...source, origin, parts: effectiveParts(entry, history) };
}
