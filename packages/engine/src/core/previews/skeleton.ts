/**
 * The skeleton of a source file: what is declared where, without bodies. By indentation, which holds for every language that is formatted as usual;
 * a parser can be put in its place.
 */
import { headOf } from '../layers/marker.ts';
import type { Language } from './languages.ts';

/** How soon an item is left out where room is short: 0 last. */
export type Rank = 0 | 1 | 2 | 3;

/** One line of a skeleton, standing for the lines `[from, to)` of the source, counted from 0. */
export interface OutlineItem {
  readonly from: number;
  readonly to: number;
  /** The line the item is declared in. */
  readonly at: number;
  /** The declaration with its indent, what is left out marked. */
  readonly text: string;
  readonly rank: Rank;
}

/** Items that together stand for every line, in order; undefined where the text cannot be read as that language. Must not throw. */
export type Skeleton = (code: string, language: Language) => readonly OutlineItem[] | undefined;

const MAX_HEAD_CHARS = 240;

const CONTAINER =
  /^(?:(?:export|default|abstract|declare|public|private|protected|internal|static|final|sealed|open|data|pub|pub\(crate\)|unsafe|partial|extern|typedef)\s+)*(?:class|interface|namespace|module|enum|struct|trait|impl|mod|record|object|union|protocol|extension|type \w+ (?:struct|interface))\b/;
const FUNCTION = /\b(?:function|def|func|fn|fun|constructor)\b|^[^=]*\)[^;=]*\{$|=>\s*\{?$/;
const IMPORT =
  /^(?:import\b|from\s+\S+\s+import\b|use\s|#\s*include\b|require\b|package\b|using\b|(?:const|let|var) .{1,80} = require\(|export (?:\*|\{[^}]*\}) from\b)/;
const COMMENT = /^(?:\/\/|\/\*|\*|#(?![a-z![])|--|"""|''')/;
const CLOSER = /^[)\]}>;,]+$|^end$/;
/** Lines of a list of parameters that are joined with their function. */
const MAX_PARAMETER_LINES = 12;
const TAB_COLUMNS = 4;

interface Source {
  readonly lines: readonly string[];
  /** Columns of blanks in front; -1 for a blank line. */
  readonly indents: readonly number[];
}

function indentOf(line: string): number {
  let columns = 0;
  for (let i = 0; i < line.length; i += 1) {
    if (line[i] === '\t') columns += TAB_COLUMNS;
    else if (line[i] === ' ') columns += 1;
    else return columns;
  }
  return -1;
}

/** End of the lines behind `at` that are indented deeper than it; blank lines at the end do not belong. */
function bodyEnd({ indents }: Source, at: number): number {
  const own = indents[at] ?? 0;
  let end = at + 1;
  for (let i = at + 1; i < indents.length; i += 1) {
    const indent = indents[i] ?? -1;
    if (indent < 0) continue;
    if (indent <= own) break;
    end = i + 1;
  }
  return end;
}

interface Head {
  readonly text: string;
  /** Line behind the declaration itself. */
  readonly end: number;
}

/** The declaration at `at`, a list of parameters on lines of its own joined. */
function headAt(source: Source, at: number): Head {
  const line = (source.lines[at] ?? '').trim();
  const alone = { text: headOf(line, MAX_HEAD_CHARS), end: at + 1 };
  if (!line.endsWith('(')) return alone;
  const close = bodyEnd(source, at);
  const closing = (source.lines[close] ?? '').trim();
  if (!closing.startsWith(')') || CLOSER.test(closing) || close - at > MAX_PARAMETER_LINES) return alone;
  const parameters = source.lines.slice(at + 1, close).map((one) => one.trim());
  return { text: headOf(`${line}${parameters.join(' ')}${closing}`, MAX_HEAD_CHARS), end: close + 1 };
}

function rankOf(text: string, depth: number): Rank {
  if (IMPORT.test(text)) return 2;
  const isDeclaration = CONTAINER.test(text) || FUNCTION.test(text);
  if (depth > 0) return isDeclaration ? 1 : 3;
  return isDeclaration ? 0 : 3;
}

function folded(text: string, bodyLines: number, closer: string): string {
  if (bodyLines === 0) return `${text}${closer}`;
  return `${text} … ${bodyLines} ${bodyLines === 1 ? 'line' : 'lines'}${closer === '' ? '' : ` ${closer}`}`;
}

const MAX_DEPTH = 3;

/** Lines from `pending` on belong to the next item. */
interface Walk {
  readonly source: Source;
  readonly items: OutlineItem[];
  pending: number;
}

function push(walk: Walk, item: Omit<OutlineItem, 'from'>): void {
  walk.items.push({ from: walk.pending, ...item });
  walk.pending = item.to;
}

/** The item at `at`, and the line behind everything it stands for. */
function take(walk: Walk, at: number, depth: number): number {
  const { source } = walk;
  const head = headAt(source, at);
  const indent = '  '.repeat(depth);
  const end = bodyEnd(source, head.end - 1);
  const rank = rankOf(head.text, depth);
  if (CONTAINER.test(head.text) && end > head.end && depth < MAX_DEPTH) {
    push(walk, { to: head.end, at, text: indent + head.text, rank });
    return members(walk, { from: head.end, to: end, depth: depth + 1 });
  }
  const closing = (source.lines[end] ?? '').trim();
  const isClosed = end > head.end && CLOSER.test(closing) && source.indents[end] === source.indents[at];
  const to = isClosed ? end + 1 : end;
  push(walk, { to, at, text: indent + folded(head.text, end - head.end, isClosed ? closing : ''), rank });
  return to;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly depth: number;
}

/** The items of `[from, to)` at its outermost indent. */
function members(walk: Walk, { from, to, depth }: Stretch): number {
  let at = from;
  while (at < to) {
    const text = (walk.source.lines[at] ?? '').trim();
    const isSilent = text === '' || COMMENT.test(text) || CLOSER.test(text);
    at = isSilent ? at + 1 : take(walk, at, depth);
  }
  return at;
}

/** The skeleton by indentation, or undefined where nothing is left out by it. */
export const outlineByIndent: Skeleton = (code) => {
  const lines = code.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  const walk: Walk = { source: { lines, indents: lines.map(indentOf) }, items: [], pending: 0 };
  members(walk, { from: 0, to: lines.length, depth: 0 });
  const last = walk.items.pop();
  if (last === undefined) return undefined;
  return [...walk.items, { ...last, to: lines.length }];
};
