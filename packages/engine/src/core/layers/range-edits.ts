/** How layers make range edits: whole rounds, never over a barrier, the newest user message carried along, kept only where tokens are freed. */
import { type Address, contentAddress } from '../archive.ts';
import type { Narrative, Piece, RangeEdit } from '../edit.ts';
import { type Entry, exactText, isUserWords, type Part, tokensOfPart } from '../entry.ts';
import type { History } from '../history.ts';
import { locate, replacementSize, type View, type ViewEntry } from '../view.ts';
import type { LayerInput, Staying } from './layer.ts';
import { cappedText, mediaMarker, olderMarker } from './marker.ts';

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** `span` cut back to borders of view entries: what an earlier range edit stands for is replaced whole or not at all. */
function aligned(span: Span, view: View): Span {
  const first = view.entries[locate(view.entries, span.from)];
  const last = view.entries[locate(view.entries, Math.max(span.from, span.to - 1))];
  const from = first === undefined || first.from === span.from ? span.from : first.to;
  const to = last === undefined || last.to <= span.to ? span.to : last.from;
  return { from, to: Math.max(from, to) };
}

/**
 * What of `span` may be replaced: the pieces between its barriers. A barrier keeps its neighbours: what the provider wants in front of it is
 * any user message, behind it the model's answer.
 */
export function replaceableSpans(span: Span, { history, view }: Pick<LayerInput, 'history' | 'view'>): readonly Span[] {
  const spans: Span[] = [];
  const { from: start, to } = aligned(span, view);
  let from = start;
  // One in front of the span matters too: the answer behind it stays.
  for (const barrier of history.barriersIn(start - 1, to)) {
    if (barrier + 1 < from) continue;
    const before = history.cutBefore(barrier);
    if (before > from) spans.push({ from, to: before });
    from = history.cutAfter(Math.min(history.length, barrier + 2));
  }
  if (from < to) spans.push({ from, to });
  return spans;
}

/** The pieces that keep the newest user message when `span` covers it. */
export interface Carry {
  readonly pieces: readonly Piece[];
  readonly capped?: number;
  readonly kept: ReadonlyMap<Address, string>;
}

const NO_CARRY: Carry = { pieces: [], kept: new Map() };

/** Share of the window the newest user message may take before only head, tail and address stay. */
export const USER_SHARE = 0.5;

/** Share of that which pictures may take for the texts to be cut around them; above it they go with the texts. */
const MEDIA_SHARE = 0.75;

function tokensOf(entry: Entry, parts: readonly number[]): number {
  return parts.reduce((sum, index) => sum + tokensOfPart(entry, index), 0);
}

function wordsIn(entry: Entry): readonly number[] {
  return entry.parts.flatMap((part, index) => (isUserWords(part) ? [index] : []));
}

function shareTokens({ window }: LayerInput): number {
  return Math.floor(window.windowTokens * USER_SHARE);
}

/** Carries the newest user message's words and pictures; over its share of the window its texts become head, tail and address. */
export function carryNewestUser(span: Span, input: LayerInput, allowed?: number): Carry {
  const user = input.history.newestUser;
  if (user < span.from || user >= span.to) return NO_CARRY;
  const share = shareTokens(input);
  return carryUser(user, Math.min(share, allowed ?? share), input);
}

/** What stands for the user's older messages in a span. */
export interface CarriedUsers {
  readonly pieces: readonly Piece[];
  readonly kept: ReadonlyMap<Address, string>;
  /** Messages that stand whole. */
  readonly whole: number;
}

/** The least room a message that does not fit whole is cut to fit into, tokens: head and tail enough to know it by. */
const MIN_CARRY_TOKENS = 100;

/**
 * Carries the words of all user messages in `span` but the newest of the history, in order, as far as `maxTokens` goes: the one that does not
 * fit whole is cut to head, tail and address, older ones are found under `address`, that of the span.
 */
export function carryUsers(
  span: Span,
  input: LayerInput,
  { address, maxTokens = shareTokens(input) }: { readonly address: Address; readonly maxTokens?: number },
): CarriedUsers {
  const { history } = input;
  const users = history.users.filter((user) => user >= span.from && user < span.to && user !== history.newestUser);
  let room = maxTokens;
  let first = users.length;
  const pieces: Piece[] = [];
  for (; first > 0; first -= 1) {
    const user = users[first - 1] ?? 0;
    const entry = history.at(user);
    const words = wordsIn(entry);
    if (tokensOf(entry, words) > room) break;
    room -= tokensOf(entry, words);
    pieces.unshift(...words.map((part) => ({ entry: user, part })));
  }
  const whole = users.length - first;
  const isCut = first > 0 && room >= MIN_CARRY_TOKENS;
  const cut = isCut ? carryUser(users[first - 1] ?? 0, room, input) : NO_CARRY;
  const older = isCut ? first - 1 : first;
  return {
    pieces: [...(older === 0 ? [] : [olderMarker(older, address)]), ...cut.pieces, ...pieces],
    kept: cut.kept,
    whole,
  };
}

