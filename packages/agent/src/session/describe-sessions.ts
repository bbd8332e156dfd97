/** The list of a workspace's sessions for people: one pass over each file, in pieces, with only the lines parsed that are needed. */
import { type FileHandle, open } from 'node:fs/promises';
import { isHeld } from './lease.ts';
import { foreignReason } from './owner.ts';
import { isFields, READ_FLAGS } from './read-log.ts';
import { LOG_VERSION } from './records.ts';
import { type Decode, decoderFor } from './session-codec.ts';
import { leasePath, listSessions, sessionPath } from './sessions.ts';
import { titleLine } from './shown-text.ts';

/**
 * Why a session cannot simply be gone on with: its first line is no header, a newer version wrote it, or it is not this user's own. Damage
 * further on is found when it is opened.
 */
export type SessionProblem = 'damaged' | 'newer' | 'foreign';

export interface SessionSummary {
  readonly id: string;
  /** The name the user gave, or the first line of the first message: at most 60 columns, no control characters; may be empty. */
  readonly title: string;
  /** ISO time; empty for a damaged file. */
  readonly createdAt: string;
  readonly usedAtMs: number;
  /** Messages of the newest course. */
  readonly messages: number;
  readonly bytes: number;
  /** Whether a living process writes it. */
  readonly isOpen: boolean;
  readonly model: string;
  readonly forkedFrom?: string;
  readonly problem?: SessionProblem;
}

/** Files read at once; each takes one piece of memory. */
const PARALLEL = 8;
const PIECE_BYTES = 256 * 1024;
/** A line longer than this is counted, not parsed: the first message of a session may be a whole file. */
const MAX_PARSED_BYTES = 4 * 1024 * 1024;
/** Where a line written here names its type: behind the version and two ids. */
const HEAD_BYTES = 96;
const ISO_TIME = /^\d{4}-\d\d-\d\dT[\d:.]{1,18}Z$/;

interface Seen {
  header: Readonly<Record<string, unknown>> | undefined;
  firstTitle: string | undefined;
  givenTitle: string | undefined;
  messages: number;
  isNewer: boolean;
  decode: Decode;
}

function parsed(line: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = JSON.parse(line.toString('utf8')) as unknown;
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The words of the first message that has some. */
function titleOf(message: unknown, decode: Decode): string | undefined {
  const decoded = isFields(message) ? decode(message) : undefined;
  if (decoded?.origin !== 'user') return undefined;
  const words = decoded.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  const title = titleLine(words.join('\n'));
  return title === '' ? undefined : title;
}

function takeHeader(line: Buffer, seen: Seen): void {
  const record = parsed(line);
  if (record?.['type'] !== 'session') return;
  seen.header = record;
  seen.decode = decoderFor(String(record['provider']));
}

function takeMessage(line: Buffer, seen: Seen): void {
  seen.messages += 1;
  if (seen.firstTitle !== undefined || line.length > MAX_PARSED_BYTES) return;
  seen.firstTitle = titleOf(parsed(line)?.['message'], seen.decode);
}

function takeRewind(line: Buffer, seen: Seen): void {
  const length = parsed(line)?.['length'];
  if (typeof length !== 'number' || !(length >= 0)) return;
  seen.messages = Math.min(seen.messages, length);
  if (length === 0) seen.firstTitle = undefined;
}

function takeFact(line: Buffer, seen: Seen): void {
  if (line.length > MAX_PARSED_BYTES) return;
  const record = parsed(line);
  if (record?.['name'] === 'title' && typeof record['value'] === 'string') seen.givenTitle = titleLine(record['value']);
}

const TAKE: Readonly<Record<string, (line: Buffer, seen: Seen) => void>> = {
  message: takeMessage,
  rewind: takeRewind,
  fact: takeFact,
};

function takeLine(line: Buffer, seen: Seen): void {
  const head = line.subarray(0, HEAD_BYTES).toString('latin1');
  if (Number(/^\{"v":(\d{1,9})/.exec(head)?.[1] ?? 0) > LOG_VERSION) seen.isNewer = true;
  if (seen.header === undefined) {
    takeHeader(line, seen);
    return;
  }
  const type = /"type":"([a-z]{1,20})"/.exec(head)?.[1] ?? '';
  if (Object.hasOwn(TAKE, type)) TAKE[type]?.(line, seen);
}

/** Gives each whole line; a line too long to be parsed is given cut. Stops where `take` says so. */
async function eachLine(file: FileHandle, take: (line: Buffer) => boolean): Promise<void> {
  const room = Buffer.alloc(PIECE_BYTES);
  let begun: Buffer[] = [];
  let begunBytes = 0;
  for (;;) {
    const { bytesRead } = await file.read(room, 0, PIECE_BYTES);
    if (bytesRead === 0) return;
    const piece = room.subarray(0, bytesRead);
    let from = 0;
    for (let end = piece.indexOf(0x0a); end !== -1; end = piece.indexOf(0x0a, from)) {
      const part = piece.subarray(from, end);
      if (!take(begun.length === 0 ? part : Buffer.concat([...begun, part]))) return;
      begun = [];
      begunBytes = 0;
      from = end + 1;
    }
    if (begunBytes <= MAX_PARSED_BYTES && from < bytesRead) begun.push(Buffer.from(piece.subarray(from)));
    begunBytes += bytesRead - from;
  }
}

function problemOf({ header, isNewer }: Seen, isForeign: boolean): SessionProblem | undefined {
  if (isForeign) return 'foreign';
  if (header === undefined) return 'damaged';
  return isNewer ? 'newer' : undefined;
}

function headerText({ header }: Seen, name: string): string {
  const value = header?.[name];
  return typeof value === 'string' ? titleLine(value) : '';
}

async function describe(root: string, id: string): Promise<SessionSummary | undefined> {
  const path = sessionPath(root, id);
  // A link, or a file that is gone since it was listed, is no session.
  const file = await open(path, READ_FLAGS).catch(() => undefined);
  if (file === undefined) return undefined;
  const seen: Seen = {
    header: undefined,
    firstTitle: undefined,
    givenTitle: undefined,
    messages: 0,
    isNewer: false,
    decode: () => undefined,
  };
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return undefined;
    await eachLine(file, (line) => {
      takeLine(line, seen);
      // What does not begin with a header holds nothing to count.
      return seen.header !== undefined;
    });
    const problem = problemOf(seen, foreignReason(path, stats) !== undefined);
    const createdAt = headerText(seen, 'createdAt');
    const forkedFrom = headerText(seen, 'forkedFrom');
    return {
      id,
      title: seen.givenTitle ?? seen.firstTitle ?? '',
      createdAt: ISO_TIME.test(createdAt) ? createdAt : '',
      usedAtMs: stats.mtimeMs,
      messages: seen.messages,
      bytes: stats.size,
      isOpen: await isHeld(leasePath(path)),
      model: headerText(seen, 'model'),
      ...(forkedFrom === '' ? {} : { forkedFrom }),
      ...(problem === undefined ? {} : { problem }),
    };
  } finally {
    await file.close();
  }
}

/** All sessions of a workspace, newest use first. Never fails for what is in a file: a damaged one is listed as such. */
export async function describeSessions(root: string): Promise<readonly SessionSummary[]> {
  const ids = await listSessions(root);
  const found: (SessionSummary | undefined)[] = Array.from({ length: ids.length });
  const queue = ids.entries();
  const work = async (): Promise<void> => {
    for (const [index, id] of queue) found[index] = await describe(root, id).catch(() => undefined);
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return found.filter((summary) => summary !== undefined);
}
