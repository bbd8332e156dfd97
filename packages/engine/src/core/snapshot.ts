/**
 * The ledger as JSON, versioned. Long texts are kept in the archive and named by address, so that a ledger stays small; they are put
 * there before a turn is sent.
 */
import { type Address, contentAddress } from './archive.ts';
import type { Breaker } from './breaker.ts';
import { type Edit, type Group, isEpoch, type NoteEdit, type PartEdit, type Piece, type RangeEdit } from './edit.ts';
import { ContextError } from './errors.ts';
import type { MeterState } from './meter.ts';
import { MIN_WINDOW_TOKENS } from './window.ts';

/** Texts up to this many characters stay inline: about what a reference and its file would cost. */
export const INLINE_CHARS = 256;

type StoredText = string | { readonly at: Address };
type StoredPiece = StoredText | Exclude<Piece, string>;
type StoredEdit =
  | (Omit<RangeEdit, 'pieces'> & { readonly pieces: readonly StoredPiece[] })
  | (Omit<PartEdit, 'text'> & { readonly text: StoredText })
  | (Omit<NoteEdit, 'text'> & { readonly text: StoredText });
/** A group as JSON: texts over 256 characters are named by their address in the archive. */
export type StoredGroup =
  | Exclude<Group, { edits: unknown }>
  | (Omit<Extract<Group, { edits: unknown }>, 'edits'> & { readonly edits: readonly StoredEdit[] });

/** A session's state as JSON, but for its messages. Kept over versions: a higher `v` is refused. */
export interface Snapshot {
  readonly v: 1;
  readonly groups: readonly StoredGroup[];
  readonly meter: MeterState;
  readonly breaker: Breaker;
  /** History length at the last undo; -1 where there was none. */
  readonly holdLength: number;
  /** Window a provider's error told, tokens, by model. */
  readonly learnedWindows: readonly (readonly [string, number])[];
}

type Hash = (text: string) => string;

function storeText(text: string, hash: Hash): StoredText {
  return text.length <= INLINE_CHARS ? text : { at: contentAddress(text, hash) };
}

function storeEdit(edit: Edit, hash: Hash): StoredEdit {
  if (edit.kind !== 'range') return { ...edit, text: storeText(edit.text, hash) };
  return { ...edit, pieces: edit.pieces.map((piece) => (typeof piece === 'string' ? storeText(piece, hash) : piece)) };
}

export function storeGroup(group: Group, hash: Hash): StoredGroup {
  return isEpoch(group) ? { ...group, edits: group.edits.map((edit) => storeEdit(edit, hash)) } : group;
}

/** The long texts of `edits` by address: to be archived before they are sent. */
export function longTexts(edits: readonly Edit[], hash: Hash): ReadonlyMap<Address, string> {
  const texts = edits.flatMap((edit) =>
    edit.kind !== 'range' ? [edit.text] : edit.pieces.filter((piece) => typeof piece === 'string'),
  );
  return new Map(texts.filter((text) => text.length > INLINE_CHARS).map((text) => [contentAddress(text, hash), text]));
}

type Load = (address: Address) => Promise<string | undefined>;

/** The text; undefined where the archive has lost it. */
async function loadText(stored: StoredText, load: Load): Promise<string | undefined> {
  return typeof stored === 'string' ? stored : load(stored.at);
}

async function loadPiece(stored: StoredPiece, load: Load): Promise<Piece | undefined> {
  return typeof stored === 'string' || 'at' in stored ? loadText(stored, load) : stored;
}

/** An edit whose text is lost: with no proof it is dropped over any history, and what it replaced is sent as it was. */
function lost(edit: StoredEdit): Edit {
  return edit.kind !== 'range' ? { ...edit, text: '', proof: '' } : { ...edit, pieces: [], proof: '' };
}

async function loadEdit(edit: StoredEdit, load: Load): Promise<Edit> {
  if (edit.kind !== 'range') {
    const text = await loadText(edit.text, load);
    return text === undefined ? lost(edit) : { ...edit, text };
  }
  const pieces = await Promise.all(edit.pieces.map((piece) => loadPiece(piece, load)));
  const whole = pieces.filter((piece) => piece !== undefined);
  return whole.length === pieces.length ? { ...edit, pieces: whole } : lost(edit);
}

