/**
 * The ledger as JSON, versioned. Long texts are kept in the archive and named by address, so that a ledger stays small; they are put
 * there before a turn is sent.
 */
import { type Address, contentAddress } from './archive.ts';
import type { Breaker } from './breaker.ts';
import { type Edit, type Group, isEpoch, type PartEdit, type Piece, type RangeEdit } from './edit.ts';
import { ContextError } from './errors.ts';
import type { MeterState } from './meter.ts';

/** Texts up to this many characters stay inline: about what a reference and its file would cost. */
export const INLINE_CHARS = 256;

type StoredText = string | { readonly at: Address };
type StoredPiece = StoredText | Exclude<Piece, string>;
type StoredEdit =
  | (Omit<RangeEdit, 'pieces'> & { readonly pieces: readonly StoredPiece[] })
  | (Omit<PartEdit, 'text'> & { readonly text: StoredText });
export type StoredGroup =
  | Exclude<Group, { edits: unknown }>
  | (Omit<Extract<Group, { edits: unknown }>, 'edits'> & { readonly edits: readonly StoredEdit[] });

export interface Snapshot {
  readonly v: 1;
  readonly groups: readonly StoredGroup[];
  readonly meter: MeterState;
  readonly breaker: Breaker;
  readonly holdLength: number;
  readonly learnedWindows: readonly (readonly [string, number])[];
}

type Hash = (text: string) => string;

function storeText(text: string, hash: Hash): StoredText {
  return text.length <= INLINE_CHARS ? text : { at: contentAddress(text, hash) };
}

function storeEdit(edit: Edit, hash: Hash): StoredEdit {
  if (edit.kind === 'part') return { ...edit, text: storeText(edit.text, hash) };
  return { ...edit, pieces: edit.pieces.map((piece) => (typeof piece === 'string' ? storeText(piece, hash) : piece)) };
}

export function storeGroup(group: Group, hash: Hash): StoredGroup {
  return isEpoch(group) ? { ...group, edits: group.edits.map((edit) => storeEdit(edit, hash)) } : group;
}

/** The long texts of `edits` by address: to be archived before they are sent. */
export function longTexts(edits: readonly Edit[], hash: Hash): ReadonlyMap<Address, string> {
  const texts = edits.flatMap((edit) =>
    edit.kind === 'part' ? [edit.text] : edit.pieces.filter((piece) => typeof piece === 'string'),
  );
  return new Map(texts.filter((text) => text.length > INLINE_CHARS).map((text) => [contentAddress(text, hash), text]));
}

type Load = (address: Address) => Promise<string | undefined>;

async function loadText(stored: StoredText, load: Load): Promise<string> {
  if (typeof stored === 'string') return stored;
  const text = await load(stored.at);
  if (text !== undefined) return text;
  throw new ContextError(
    'SNAPSHOT_UNREADABLE',
    `the archive has no text at ${stored.at}, which the ledger needs; restore with the archive it was made with`,
  );
}

async function loadPiece(stored: StoredPiece, load: Load): Promise<Piece> {
  return typeof stored === 'string' || 'at' in stored ? loadText(stored, load) : stored;
}

async function loadEdit(edit: StoredEdit, load: Load): Promise<Edit> {
  if (edit.kind === 'part') return { ...edit, text: await loadText(edit.text, load) };
  return { ...edit, pieces: await Promise.all(edit.pieces.map((piece) => loadPiece(piece, load))) };
}

/** Throws `SNAPSHOT_UNREADABLE` where the archive lacks a text. */
export async function loadGroup(group: StoredGroup, load: Load): Promise<Group> {
  if (!('edits' in group)) return group;
  return { ...group, edits: await Promise.all(group.edits.map((edit) => loadEdit(edit, load))) };
}

/** Throws `SNAPSHOT_UNREADABLE` unless `value` has the shape this version writes. */
export function checkSnapshot(value: unknown): Snapshot {
  const snapshot = value as Partial<Snapshot> | null;
  if (typeof snapshot !== 'object' || snapshot === null)
    throw new ContextError('SNAPSHOT_UNREADABLE', 'a snapshot is an object');
  if (snapshot.v !== 1) {
    throw new ContextError(
      'SNAPSHOT_UNREADABLE',
      `snapshot version ${String(snapshot.v)} is not 1; read it with the version that wrote it`,
    );
  }
  const isWhole =
    Array.isArray(snapshot.groups) &&
    Array.isArray(snapshot.learnedWindows) &&
    typeof snapshot.meter?.ratio === 'number';
  if (!isWhole)
    throw new ContextError(
      'SNAPSHOT_UNREADABLE',
      'the snapshot lacks groups, meter or learnedWindows; it was cut or changed',
    );
  return snapshot as Snapshot;
}
