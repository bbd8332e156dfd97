/** Picks a range of lines out of a stream of bytes, in memory bounded by the range. */

export interface LineRangeOptions {
  /** Lines to skip. */
  readonly offset: number;
  /** Lines to keep; may be Infinity. */
  readonly limit: number;
  /** Bytes to keep at most. */
  readonly maxBytes: number;
}

export interface LineRangeResult {
  /** The lines with their line ends. Bytes that are not UTF-8 appear as U+FFFD. */
  readonly text: string;
  readonly startLine: number;
  /** Lines in `text`. */
  readonly lines: number;
  /** A last line without line end counts. */
  readonly totalLines: number;
  /** Lines after the range. */
  readonly moreLines: number;
  /** The range is larger than `maxBytes`; `text` is then incomplete. */
  readonly overflow: boolean;
}

export interface LineRange {
  /** Copies what it keeps: the caller may reuse the chunk. */
  add(chunk: Uint8Array): void;
  result(): LineRangeResult;
}

const LINE_FEED = 10;

interface Progress {
  readonly kept: Uint8Array[];
  keptBytes: number;
  /** Complete lines seen. */
  lineEnds: number;
  endsInLineFeed: boolean;
  overflow: boolean;
}

export function createLineRange(options: LineRangeOptions): LineRange {
  const state: Progress = { kept: [], keptBytes: 0, lineEnds: 0, endsInLineFeed: true, overflow: false };
  return {
    add(chunk) {
      if (chunk.length === 0) return;
      const rest = chunk.subarray(passLines(chunk, options.offset, state));
      const wantedBytes = passLines(rest, options.offset + options.limit, state);
      passLines(rest.subarray(wantedBytes), Infinity, state);
      if (wantedBytes > 0) keep(rest.subarray(0, wantedBytes), options.maxBytes, state);
      state.endsInLineFeed = chunk[chunk.length - 1] === LINE_FEED;
    },
    result() {
      const totalLines = state.lineEnds + (state.endsInLineFeed ? 0 : 1);
      const lines = Math.max(0, Math.min(options.limit, totalLines - options.offset));
      return {
        text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(state.kept)),
        startLine: options.offset,
        lines,
        totalLines,
        moreLines: Math.max(0, totalLines - options.offset - lines),
        overflow: state.overflow,
      };
    },
  };
}

/** Counts line ends until `untilLines` have been seen in all; returns the bytes passed. */
function passLines(chunk: Uint8Array, untilLines: number, state: Progress): number {
  let position = 0;
  while (state.lineEnds < untilLines) {
    const lineEnd = chunk.indexOf(LINE_FEED, position);
    if (lineEnd === -1) return chunk.length;
    state.lineEnds += 1;
    position = lineEnd + 1;
  }
  return position;
}

function keep(part: Uint8Array, maxBytes: number, state: Progress): void {
  const room = maxBytes - state.keptBytes;
  if (part.length > room) {
    state.overflow = true;
    return;
  }
  state.kept.push(Uint8Array.from(part));
  state.keptBytes += part.length;
}
