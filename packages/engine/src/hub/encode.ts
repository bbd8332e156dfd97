/** From view to wire: an entry's message is made once and kept, so the same view entry is the same object in every request. */
import type { Codec, Patch, WirePiece } from '../core/codec.ts';
import type { Wire } from '../core/entry.ts';
import type { History } from '../core/history.ts';
import { newestRange, type View, type ViewEntry } from '../core/view.ts';
import type { LastSent } from './session.ts';

export interface Encoder {
  messages(view: View, history: History): readonly Wire[];
}

function isVerbatimEntry({ range, patches, notes }: ViewEntry): boolean {
  return range === undefined && patches === undefined && notes === undefined;
}

interface Made {
  readonly entries: readonly ViewEntry[];
  readonly messages: readonly Wire[];
}

/**
 * Keeps what is made for as long as its view entry lives; a message nothing touched is there already. A list of entries grows at its end only, so
 * that the same list again takes what has come since.
 */
export function createEncoder(codec: Codec): Encoder {
  const made = new WeakMap<ViewEntry, Wire>();
  const make = (entry: ViewEntry, history: History): Wire => {
    if (entry.range !== undefined) {
      const pieces = entry.range.pieces.map(
        (piece): WirePiece =>
          typeof piece === 'string' ? piece : { message: history.at(piece.entry).message, part: piece.part },
      );
      return codec.compose(pieces);
    }
    const { message } = history.at(entry.from);
    const patches: ReadonlyMap<number, Patch> = entry.patches ?? new Map();
    const patched = patches.size === 0 ? message : codec.patch(message, patches);
    return entry.notes === undefined
      ? patched
      : codec.attach(
          patched,
          entry.notes.map(({ text }) => text),
        );
  };
  const messageOf = (entry: ViewEntry, history: History): Wire => {
    if (isVerbatimEntry(entry)) return history.at(entry.from).message;
    const known = made.get(entry);
    if (known !== undefined) return known;
    const message = make(entry, history);
    made.set(entry, message);
    return message;
  };
  let newest: Made | undefined;
  return {
    messages({ entries }, history) {
      const messages = newest?.entries === entries ? newest.messages.slice() : [];
      for (let i = messages.length; i < entries.length; i += 1) {
        const entry = entries[i];
        if (entry !== undefined) messages.push(messageOf(entry, history));
      }
      newest = { entries, messages };
      return messages;
    },
  };
}

/** How many leading entries of `view` were sent last time too, and their tokens. */
export function sharedWith(view: View, sent: LastSent | undefined): { entries: number; tokens: number } {
  // The list that was sent, grown since.
  if (sent?.entries === view.entries) return { entries: sent.messages.length, tokens: sent.tokens };
  let entries = 0;
  let tokens = 0;
  while (sent !== undefined && entries < sent.messages.length) {
    const entry = view.entries[entries];
    if (entry === undefined || entry !== sent.entries[entries]) break;
    tokens += entry.tokens;
    entries += 1;
  }
  return { entries, tokens };
}

/**
 * Messages whose end should be cached: the last range edit, the newest earlier tail still in the shared prefix (a second one, since
 * Anthropic looks back only 20 blocks from a breakpoint), and this tail.
 */
export function breakpointsOf(view: View, sharedEntries: number): readonly number[] {
  const last = view.entries.length - 1;
  return [...new Set([newestRange(view.entries), sharedEntries - 1, last])]
    .filter((index) => index >= 0)
    .sort((a, b) => a - b);
}
