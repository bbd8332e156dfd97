/**
 * The skeleton of a source file: what is declared where, without bodies. By indentation, which holds for every language that is formatted as usual;
 * a parser can be put in its place.
 */
import { headOf } from '../layers/marker.ts';
import { insideLines } from './inside.ts';
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
const MAX_PARAMETER_LINES = 16;
/** Of a line, what is looked at for brackets. */
const MAX_PARSED_CHARS = 400;
const TAB_COLUMNS = 4;

interface Source {
  readonly lines: readonly string[];
  /** Columns of blanks in front; -1 for a blank line, and for one inside a text or comment of several. */
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

/** End of the lines from `from` on that are indented deeper than line `at`; blank lines at the end do not belong. */
function bodyEnd({ indents }: Source, at: number, from: number): number {
  const own = indents[at] ?? 0;
  let end = from;
  for (let i = from; i < indents.length; i += 1) {
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

/** Brackets a line opens and does not close. */
function openBrackets(line: string): number {
  let open = 0;
  for (const char of line) open += Number(char === '(') - Number(char === ')');
  return open;
}

function joined(parts: readonly string[]): string {
  return parts
    .join(' ')
    .replaceAll(/\( (?=\S)/g, '(')
    .replaceAll(/,? \)/g, ')');
}

/** The declaration at `at`, parameters on lines of their own joined with it. */
function headAt({ lines }: Source, at: number): Head {
  const line = (lines[at] ?? '').trim();
  const alone = { text: headOf(line, MAX_HEAD_CHARS), end: at + 1 };
  let open = openBrackets(line.slice(0, MAX_PARSED_CHARS));
  if (open <= 0 || line.endsWith('{')) return alone;
  const parts = [line];
  for (let end = at + 1; end < Math.min(lines.length, at + MAX_PARAMETER_LINES); end += 1) {
    const next = (lines[end] ?? '').trim();
    open += openBrackets(next.slice(0, MAX_PARSED_CHARS));
    parts.push(next);
    // A body between the brackets: a callback, no parameters.
    if (open > 0 && next.endsWith('{')) return alone;
    if (open <= 0) return { text: headOf(joined(parts), MAX_HEAD_CHARS), end: end + 1 };
  }
  return alone;
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
  const end = bodyEnd(source, at, head.end);
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
    const isSilent = (walk.source.indents[at] ?? -1) < 0 || COMMENT.test(text) || CLOSER.test(text);
    at = isSilent ? at + 1 : take(walk, at, depth);
  }
  return at;
}

/** The skeleton by indentation, or undefined where nothing is left out by it. */
export const outlineByIndent: Skeleton = (code, language) => {
  const lines = code.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  const inside = insideLines(lines, language);
  const indents = lines.map((line, i) => (inside?.[i] === 1 ? -1 : indentOf(line)));
  const walk: Walk = { source: { lines, indents }, items: [], pending: 0 };
  members(walk, { from: 0, to: lines.length, depth: 0 });
  const last = walk.items.pop();
  if (last === undefined) return undefined;
  return [...walk.items, { ...last, to: lines.length }];
};
