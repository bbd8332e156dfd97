/** What an export says of a session, whatever its format: messages in the engine's words, and what was compacted where. Nothing of it is trusted. */
import type { Archive, Part, StoredGroup } from '@holdover/engine';
import type { TodoItem } from '../../tools/todo-write.ts';
import { titleFact, todosOf } from '../facts.ts';
import { isFields, type LoadedSession } from '../read-log.ts';
import { decoderFor } from '../session-codec.ts';
import { shownText } from '../shown-text.ts';

export type ExportedPart =
  | { readonly kind: 'text' | 'reasoning'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly kind: 'result';
      readonly callId: string;
      readonly text: string;
      readonly isError: boolean;
      /** Pictures and pages in the result, which are left out. */
      readonly mediaCount: number;
    }
  /** A picture, a document or something of the provider's own: named, not included. */
  | { readonly kind: 'media' | 'other'; readonly name: string };

export interface ExportedMessage {
  /** Place in the history, from 0. */
  readonly index: number;
  /** `unreadable`: the message is not in the session's format. */
  readonly role: 'user' | 'assistant' | 'host' | 'unreadable';
  readonly parts: readonly ExportedPart[];
}

export interface ExportedCompaction {
  /** Number of the epoch in the ledger. */
  readonly epoch: number;
  /** Messages there were when it was made: it stands before the message of this index. */
  readonly at: number;
  readonly cause: string;
  /** Whether the model saw its replacement when the session was left. */
  readonly isInForce: boolean;
  readonly edits: readonly ExportedEdit[];
}

export interface ExportedEdit {
  readonly layer: string;
  /** Messages from `from` up to but not including `to`, or a part of one. */
  readonly replaced: { readonly from: number; readonly to: number; readonly part?: number };
  /** What gives the original back, in this program's recall. */
  readonly addresses: readonly string[];
  /** What the model saw instead; absent where the archive no longer has it. */
  readonly text?: string;
}

export interface Outline {
  readonly id: string;
  readonly title: string;
  readonly createdAt: string;
  readonly provider: string;
  readonly model: string;
  readonly forkedFrom?: string;
  readonly messages: readonly ExportedMessage[];
  readonly compactions: readonly ExportedCompaction[];
  readonly todos: readonly TodoItem[];
  /** What was stepped over when the file was read. */
  readonly damage: readonly string[];
}

/** Deeper values are cut: a file may nest as deep as it likes, and a reader's stack ends. */
const MAX_DEPTH = 64;
const TOO_DEEP = '(nested too deeply to show)';

/** A copy of a JSON value with every text, names included, made fit to be shown. */
function shownValue(value: unknown, shown: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return shown(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return TOO_DEEP;
  if (Array.isArray(value)) return value.map((item) => shownValue(item, shown, depth + 1));
  // fromEntries defines members, so that one called __proto__ is a member like any other.
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [shown(name), shownValue(item, shown, depth + 1)]),
  );
}

type Shown = (text: string) => string;

function partOf(part: Part, shown: Shown): ExportedPart {
  switch (part.kind) {
    case 'text':
    case 'reasoning':
      return { kind: part.kind, text: shown(part.text) };
    case 'call':
      return { kind: 'call', id: shown(part.id), name: shown(part.name), input: shownValue(part.input, shown) };
    case 'result': {
      const { callId, text, isError, mediaCount } = part;
      return { kind: 'result', callId: shown(callId), text: shown(text), isError, mediaCount };
    }
    case 'media':
      return { kind: 'media', name: shown(part.mediaType) };
    case 'opaque':
      return { kind: 'other', name: shown(part.name) };
  }
}

const ROLES = { user: 'user', model: 'assistant', host: 'host' } as const;

function messagesOf({ header, messages }: LoadedSession, shown: Shown): readonly ExportedMessage[] {
  const decode = decoderFor(header.provider);
  return messages.map((message, index) => {
    const decoded = decode(message);
    if (decoded === undefined) return { index, role: 'unreadable', parts: [] };
    return { index, role: ROLES[decoded.origin], parts: decoded.parts.map((part) => partOf(part, shown)) };
  });
}

type StoredEdit = Extract<StoredGroup, { edits: unknown }>['edits'][number];

interface EditPorts {
  readonly archive: Archive;
  readonly shown: Shown;
}

