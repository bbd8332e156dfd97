/** Which files were created, edited, read, with the last operation of each: complete as long as room allows. */
import type { FileRecord, Operation } from '../../facts/call-record.ts';
import { succeeded } from '../../facts/call-record.ts';
import { type Line, missingLine, NOTHING, quoted, type Section, shortAddress, written } from './section.ts';
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

function lineOf({ path, what }: Touched): Line {
  return { text: `${quoted(path, PATH_CHARS)} ${what}` };
}

/** One line for all files of a folder that were treated alike: what their paths begin with is said once. */
function byFolder(files: readonly Touched[]): string {
  const lines = new Map<string, string[]>();
  for (const { path, what } of files) {
    const slash = path.lastIndexOf('/') + 1;
    const start = slash === 0 ? what : `${quoted(path.slice(0, slash), PATH_CHARS)} ${what}`;
    const names = lines.get(start) ?? [];
    lines.set(start, names);
    names.push(quoted(path.slice(slash), PATH_CHARS));
  }
  return [...lines].map(([start, names]) => `- ${start}: ${names.join(', ')}`).join('\n');
}

/** As many as fit: what was changed before what was only read, the newest of each; in their order. */
function cut(title: string, files: readonly Touched[], room: number): string {
  const order = files
    .map((file, index) => ({ file, index }))
    .sort((one, other) => Number(other.file.isChanged) - Number(one.file.isChanged) || other.index - one.index);
  const render = (count: number): string => {
    const stay = new Set(order.slice(0, count).map(({ index }) => index));
    const missing = count === files.length ? [] : [missingLine(files.length - count)];
    return [title, ...missing, byFolder(files.filter((_, index) => stay.has(index)))].join('\n');
  };
  let low = 0;
  let high = files.length;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (render(middle).length <= room) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? '' : render(low);
}

/** In the order of the first call on each. Where room is short the addresses go first, then what paths share is said once. */
export function filesSection(title: string, sources: Sources): Section {
  const files = [...sources.facts.files()].flatMap((file) => touched(file, sources) ?? []);
  if (files.length === 0) return NOTHING;
  const bare = [title, ...files.map((file) => written(lineOf(file)))].join('\n');
  const addressed = files.map((file) => written({ ...lineOf(file), address: file.address }));
  const whole = sources.offersRecall ? [title, ...addressed].join('\n') : bare;
  return {
    need: whole.length,
    write(room) {
      if (whole.length <= room) return whole;
      return bare.length <= room ? bare : cut(title, files, room);
    },
  };
}
