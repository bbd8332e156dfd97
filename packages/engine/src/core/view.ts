/**
 * The view: what the model is sent. Its entries partition the history, each verbatim, patched in some parts, or replaced
 * as a range. `project` is the definition; the hub extends a cached view in place and must arrive at the same.
 */
import {
  type Edit,
  endOf,
  type Group,
  type NoteEdit,
  type PartEdit,
  type Piece,
  type RangeEdit,
  startOf,
} from './edit.ts';
import { wordsOf } from './digest.ts';
import { type Entry, MESSAGE_OVERHEAD_TOKENS, type Part, tokensOfPart } from './entry.ts';
import type { History } from './history.ts';
import { editsInForce } from './ledger.ts';

/** One message of the view: the entries `[from, to)` of the history, with its estimated tokens and approximate bytes. */
export interface ViewEntry {
  readonly from: number;
  readonly to: number;
  readonly tokens: number;
  readonly bytes: number;
  /** Set where one message stands for the whole range. */
  readonly range?: RangeEdit;
  /** Set where parts of a verbatim entry are replaced. */
  readonly patches?: ReadonlyMap<number, PartEdit>;
  /** Set where texts were added behind a verbatim or patched entry, in order. */
  readonly notes?: readonly NoteEdit[];
}

/** What the model is sent, in order; `tokens` and `bytes` are the sums of its entries, without system and tools. */
export interface View {
  readonly entries: readonly ViewEntry[];
  readonly tokens: number;
  readonly bytes: number;
}

/** Counts tokens of a text; must be deterministic. */
export type Count = (text: string) => number;

export const EMPTY_VIEW: View = { entries: [], tokens: 0, bytes: 0 };

function verbatim(history: History, index: number): ViewEntry {
  const entry = history.at(index);
  return { from: index, to: index + 1, tokens: entry.tokens, bytes: entry.bytes };
}

/** A text block around its text, as JSON. */
const TEXT_BLOCK_BYTES = 26;

/** Role and brackets of a message, as JSON. */
const MESSAGE_BYTES = 28;

/** Sizes of parts that had to be walked for them. */
const BODY_BYTES = new WeakMap<Part, number>();

function measuredBytes(part: Part, value: unknown): number {
  const known = BODY_BYTES.get(part) ?? wordsOf(value).bytes;
  BODY_BYTES.set(part, known);
  return known;
}

/** What a part says, as JSON, escapes not counted, without what stands around it. */
function bodyBytes(part: Part | undefined): number {
  switch (part?.kind) {
    case 'text':
      return part.text.length;
    case 'result':
      return typeof part.content === 'string' ? part.content.length : measuredBytes(part, part.content);
    case 'call':
      return part.id.length + part.name.length + measuredBytes(part, part.input);
    case 'reasoning':
      return part.sizeChars;
    case 'media':
    case 'opaque':
      return measuredBytes(part, part.value);
    default:
      return 0;
  }
}

/** A text as a block, escapes included: a range may bring back words that no earlier view entry counted. */
function textBytes(text: string): number {
  return JSON.stringify(text).length + TEXT_BLOCK_BYTES - 2;
}

/** Bytes of one part with what stands around it; of what is around parts that are no text, an equal share. */
function blockBytes(entry: Entry, part: number): number {
  const body = bodyBytes(entry.parts[part]);
  if (entry.parts[part]?.kind === 'text') return body + TEXT_BLOCK_BYTES;
  const texts = entry.parts.filter(({ kind }) => kind === 'text').length;
  const bodies = entry.parts.reduce((sum, other) => sum + bodyBytes(other), MESSAGE_BYTES + texts * TEXT_BLOCK_BYTES);
  return Math.ceil(body + Math.max(0, entry.bytes - bodies) / Math.max(1, entry.parts.length - texts));
}

function pieceSize(piece: Piece, history: History, count: Count): { tokens: number; bytes: number } {
  if (typeof piece === 'string') return { tokens: count(piece), bytes: textBytes(piece) };
  const entry = history.at(piece.entry);
  const part = entry.parts[piece.part];
  return {
    tokens: tokensOfPart(entry, piece.part),
    bytes: part?.kind === 'text' ? textBytes(part.text) : blockBytes(entry, piece.part),
  };
}

/** Tokens and bytes of the message that stands for a range. */
export function replacementSize(
  pieces: readonly Piece[],
  history: History,
  count: Count,
): { tokens: number; bytes: number } {
  let tokens = MESSAGE_OVERHEAD_TOKENS;
  let bytes = 32;
  for (const piece of pieces) {
    const size = pieceSize(piece, history, count);
    tokens += size.tokens;
    bytes += size.bytes;
  }
  return { tokens, bytes };
}

/** Tokens a part edit frees; negative where its text is longer than the part. */
export function freedByPart(edit: PartEdit, history: History, count: Count): number {
  return tokensOfPart(history.at(edit.at), edit.part) - count(edit.text) - MESSAGE_OVERHEAD_TOKENS;
}

/** Bytes a part edit frees; negative where it adds. */
function freedBytes(source: Entry, edit: PartEdit, before: PartEdit | undefined): number {
  const isBody = !edit.becomesText && before?.becomesText !== true;
  const body = bodyBytes(source.parts[edit.part]);
  const frame = isBody ? 0 : blockBytes(source, edit.part) - body;
  const size = ({ text, becomesText }: PartEdit): number => (becomesText ? textBytes(text) : frame + text.length);
  return (before === undefined ? frame + body : size(before)) - size(edit);
}