/** The replacement's own words; what it carries over from the history stands in the history. */
async function textOf(edit: StoredEdit, { archive, shown }: EditPorts): Promise<string | undefined> {
  const pieces = edit.kind === 'range' ? edit.pieces : [edit.text];
  const texts = await Promise.all(
    pieces.map(async (piece) => {
      if (typeof piece === 'string') return piece;
      return 'at' in piece ? archive.get(piece.at).catch(() => undefined) : '';
    }),
  );
  if (texts.includes(undefined)) return undefined;
  return shown(texts.filter((text) => text !== '').join('\n\n'));
}

/** A note replaces nothing: it stands behind the message named. */
function replacedBy(edit: StoredEdit): ExportedEdit['replaced'] {
  if (edit.kind === 'range') return { from: edit.from, to: edit.to };
  const message = { from: edit.at, to: edit.at + 1 };
  return edit.kind === 'part' ? { ...message, part: edit.part } : message;
}

async function editOf(edit: StoredEdit, ports: EditPorts): Promise<ExportedEdit> {
  const text = await textOf(edit, ports);
  return {
    layer: ports.shown(edit.layer),
    replaced: replacedBy(edit),
    addresses: edit.addresses.map((address) => ports.shown(String(address))),
    ...(text === undefined ? {} : { text }),
  };
}

/** What a revocation that stands, or a rewind, took back, as `epoch` and `epoch.index`. */
function takenBack(groups: readonly StoredGroup[]): ReadonlySet<string> {
  const back = new Set<string>();
  // From the newest on: a redo takes back an undo before it.
  for (const group of groups.toReversed()) {
    if (group.cause === 'undo' && !back.has(String(group.seq))) back.add(String(group.target));
    if (group.cause === 'rewind') for (const [epoch, index] of group.drops) back.add(`${epoch}.${index}`);
  }
  return back;
}

function isEpoch(group: StoredGroup): group is Extract<StoredGroup, { edits: unknown }> {
  return 'edits' in group;
}

/** Layers that add a text and replace none: nothing was compacted. */
const ADDING: ReadonlySet<string> = new Set(['attach']);

async function compactionOf(
  group: Extract<StoredGroup, { edits: unknown }>,
  { back, ports }: { readonly back: ReadonlySet<string>; readonly ports: EditPorts },
): Promise<ExportedCompaction | undefined> {
  try {
    const left = group.edits.filter(({ layer }, index) => !ADDING.has(layer) && !back.has(`${group.seq}.${index}`));
    // A course that was left behind is not told: its messages are not there either.
    if (left.length === 0) return undefined;
    const edits = await Promise.all(left.map((edit) => editOf(edit, ports)));
    const isInForce = !back.has(String(group.seq));
    return { epoch: group.seq, at: group.at, cause: ports.shown(String(group.cause)), isInForce, edits };
  } catch {
    return undefined;
  }
}

/** Ledger groups of a file may have any shape: those that are none are left out. */
function isSound(group: unknown): boolean {
  if (!isFields(group) || !Number.isSafeInteger(group['seq']) || typeof group['at'] !== 'number') return false;
  if (group['cause'] === 'undo') return true;
  return group['cause'] === 'rewind'
    ? Array.isArray(group['drops']) && group['drops'].every(Array.isArray)
    : Array.isArray(group['edits']);
}

function firstWords(messages: readonly ExportedMessage[]): string {
  const texts = messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])));
  return texts[0] ?? '';
}

/** `redact` takes secrets out of one text. */
export async function outlineOf(
  id: string,
  loaded: LoadedSession,
  { archive, redact }: { readonly archive: Archive; readonly redact: (text: string) => string },
): Promise<Outline> {
  const shown: Shown = (text) => shownText(redact(text));
  const groups = loaded.groups.filter(isSound);
  const around = { back: takenBack(groups), ports: { archive, shown } };
  const compactions = await Promise.all(groups.filter(isEpoch).map((group) => compactionOf(group, around)));
  const messages = messagesOf(loaded, shown);
  const { createdAt, provider, model, forkedFrom } = loaded.header;
  return {
    id,
    title: shown(titleFact(loaded.facts) ?? firstWords(messages)),
    createdAt: shown(createdAt),
    provider: shown(provider),
    model: shown(model),
    ...(typeof forkedFrom === 'string' ? { forkedFrom: shown(forkedFrom) } : {}),
    messages,
    compactions: compactions.filter((compaction) => compaction !== undefined),
    todos: todosOf(loaded.facts).map(({ content, status }) => ({ content: shown(content), status })),
    damage: loaded.damage,
  };
}
