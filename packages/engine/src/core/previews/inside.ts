/** Which lines of a source begin inside a comment or a text that began on an earlier line: their indent says nothing. */
import type { Language } from './languages.ts';

/** Languages with `#` for comments; the others have two slashes, and comments between `/*` and its mirror. */
const HASHED: ReadonlySet<Language> = new Set<Language>(['python', 'ruby']);
/** Languages whose texts between backticks may have several lines. */
const BACKTICKED: ReadonlySet<Language> = new Set<Language>(['javascript', 'typescript', 'tsx', 'go']);
/** Languages whose texts between three quotes may. */
const TRIPLED: ReadonlySet<Language> = new Set<Language>(['python', 'java', 'kotlin', 'swift', 'scala']);

interface Scan {
  readonly language: Language;
  /** What ends the text or comment the scan is in; undefined in code. */
  closer: string | undefined;
}

/** What begins at `at` and may have several lines: what ends it. */
function multilineAt({ language }: Scan, line: string, at: number): string | undefined {
  const char = line[at];
  if (char === '`') return BACKTICKED.has(language) ? '`' : undefined;
  if (char === '/') return line[at + 1] === '*' && !HASHED.has(language) ? '*/' : undefined;
  if (char !== '"' && char !== "'") return undefined;
  const triple = char.repeat(3);
  return TRIPLED.has(language) && line.startsWith(triple, at) ? triple : undefined;
}

/** Index behind the one-line text that opens at `at`; the next character where it has no end, as an apostrophe. */
function quoteEnd(line: string, at: number): number {
  for (let i = at + 1; i < line.length; i += 1) {
    if (line[i] === '\\') i += 1;
    else if (line[i] === line[at]) return i + 1;
  }
  return at + 1;
}

function isCommentAt(language: Language, line: string, at: number): boolean {
  return HASHED.has(language) ? line[at] === '#' : line[at] === '/' && line[at + 1] === '/';
}

/** Index behind what closes the text or comment, or the end of the line where it stays open. */
function closeFrom(scan: Scan, line: string, from: number): number {
  const closer = scan.closer ?? '';
  for (let at = from; at < line.length; at += 1) {
    if (line[at] === '\\' && closer !== '*/') at += 1;
    else if (line.startsWith(closer, at)) {
      scan.closer = undefined;
      return at + closer.length;
    }
  }
  return line.length;
}

/** One step in code: index of what comes next, the end of the line at a comment. */
function stepInCode(scan: Scan, line: string, at: number): number {
  if (isCommentAt(scan.language, line, at)) return line.length;
  const closer = multilineAt(scan, line, at);
  if (closer !== undefined) {
    scan.closer = closer;
    return at + (closer === '*/' ? 2 : closer.length);
  }
  return line[at] === '"' || line[at] === "'" ? quoteEnd(line, at) : at + 1;
}

/** Longest line that is looked into: longer ones are data. */
const MAX_LINE_CHARS = 2_000;

/** 1 for each line that begins inside; undefined where nothing ends what began, and the scan was misled. */
export function insideLines(lines: readonly string[], language: Language): Uint8Array | undefined {
  const inside = new Uint8Array(lines.length);
  const scan: Scan = { language, closer: undefined };
  lines.forEach((line, i) => {
    inside[i] = scan.closer === undefined ? 0 : 1;
    if (line.length > MAX_LINE_CHARS) return;
    for (let at = 0; at < line.length; )
      at = scan.closer === undefined ? stepInCode(scan, line, at) : closeFrom(scan, line, at);
  });
  return scan.closer === undefined ? inside : undefined;
}