/** A group with its texts; an edit whose text the archive lost comes without proof, so that it is dropped. */
export async function loadGroup(group: StoredGroup, load: Load): Promise<Group> {
  if (!('edits' in group)) return group;
  return { ...group, edits: await Promise.all(group.edits.map((edit) => loadEdit(edit, load))) };
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' || (isFields(value) && typeof value['at'] === 'string');
}

function isPiece(value: unknown): boolean {
  return isText(value) || (isFields(value) && isCount(value['entry']) && isCount(value['part']));
}

function isPart(value: Fields): boolean {
  return isCount(value['at']) && isCount(value['part']) && isText(value['text']);
}

function isRange(value: Fields): boolean {
  const { from, to, pieces, pins = [], notes = [], narrative } = value;
  const isCarrying = Array.isArray(pins) && pins.every(isPair) && Array.isArray(notes) && notes.every(isCount);
  return (
    isCount(from) &&
    isCount(to) &&
    Array.isArray(pieces) &&
    pieces.every(isPiece) &&
    isCarrying &&
    (narrative === undefined || isNarrative(narrative))
  );
}

function isNarrative(value: unknown): boolean {
  return isFields(value) && ['piece', 'from', 'chars', 'generation'].every((name) => isCount(value[name]));
}

function isNote(value: Fields): boolean {
  return isCount(value['at']) && isText(value['text']) && (value['pin'] === undefined || isCount(value['pin']));
}

const KINDS: Readonly<Record<string, (value: Fields) => boolean>> = { part: isPart, note: isNote, range: isRange };

function isEdit(value: unknown): boolean {
  if (!isFields(value) || !isCount(value['until']) || typeof value['proof'] !== 'string') return false;
  if (typeof value['layer'] !== 'string' || !Array.isArray(value['addresses'])) return false;
  const kind = value['kind'];
  return typeof kind === 'string' && Object.hasOwn(KINDS, kind) && KINDS[kind]?.(value) === true;
}

function isPair(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && value.every(isCount);
}

function isGroup(value: unknown): boolean {
  if (!isFields(value) || !isCount(value['seq']) || !isCount(value['at'])) return false;
  if (value['cause'] === 'undo') return isCount(value['target']);
  if (value['cause'] === 'rewind') return Array.isArray(value['drops']) && value['drops'].every(isPair);
  if (value['cause'] === 'pin') return isCount(value['id']) && typeof value['text'] === 'string';
  if (value['cause'] === 'unpin') return isCount(value['id']);
  return typeof value['cause'] === 'string' && Array.isArray(value['edits']) && value['edits'].every(isEdit);
}

function isAscending(groups: readonly Fields[]): boolean {
  return groups.every((group, i) => i === 0 || (group['seq'] as number) > (groups[i - 1]?.['seq'] as number));
}

function isLearned(value: unknown): boolean {
  return Array.isArray(value) && typeof value[0] === 'string' && isCount(value[1]) && value[1] >= MIN_WINDOW_TOKENS;
}

/** Per member of a snapshot, what it has to be. */
const MEMBERS: Readonly<Record<string, (value: unknown) => boolean>> = {
  groups: (value) => Array.isArray(value) && value.every(isGroup) && isAscending(value),
  meter: (value) =>
    isFields(value) && Number.isFinite(value['ratio']) && (value['ratio'] as number) > 0 && isCount(value['reports']),
  breaker: (value) => isFields(value) && isCount(value['failures']) && typeof value['target'] === 'string',
  holdLength: (value) => Number.isSafeInteger(value),
  learnedWindows: (value) => Array.isArray(value) && value.every(isLearned),
};

/** Throws `SNAPSHOT_UNREADABLE` unless `value` has the shape this version writes. */
export function checkSnapshot(value: unknown): Snapshot {
  if (!isFields(value)) throw new ContextError('SNAPSHOT_UNREADABLE', 'a snapshot is an object');
  if (value['v'] !== 1) {
    throw new ContextError(
      'SNAPSHOT_UNREADABLE',
      `snapshot version ${String(value['v'])} is not 1; read it with the version that wrote it`,
    );
  }
  const broken = Object.entries(MEMBERS).find(([name, isSound]) => !isSound(value[name]));
  if (broken !== undefined) {
    throw new ContextError(
      'SNAPSHOT_UNREADABLE',
      `the snapshot's ${broken[0]} is missing or changed; start from the messages alone`,
    );
  }
  return value as unknown as Snapshot;
}