function patched(entry: ViewEntry, edit: PartEdit, context: { history: History; count: Count }): ViewEntry {
  const before = entry.patches?.get(edit.part);
  const patches = new Map(entry.patches).set(edit.part, edit);
  const source = context.history.at(edit.at);
  const wasTokens = before ? context.count(before.text) + MESSAGE_OVERHEAD_TOKENS : tokensOfPart(source, edit.part);
  const { from, to, notes } = entry;
  return {
    from,
    to,
    tokens: entry.tokens - wasTokens + context.count(edit.text) + MESSAGE_OVERHEAD_TOKENS,
    bytes: Math.max(1, entry.bytes - freedBytes(source, edit, before)),
    patches,
    ...(notes === undefined ? {} : { notes }),
  };
}

/** What a note adds, JSON around it included: the least of all formats, so that nothing counts as freed that was not. */
const NOTE_BYTES = 2;

function noted(entry: ViewEntry, edit: NoteEdit, count: Count): ViewEntry {
  return {
    ...entry,
    tokens: entry.tokens + count(edit.text),
    bytes: entry.bytes + JSON.stringify(edit.text).length + NOTE_BYTES,
    notes: [...(entry.notes ?? []), edit],
  };
}

/** Index of the view entry that holds history entry `index`. */
export function locate(entries: readonly ViewEntry[], index: number): number {
  let low = 0;
  let high = entries.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((entries[middle]?.from ?? 0) <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** By list of entries: where its newest range stands. A list grows by verbatim entries only, so what was found stays true. */
const NEWEST_RANGES = new WeakMap<readonly ViewEntry[], number>();

/** Index of the last of `entries` that stands for a range; -1 where none does. */
export function newestRange(entries: readonly ViewEntry[]): number {
  const known = NEWEST_RANGES.get(entries);
  if (known !== undefined) return known;
  const found = entries.findLastIndex((entry) => entry.range !== undefined);
  NEWEST_RANGES.set(entries, found);
  return found;
}

function applyRange(entries: ViewEntry[], edit: RangeEdit, size: { tokens: number; bytes: number }): void {
  const first = locate(entries, edit.from);
  const last = locate(entries, edit.to - 1);
  // Not on the borders of view entries: a wider edit stands there, and this one is hidden inside it.
  if (entries[first]?.from !== edit.from || entries[last]?.to !== edit.to) return;
  entries.splice(first, last - first + 1, { from: edit.from, to: edit.to, ...size, range: edit });
}

function applyWithin(
  entries: ViewEntry[],
  edit: PartEdit | NoteEdit,
  context: { history: History; count: Count },
): void {
  const index = locate(entries, edit.at);
  const entry = entries[index];
  if (entry === undefined || entry.range !== undefined) return;
  entries[index] = edit.kind === 'part' ? patched(entry, edit, context) : noted(entry, edit, context.count);
}

function total(entries: readonly ViewEntry[]): View {
  let tokens = 0;
  let bytes = 0;
  for (const entry of entries) {
    tokens += entry.tokens;
    bytes += entry.bytes;
  }
  return { entries, tokens, bytes };
}

/** `view` with `edits` applied, as a new view. Call only at an epoch: it copies the list of entries. */
export function applyEdits(view: View, edits: readonly Edit[], context: { history: History; count: Count }): View {
  const entries = [...view.entries];
  for (const edit of edits) {
    if (edit.kind === 'range') applyRange(entries, edit, replacementSize(edit.pieces, context.history, context.count));
    else applyWithin(entries, edit, context);
  }
  return total(entries);
}

/** The view of a history under a ledger: the definition everything else must agree with. */
export function project(history: History, groups: readonly Group[], count: Count): View {
  const bare = extend(EMPTY_VIEW, history);
  return applyEdits(bare, editsInForce(groups, history), { history, count });
}

/** Takes in the history entries that came since: in place in all but name, since the old entries array is handed on. */
export function extend(view: View, history: History): View {
  const covered = view.entries.at(-1)?.to ?? 0;
  if (covered === history.length) return view;
  const entries = view.entries as ViewEntry[];
  const list = covered === 0 ? [] : entries;
  let { tokens, bytes } = covered === 0 ? EMPTY_VIEW : view;
  for (let index = covered; index < history.length; index += 1) {
    const entry = verbatim(history, index);
    list.push(entry);
    tokens += entry.tokens;
    bytes += entry.bytes;
  }
  return { entries: list, tokens, bytes };
}

/** Ids of the pins whose text stands in `view`, once for each place. */
export function shownPins(view: View): readonly number[] {
  return view.entries.flatMap((entry): readonly number[] => {
    if (entry.range !== undefined) return (entry.range.pins ?? []).map(([, pin]) => pin);
    return (entry.notes ?? []).flatMap(({ pin }) => (pin === undefined ? [] : [pin]));
  });
}

/** Notes that show a pin another place of `view` shows already: all but the first, or all where a range does. */
export function repeatedPins(view: View): readonly NoteEdit[] {
  const seen = new Set(view.entries.flatMap((entry) => (entry.range?.pins ?? []).map(([, pin]) => pin)));
  return view.entries.flatMap((entry) =>
    (entry.notes ?? []).filter(({ pin }) => {
      if (pin === undefined) return false;
      const isRepeated = seen.has(pin);
      seen.add(pin);
      return isRepeated;
    }),
  );
}

/** Whether the view holds a part word for word: no edit touched it and no range covers it. */
export function isVerbatim({ entries }: View, place: { readonly entry: number; readonly part: number }): boolean {
  const entry = entries[locate(entries, place.entry)];
  return entry !== undefined && entry.range === undefined && entry.patches?.has(place.part) !== true;
}

/** Whether an edit leaves anything to see: false once a later range of `later` swallows it. */
export function isSwallowed(edit: Edit, later: readonly Edit[]): boolean {
  return later.some((other) => other.kind === 'range' && other.from <= startOf(edit) && endOf(edit) <= other.to);
}
