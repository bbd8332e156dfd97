/** Which files were created, edited, read, with the last operation of each: complete as long as room allows. */
import type { FileRecord, Operation } from '../../facts/call-record.ts';
import { succeeded } from '../../facts/call-record.ts';
import { type Line, listSection, quoted, type Section, shortAddress } from './section.ts';
import type { Sources } from './sources.ts';

const VERB = { read: 'read', wrote: 'written', edited: 'edited' } as const;

/** Longest path shown. */
const PATH_CHARS = 400;

interface Touched {
  readonly path: string;
  readonly what: string;
  readonly address: string;
  readonly isChanged: boolean;
}

/** Whether an operation of the span is among them; the lists are in order, and most files are small lists. */
function isIn(operations: readonly Operation[], { span }: Sources): boolean {
  const last = operations.findLast(({ record }) => record.call.entry < span.to);
  return last !== undefined && last.record.call.entry >= span.from;
}

/** `edited, earlier read`: the last operation, then the other kinds. */
function whatOf(operations: readonly Operation[], last: Operation): string {
  const kinds = new Set(operations.filter(({ record }) => succeeded(record)).map(({ kind }) => kind));
  const failed = last.record.outcome?.isError === true ? ', failed' : '';
  if (failed === '') kinds.delete(last.kind);
  const earlier = (['wrote', 'edited', 'read'] as const).filter((kind) => kinds.has(kind)).map((kind) => VERB[kind]);
  return `${VERB[last.kind]}${failed}${earlier.length === 0 ? '' : `, earlier ${earlier.join(', ')}`}`;
}

function touched({ path, operations, lastChange }: FileRecord, sources: Sources): Touched | undefined {
  const last = operations.findLast(({ record }) => record.outcome !== undefined);
  if (last === undefined || !isIn(operations, sources) || !sources.isNews(path)) return undefined;
  return {
    path,
    what: whatOf(operations, last),
    address: shortAddress(sources.history, last.record.call),
    isChanged: lastChange !== undefined,
  };
}

function lineOf({ path, what, isChanged }: Touched): Line {
  return { text: `${quoted(path, PATH_CHARS)} ${what}`, rank: isChanged ? 0 : 1 };
}

/** One line a folder: what all its paths begin with is said once. */
function byFolder(files: readonly Touched[]): readonly Line[] {
  const folders = new Map<string, { names: string[]; isChanged: boolean }>();
  for (const { path, what, isChanged } of files) {
    const slash = path.lastIndexOf('/') + 1;
    const folder = folders.get(path.slice(0, slash)) ?? { names: [], isChanged: false };
    folders.set(path.slice(0, slash), folder);
    folder.names.push(`${quoted(path.slice(slash), PATH_CHARS)} ${what}`);
    folder.isChanged ||= isChanged;
  }
  return [...folders].map(([folder, { names, isChanged }]) => ({
    text: folder === '' ? names.join('; ') : `in ${quoted(folder, PATH_CHARS)}: ${names.join('; ')}`,
    rank: isChanged ? 0 : 1,
  }));
}

/** In the order of the first call on each. */
export function filesSection(title: string, sources: Sources): Section {
  const files = [...sources.facts.files()].flatMap((file) => touched(file, sources) ?? []);
  const bare = files.map(lineOf);
  const whole = sources.offersRecall ? [files.map((file) => ({ ...lineOf(file), address: file.address }))] : [];
  return listSection(title, [...whole, bare, byFolder(files)]);
}
