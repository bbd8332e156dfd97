/**
 * Reading one session's file. A torn last line, which a crash may leave, does not count. Damage before it is stepped over and told, and so is a
 * record of a newer version; such a file is read and never written.
 */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Snapshot, StoredGroup } from '@holdover/engine';
import { AgentError } from '../errors.ts';
import { foreignReason } from './owner.ts';
import { type HeaderRecord, LOG_VERSION, type SessionRecord } from './records.ts';

export interface LoadedSession {
  readonly header: HeaderRecord;
  readonly messages: readonly object[];
  readonly groups: readonly StoredGroup[];
  readonly state: Omit<Snapshot, 'groups'> | undefined;
  /** The newest fact of each name. */
  readonly facts: ReadonlyMap<string, unknown>;
  /** Id of the record the next one follows. */
  readonly head: string;
  readonly nextId: number;
  /** Bytes that hold whole records; what follows is a torn line. */
  readonly wholeBytes: number;
  /** What was stepped over, as `line 7: it is not JSON`, in the order of the file. */
  readonly damage: readonly string[];
  /** The highest version of a record in the file. */
  readonly version: number;
}

interface Line {
  readonly record: SessionRecord;
  readonly number: number;
}

interface Reading {
  readonly lines: readonly Line[];
  readonly damage: string[];
}

type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** What a record of each type has to hold. A type that is not here is kept and means nothing. */
const CONTENT: Readonly<Record<SessionRecord['type'], (record: Fields) => boolean>> = {
  session: (record) => ['sessionId', 'createdAt', 'provider', 'model'].every((name) => isText(record[name])),
  message: ({ message, sent }) => isFields(message) && (sent === undefined || isFields(sent)),
  ledger: ({ groups }) => Array.isArray(groups) && groups.every(isFields),
  state: ({ state }) => isFields(state),
  rewind: ({ length }) => Number.isSafeInteger(length) && (length as number) >= 0,
  fact: ({ name }) => isText(name),
};

/** A record, or what is wrong with the line. */
function parseLine(line: string): SessionRecord | string {
  let record: unknown;
  try {
    record = JSON.parse(line) as unknown;
  } catch {
    return 'it is not JSON';
  }
  if (!isFields(record) || typeof record['v'] !== 'number' || !isText(record['id']) || !isText(record['type']))
    return 'it is no session record: v, id or type is missing';
  const type = record['type'];
  const isSound = Object.hasOwn(CONTENT, type) ? CONTENT[type as SessionRecord['type']] : undefined;
  if (isSound !== undefined && !isSound(record)) return `it is no ${type} record`;
  return record as unknown as SessionRecord;
}

/** Line by line: a session may be larger than a string can be. */
function readLines(bytes: Buffer): Reading {
  const lines: Line[] = [];
  const damage: string[] = [];
  let number = 0;
  let from = 0;
  for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, from)) {
    number += 1;
    const record = parseLine(bytes.toString('utf8', from, end));
    if (typeof record === 'string') damage.push(`line ${number}: ${record}`);
    else lines.push({ record, number });
    from = end + 1;
  }
  return { lines, damage };
}

/**
 * The records from the first to the newest, along the parents: what the newest branch holds. A record's parent stands before it; one whose parent
 * does not is taken to follow its neighbour.
 */
function branchOf({ lines, damage }: Reading): readonly SessionRecord[] {
  const places = new Map<string, number>();
  const parents = lines.map(({ record, number }, index) => {
    const parent = index === 0 ? -1 : places.get(record.parent ?? '');
    if (parent === undefined) damage.push(`line ${number}: the record it follows is not there`);
    places.set(record.id, index);
    return parent ?? index - 1;
  });
  const branch: SessionRecord[] = [];
  for (let index = lines.length - 1; index >= 0; index = parents[index] ?? -1) {
    const line = lines[index];
    if (line !== undefined) branch.push(line.record);
  }
  return branch.reverse();
}

/** Number of the next record. Records of other writers may have ids of this form too, in any order. */
function nextIdAfter(lines: readonly Line[]): number {
  const numbers = lines.map(({ record }) => Number(/^r(\d{1,15})$/.exec(record.id)?.[1] ?? 0));
  return numbers.reduce((most, number) => Math.max(most, number), lines.length) + 1;
}

function messagesOf(branch: readonly SessionRecord[]): readonly object[] {
  const messages: object[] = [];
  for (const record of branch) {
    if (record.type === 'message') messages.push(record.message);
    if (record.type === 'rewind') messages.length = Math.min(messages.length, record.length);
  }
  return messages;
}

export interface LoadOptions {
  /** Reads files that are not this user's own too: for lists and exports, never to go on. @default false */
  readonly mayBeForeign?: boolean;
}

/** Never through a link, which may lead anywhere, and without waiting for the other end of a pipe. */
export const READ_FLAGS: number = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

async function readWhole(path: string, { mayBeForeign = false }: LoadOptions): Promise<Buffer> {
  const file = await open(path, READ_FLAGS);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new AgentError('session_unreadable', `${path} is not a file; move it away`);
    const reason = mayBeForeign ? undefined : foreignReason(path, stats);
    if (reason !== undefined) throw new AgentError('session_unreadable', reason);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

interface LoadedBranch extends Pick<LoadedSession, 'header' | 'nextId' | 'wholeBytes' | 'damage' | 'version'> {
  /** The records of the newest branch, in order, the header first. */
  readonly records: readonly SessionRecord[];
}

/** The records of a log file as they came. Throws as `loadSession` does. */
export async function loadBranch(path: string, options: LoadOptions = {}): Promise<LoadedBranch> {
  const bytes = await readWhole(path, options);
  const reading = readLines(bytes);
  const records = branchOf(reading);
  const [header] = records;
  if (header?.type !== 'session')
    throw new AgentError('session_unreadable', `${path} does not begin with a session record`);
  return {
    header,
    records,
    nextId: nextIdAfter(reading.lines),
    wholeBytes: bytes.lastIndexOf(0x0a) + 1,
    damage: reading.damage,
    version: reading.lines.reduce((most, { record }) => Math.max(most, record.v), LOG_VERSION),
  };
}

/** Whole records of a log file. Throws `session_unreadable` for one without a header, and for one that is not this user's. */
export async function loadSession(path: string, options: LoadOptions = {}): Promise<LoadedSession> {
  const { header, records: branch, ...about } = await loadBranch(path, options);
  return {
    header,
    messages: messagesOf(branch),
    groups: branch.flatMap((record) => (record.type === 'ledger' ? record.groups : [])),
    state: branch.flatMap((record) => (record.type === 'state' ? [record.state] : [])).at(-1),
    facts: new Map(branch.flatMap((record) => (record.type === 'fact' ? [[record.name, record.value] as const] : []))),
    head: branch.at(-1)?.id ?? header.id,
    ...about,
  };
}
