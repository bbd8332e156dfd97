/**
 * Attach: texts the host wants the model to see now (reminders), and pinned texts the view does not show, become notes at the end of the newest
 * entry of the user's side. On arrival, before the entry was ever sent, that is free: no byte sent before changes.
 */
import { newestReasoning } from '../binding.ts';
import { type Address, contentAddress } from '../archive.ts';
import type { NoteEdit, Pin } from '../edit.ts';
import { isBarrier } from '../entry.ts';
import type { History } from '../history.ts';
import { shownPins } from '../view.ts';
import type { LayerInput, Proposal } from './layer.ts';
import { cappedText } from './marker.ts';

/** Share of the window one text may take: a pin over it is refused, a note cut to head, tail and address. */
export const NOTE_SHARE = 0.1;

/** A text that waits for an entry to stand in. An object, so that equal texts are two. */
export interface Note {
  readonly text: string;
}

export interface Pending {
  readonly notes: readonly Note[];
  /** The live pins, whether the view shows them or not. */
  readonly pins: readonly Pin[];
  /** Entries an accepted turn sent. */
  readonly sentLength: number;
  /** Whether reasoning in view may stand only behind what it was thought behind. @default false */
  readonly isBound?: boolean;
}

/** Index of the first entry the model cannot have seen: nothing of the model's stands behind it and no request held it. */
function unsentFrom(history: History, sentLength: number): number {
  return Math.max(sentLength, history.newestModel + 1);
}

/** The newest entry from `from` on that can hold a note, or undefined. */
function placeFrom(from: number, { history, view }: LayerInput): number | undefined {
  for (let index = view.entries.length - 1; index >= 0; index -= 1) {
    const entry = view.entries[index];
    if (entry === undefined || entry.from < from) return undefined;
    const source = history.at(entry.from);
    if (entry.range === undefined && source.origin === 'user' && !isBarrier(source)) return entry.from;
  }
  return undefined;
}

function noteEdit(
  at: number,
  history: History,
  note: Pick<NoteEdit, 'text' | 'addresses' | 'reason' | 'pin'>,
): NoteEdit {
  const until = at + 1;
  return { kind: 'note', layer: 'attach', at, until, proof: history.digest(at, until), ...note };
}

function attached(
  at: number,
  { text }: Note,
  input: LayerInput,
): { edit: NoteEdit; kept: readonly [Address, string][] } {
  const { history, hash, window } = input;
  const tokens = input.count(text);
  const most = pinCap(window.windowTokens);
  const reason = 'attached by the host';
  if (tokens <= most) return { edit: noteEdit(at, history, { text, addresses: [], reason }), kept: [] };
  const address = contentAddress(text, hash);
  const short = cappedText(text, address, Math.floor((text.length * most) / tokens));
  return { edit: noteEdit(at, history, { text: short, addresses: [address], reason }), kept: [[address, text]] };
}

/** Most tokens of one pin or note. */
export function pinCap(windowTokens: number): number {
  return Math.floor(windowTokens * NOTE_SHARE);
}

export interface Attached extends Proposal {
  /** Pins the view shows with these edits: each has to be there when the turn is sent. */
  readonly pins: readonly Pin[];
  readonly held: readonly string[];
}

/** The newest entry of the user's side, sent or not; none where reasoning behind it is bound to what it says. */
function sentPlace(input: LayerInput, isBound: boolean): number | undefined {
  const place = placeFrom(0, input);
  const isFixed = isBound && place !== undefined && newestReasoning(input.view, input.history) > place;
  return isFixed ? undefined : place;
}

/**
 * A note for each pin the view does not show and each text that waits. Texts of the host wait for an entry that was never sent; a pin, which the
 * user was promised to find in the next turn, takes the newest entry of the user's side where there is none.
 */
export function proposeNotes(input: LayerInput, { notes, pins, sentLength, isBound = false }: Pending): Attached {
  if (notes.length === 0 && pins.length === 0) return { edits: [], kept: new Map(), pins: [], held: [] };
  const shown = new Set(shownPins(input.view));
  const place = placeFrom(unsentFrom(input.history, sentLength), input);
  const pinPlace = place ?? sentPlace(input, isBound);
  const most = pinCap(input.window.windowTokens);
  const fits = pins.filter(({ id, text }) => shown.has(id) || input.count(text) <= most);
  const missing = fits.filter(({ id }) => !shown.has(id));
  const pinned = missing.flatMap(({ id, text }) =>
    pinPlace === undefined
      ? []
      : [noteEdit(pinPlace, input.history, { text, addresses: [], reason: 'pinned by the user', pin: id })],
  );
  const fresh = place === undefined ? [] : notes.map((note) => attached(place, note, input));
  return {
    edits: [...pinned, ...fresh.map(({ edit }) => edit)],
    kept: new Map(fresh.flatMap(({ kept }) => kept)),
    pins: pinPlace === undefined ? fits.filter(({ id }) => shown.has(id)) : fits,
    held: heldNotes({ pins, fits, waiting: pinPlace === undefined ? missing : [] }),
  };
}

function heldNotes(about: { pins: readonly Pin[]; fits: readonly Pin[]; waiting: readonly Pin[] }): readonly string[] {
  const { pins, fits, waiting } = about;
  return [
    ...pins.filter((pin) => !fits.includes(pin)).map(({ id }) => `pin ${id}: over a tenth of this window`),
    ...waiting.map(({ id }) => `pin ${id}: waits for a message of the user's side to stand in`),
  ];
}
