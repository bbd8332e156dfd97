/**
 * What the model has seen of files: by path, the digest of the whole file when the model last read or wrote it, which lines it was shown and
 * by which calls. Two questions hang on it: whether a read would only repeat what is in view, and whether a write would destroy
 * something the model does not know. Only digests decide; a time of modification says nothing about content.
 */
import { createHash } from 'node:crypto';

/** Lines `startLine` to `startLine + lines` of a file of `totalLines`, counted from 0. */
export interface LineSpan {
  readonly startLine: number;
  readonly lines: number;
  readonly totalLines: number;
}

export interface FileRead extends LineSpan {
  /** Of the whole file, whatever was shown of it. */
  readonly digest: string;
  /** The call whose result shows these lines. Absent: nothing can point back to it. */
  readonly callId?: string;
}

/**
 * What is known of a file as it is on disk now. `never`: the model has neither read nor written it; `same`: it is as the model left it or saw it;
 * `changed`: somebody else changed it since; `unknown`: the model has dealt with it, and what it was then is not known any more.
 */
export type Standing = 'never' | 'same' | 'changed' | 'unknown';

export interface FileStatePort {
  /** Whether the model's view holds the result of this call verbatim. */
  showsResult(callId: string): boolean;
}

/** Paths are absolute real paths, as a workspace resolves them. */
export interface FileState {
  /** A call begins: providers that use an id twice would make an older read point to a newer result. */
  begin(callId: string): void;
  noteRead(path: string, read: FileRead): void;
  /** The model wrote the whole file. */
  noteWritten(path: string, digest: string): void;
  /** The model changed a part of the file, which has this digest now. */
  noteEdited(path: string, digest: string): void;
  /** The model has dealt with the file, and what it was then cannot be told. */
  noteUnknown(path: string): void;
  standing(path: string, digest: string): Standing;
  /** Whether the model has seen or written every line of the file as it is now. */
  hasSeenAll(path: string, digest: string): boolean;
  /** Whether these lines of the file as it is now stand verbatim in the view, by an earlier read. */
  isShown(path: string, digest: string, span: LineSpan): boolean;
}

interface Seen {
  readonly digest: string | undefined;
  readonly isWhole: boolean;
  readonly reads: readonly FileRead[];
}

/** SHA-256 as hex digits. */
export function fileDigest(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function createFileState(port: FileStatePort): FileState {
  const files = new Map<string, Seen>();
  return {
    begin(callId) {
      for (const [path, seen] of files) {
        if (!seen.reads.some((read) => read.callId === callId)) continue;
        files.set(path, { ...seen, reads: seen.reads.filter((read) => read.callId !== callId) });
      }
    },
    noteRead(path, read) {
      const known = files.get(path);
      const isKnown = known?.digest === read.digest;
      const reads = [...(isKnown ? known.reads.filter((other) => !isSameSpan(other, read)) : []), read];
      files.set(path, { digest: read.digest, isWhole: (isKnown && known.isWhole) || coversAll(reads), reads });
    },
    noteWritten: (path, digest) => void files.set(path, { digest, isWhole: true, reads: [] }),
    noteEdited(path, digest) {
      files.set(path, { digest, isWhole: files.get(path)?.isWhole ?? false, reads: [] });
    },
    noteUnknown: (path) => void files.set(path, { digest: undefined, isWhole: false, reads: [] }),
    standing(path, digest) {
      const seen = files.get(path);
      if (seen === undefined) return 'never';
      if (seen.digest === undefined) return 'unknown';
      return seen.digest === digest ? 'same' : 'changed';
    },
    hasSeenAll(path, digest) {
      const seen = files.get(path);
      return seen?.digest === digest && seen.isWhole;
    },
    isShown(path, digest, span) {
      const seen = files.get(path);
      if (seen?.digest !== digest) return false;
      return seen.reads.some(
        (read) => isSameSpan(read, span) && read.callId !== undefined && port.showsResult(read.callId),
      );
    },
  };
}

function isSameSpan(one: LineSpan, other: LineSpan): boolean {
  return one.startLine === other.startLine && one.lines === other.lines;
}

/** Whether the spans, all of one file, leave no line out. */
function coversAll(spans: readonly LineSpan[]): boolean {
  const ordered = [...spans].sort((one, other) => one.startLine - other.startLine);
  let covered = 0;
  for (const { startLine, lines } of ordered) {
    if (startLine > covered) return false;
    covered = Math.max(covered, startLine + lines);
  }
  return covered >= (ordered[0]?.totalLines ?? 0);
}
