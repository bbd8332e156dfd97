/** What is on the disk after a crash, held against what the process had said it wrote. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TRANSCRIPTS_FOLDER, workspaceArchive } from '@holdover/agent';
import { contentAddress, isContentAddress, type StoredGroup } from '@holdover/engine';
import { type LoadedSession, loadSession } from '../../src/session/read-log.ts';
import { sessionPath } from '../../src/session/sessions.ts';
import { digestOf } from './digests.ts';
import type { Observed } from './observed.ts';
import type { Beginning } from './protocol.ts';

type Known = Pick<Observed, 'holding' | 'underWay'>;

const begins = (messages: readonly object[], { length, digest }: Beginning): boolean =>
  messages.length >= length && digestOf(messages.slice(0, length)) === digest;

/** The messages that were held are there: all of them, or, where a rewind was under way, those it keeps. */
function messageProblems(messages: readonly object[], { holding, underWay }: Known): readonly string[] {
  const allowed = [holding, underWay?.rewoundTo].filter((beginning) => beginning !== undefined);
  if (holding === undefined || allowed.some((beginning) => begins(messages, beginning))) return [];
  return [
    `${holding.length} messages were written for good; the ${messages.length} that are left do not begin with them`,
  ];
}

/** A group may be missing only where it was not held. */
function groupProblems(groups: readonly StoredGroup[], { holding }: Known): readonly string[] {
  const newest = groups.at(-1)?.seq ?? 0;
  const isAscending = groups.every((group, index) => index === 0 || group.seq > (groups[index - 1]?.seq ?? 0));
  return [
    ...(newest < (holding?.seq ?? 0)
      ? [`group ${holding?.seq} was written for good, and the newest is ${newest}`]
      : []),
    ...(isAscending ? [] : ['groups of the ledger stand out of order']),
  ];
}

/** An echo says what it was asked to: a message that came back whole from the disk shows it. */
function echoProblems(messages: readonly object[]): readonly string[] {
  const said = new Map<string, string>();
  const problems: string[] = [];
  for (const message of messages) {
    for (const { id, text } of callsIn(message)) said.set(id, text);
    for (const { id, text } of resultsIn(message)) {
      const asked = said.get(id);
      if (asked !== undefined && asked !== text && !text.startsWith('The session was interrupted'))
        problems.push(`the result of ${id} is not what was asked for`);
    }
  }
  return problems;
}

type Fields = Readonly<Record<string, unknown>>;
interface Said {
  readonly id: string;
  readonly text: string;
}

const blocksOf = (message: object): readonly Fields[] => {
  const { content } = message as { content?: unknown };
  return Array.isArray(content) ? (content as readonly Fields[]) : [];
};

function callsIn(message: object): readonly Said[] {
  const blocks = blocksOf(message).filter(({ type, name }) => type === 'tool_use' && name === 'echo');
  const { tool_calls: calls = [] } = message as { tool_calls?: readonly Fields[] };
  const functions = calls.flatMap(({ id, function: called }) => {
    const { name, arguments: words } = called as { name: string; arguments: string };
    return name === 'echo' ? [{ id: String(id), text: (JSON.parse(words) as { text: string }).text }] : [];
  });
  return [
    ...blocks.map(({ id, input }) => ({ id: String(id), text: (input as { text: string }).text })),
    ...functions,
  ].map(({ id, text }) => ({ id, text: text.toWellFormed() }));
}

function resultsIn(message: object): readonly Said[] {
  const blocks = blocksOf(message).filter(({ type }) => type === 'tool_result');
  const own = message as Fields;
  return [
    ...blocks.map((block) => ({ id: String(block['tool_use_id']), text: String(block['content']) })),
    ...(own['role'] === 'tool' ? [{ id: String(own['tool_call_id']), text: String(own['content']) }] : []),
  ];
}

/** Every text of the archive the ledger speaks of: what was taken out, and the long texts of the ledger itself. */
function addressesIn(groups: readonly StoredGroup[]): readonly string[] {
  const found = new Set<string>();
  const walk = (value: unknown): void => {
    if (typeof value === 'string' && isContentAddress(value)) found.add(value);
    if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) walk(member);
  };
  for (const group of groups) {
    if (!('edits' in group)) continue;
    for (const edit of group.edits) {
      walk(edit.addresses);
      if (edit.kind === 'range') walk(edit.pieces.filter((piece) => typeof piece === 'object'));
      else if (typeof edit.text === 'object') walk(edit.text);
    }
  }
  return [...found];
}

export interface ArchiveCheck {
  readonly addresses: number;
  readonly problems: readonly string[];
}

/** Each text the surviving ledger names is in the archive, whole: its bytes give its address. */
async function checkArchive(folder: string, groups: readonly StoredGroup[]): Promise<ArchiveCheck> {
  const archive = workspaceArchive(folder);
  const { hash } = archive;
  const addresses = addressesIn(groups);
  const problems: string[] = [];
  for (const address of addresses) {
    const text = await archive.get(address).catch((error: Error) => error);
    if (text === undefined) problems.push(`${address} is named by the ledger and not in the archive`);
    else if (text instanceof Error) problems.push(`${address}: ${text.message}`);
    else if (contentAddress(text, hash) !== address) problems.push(`${address} gives other bytes`);
  }
  await archive.close();
  return { addresses: addresses.length, problems };
}

const TRANSCRIPT = /^transcript_.+\.jsonl$/;

/** A transcript is there whole or not at all. */
async function transcriptProblems(folder: string): Promise<readonly string[]> {
  const names = await readdir(join(folder, TRANSCRIPTS_FOLDER)).catch(() => []);
  const problems: string[] = [];
  for (const name of names.filter((each) => TRANSCRIPT.test(each))) {
    const text = await readFile(join(folder, TRANSCRIPTS_FOLDER, name), 'utf8');
    const isWhole = text.endsWith('\n') && text.trimEnd().split('\n').every(isJson);
    if (!isWhole) problems.push(`${name} is not whole`);
  }
  return problems;
}

function isJson(line: string): boolean {
  try {
    return typeof JSON.parse(line) === 'object';
  } catch {
    return false;
  }
}

export interface Survivors {
  readonly id: string;
  readonly loaded: LoadedSession;
  readonly addresses: number;
  readonly problems: readonly string[];
}

/** Everything that must have survived, read without going on with the session. */
export async function readSurvivors(folder: string, id: string, known: Known): Promise<Survivors> {
  const loaded = await loadSession(sessionPath(folder, id));
  const archived = await checkArchive(folder, loaded.groups);
  return {
    id,
    loaded,
    addresses: archived.addresses,
    problems: [
      ...loaded.damage,
      ...messageProblems(loaded.messages, known),
      ...groupProblems(loaded.groups, known),
      ...echoProblems(loaded.messages),
      ...archived.problems,
      ...(await transcriptProblems(folder)),
    ],
  };
}