function carryUser(user: number, maxTokens: number, { history, hash }: LayerInput): Carry {
  const entry = history.at(user);
  const own = wordsIn(entry);
  const carried = (parts: readonly number[]): readonly Piece[] => parts.map((part) => ({ entry: user, part }));
  if (tokensOf(entry, own) <= maxTokens) return { pieces: carried(own), kept: new Map() };
  const media = own.filter((index) => entry.parts[index]?.kind !== 'text');
  const isMediaSmall = tokensOf(entry, media) <= maxTokens * MEDIA_SHARE;
  const texts = own.filter((index) => !media.includes(index));
  const text = texts.map((index) => exactText(entry.parts[index] ?? { kind: 'text', text: '' })).join('\n\n');
  const address = contentAddress(text, hash);
  const room = maxTokens - (isMediaSmall ? tokensOf(entry, media) : 0);
  const keepChars = Math.max(400, Math.floor((room * text.length) / Math.max(1, tokensOf(entry, texts)) / 2));
  const away = isMediaSmall ? [] : media.map((index) => putAway(entry.parts[index], hash));
  const shortened = text.length > keepChars ? cappedText(text, address, keepChars) : text;
  const pieces = [
    ...(text === '' ? [] : [shortened]),
    ...away.map(({ note }) => note),
    ...(isMediaSmall ? carried(media) : []),
  ];
  const kept = new Map([
    ...(text === '' ? [] : [[address, text] as const]),
    ...away.map(({ address: at, exact }) => [at, exact] as const),
  ]);
  return { pieces, capped: user, kept };
}

/** A picture or an unknown block of the user's that does not fit: its address in its place. */
function putAway(part: Part | undefined, hash: LayerInput['hash']): { note: string; address: Address; exact: string } {
  const exact = part === undefined ? '' : exactText(part);
  const address = contentAddress(exact, hash);
  const what = part?.kind === 'media' ? part.mediaType : 'a block';
  return { note: mediaMarker(what, address), address, exact };
}

/** A text carried from an entry or an earlier range that a new range covers. */
export interface CarriedNote {
  readonly text: string;
  readonly pin?: number | undefined;
}

function notesOf(entry: ViewEntry, { pins, sentLength }: Staying): readonly CarriedNote[] {
  const { range, notes = [] } = entry;
  const isUnsent = entry.to > sentLength;
  if (range === undefined) return notes.filter(({ pin }) => (pin === undefined ? isUnsent : pins.has(pin)));
  const pinOf = new Map(range.pins);
  const unread = new Set(isUnsent ? range.notes : []);
  return range.pieces.flatMap((text, index) => {
    const pin = pinOf.get(index);
    const stays = pin === undefined ? unread.has(index) : pins.has(pin);
    return typeof text === 'string' && stays ? [{ text, pin }] : [];
  });
}

/** The live pins `span` shows, and the notes in it that were never sent, in order. */
export function carryNotes(
  span: Span,
  { view, staying }: Pick<LayerInput, 'view' | 'staying'>,
): readonly CarriedNote[] {
  const carried: CarriedNote[] = [];
  if (staying === undefined) return carried;
  for (let i = locate(view.entries, span.from); i < view.entries.length; i += 1) {
    const entry = view.entries[i];
    if (entry === undefined || entry.from >= span.to) break;
    carried.push(...notesOf(entry, staying));
  }
  return carried;
}

export interface RangePlan extends Span {
  readonly layer: RangeEdit['layer'];
  readonly reason: string;
  readonly pieces: readonly Piece[];
  readonly capped?: number | undefined;
  readonly addresses: readonly Address[];
  /** Stand behind the first piece. */
  readonly carried?: readonly CarriedNote[];
  /** Its piece counted without the carried ones. */
  readonly narrative?: Narrative | undefined;
}

/**
 * End of the evidence. A span that hides older user messages may only do so while a newer one exists: covering that one too makes the
 * edit fall with it in a rewind, so that the newest user message is never hidden. In the same way the entry that ended a round with calls open
 * is covered: without it the results might still come.
 */
function evidenceEnd(span: Span, history: History): number {
  const hidesUser = history.hasUserIn(span.from, span.to);
  const end = history.isForcedCut(span.to) ? span.to + 1 : span.to;
  return hidesUser ? Math.max(end, history.newestUser + 1) : end;
}

function behind(carried: number, narrative: Narrative): Narrative {
  return narrative.piece === 0 ? narrative : { ...narrative, piece: narrative.piece + carried };
}

export function rangeEdit(plan: RangePlan, history: History): RangeEdit {
  const { from, to, layer, reason, addresses, capped, carried = [], pieces, narrative } = plan;
  const until = evidenceEnd(plan, history);
  const pins = carried.flatMap(({ pin }, index) => (pin === undefined ? [] : [[index + 1, pin] as const]));
  const notes = carried.flatMap(({ pin }, index) => (pin === undefined ? [index + 1] : []));
  return {
    kind: 'range',
    from,
    to,
    reason,
    layer,
    addresses,
    pieces: [...pieces.slice(0, 1), ...carried.map(({ text }) => text), ...pieces.slice(1)],
    ...(pins.length === 0 ? {} : { pins }),
    ...(notes.length === 0 ? {} : { notes }),
    ...(capped === undefined ? {} : { capped }),
    ...(narrative === undefined ? {} : { narrative: behind(carried.length, narrative) }),
    until,
    proof: history.digest(plan.from, until),
  };
}

/** Most by which an entry's approximate bytes exceed its JSON: a text given as a string is counted as a list of one block. */
const BYTES_MARGIN = 32;

/** The same for a message that stands for a range: its frame is counted a little large. */
const RANGE_MARGIN = 8;

/** Tokens and bytes a range edit frees in `view`; the bytes are a lower bound. */
export function freedByRange(edit: RangeEdit, view: View, input: LayerInput): { tokens: number; bytes: number } {
  const size = replacementSize(edit.pieces, input.history, input.count);
  let tokens = -size.tokens;
  let bytes = -size.bytes;
  for (let i = locate(view.entries, edit.from); i < view.entries.length; i += 1) {
    const entry = view.entries[i];
    if (entry === undefined || entry.from >= edit.to) break;
    tokens += entry.tokens;
    bytes += entry.bytes - (entry.range === undefined ? BYTES_MARGIN : RANGE_MARGIN);
  }
  return { tokens, bytes };
}
