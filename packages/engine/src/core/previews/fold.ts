/** Rows of a log: noise dropped, repeated lines and stack frames of dependencies folded. Errors are never folded unless they are identical. */
import { alarmAt } from './alarms.ts';
import { visibleLines, type VisibleLine } from './noise.ts';
import { patternOf } from './pattern.ts';
import { clipped, MAX_LINE_CHARS, type Row } from './rows.ts';

interface Line extends VisibleLine {
  readonly alarm: Row['alarm'];
  readonly focus: number;
  readonly isFrame: boolean;
  readonly isForeign: boolean;
}

/** Frames of a stack trace as JavaScript, Java, Python, Go, Rust, .NET and Ruby print them. */
const FRAME = /^\s+(?:at \S|File "|\d+: +\S+|from \S+:\d+:in |\S+\.go:\d+ )|^\tat /;

/** What a path or a name of somebody else's code holds. */
const FOREIGN: readonly string[] = [
  ...['node_modules/', 'node:', '(internal/', 'site-packages/', 'dist-packages/', '/lib/python', '<frozen ', '/rustc/'],
  ...['/.cargo/registry/', '/usr/local/go/src/', '/usr/lib/go', '/pkg/mod/', 'java.base/', 'at java.', 'at javax.'],
  ...[
    'at sun.',
    'at jdk.',
    'at org.junit.',
    'at org.springframework.',
    'at org.gradle.',
    'at org.apache.',
    'at System.',
    'at Microsoft.',
  ],
  ...['/gems/', ' core::', ' std::', ' alloc::', ' tokio::'],
];

/** Longest line that can be a frame: longer ones are data. */
const MAX_FRAME_CHARS = 600;

/** Alike lines in a row from which only the first and the last are shown. */
const MIN_ALIKE = 5;

function lineOf(visible: VisibleLine): Line {
  const line = visible.line.trimEnd();
  const { alarm, at } = alarmAt(line);
  const isFrame = line.length <= MAX_FRAME_CHARS && FRAME.test(line);
  return {
    line,
    chars: visible.chars,
    alarm,
    focus: at,
    isFrame,
    isForeign: isFrame && FOREIGN.some((part) => line.includes(part)),
  };
}

/** End of the run of lines behind `from` that `belongs` holds for. */
function runEnd(lines: readonly Line[], from: number, belongs: (line: Line) => boolean): number {
  let end = from + 1;
  while (end < lines.length && belongs(lines[end] as Line)) end += 1;
  return end;
}

const charsOf = (lines: readonly Line[]): number => lines.reduce((sum, { chars }) => sum + chars, 0);

function shown(line: Line, maxChars: number): Row {
  const { text, saidChars } = clipped(line.line, maxChars, line.focus);
  // What a terminal does not show is said by not being shown.
  const isWhole = saidChars === line.line.length;
  const said = isWhole ? line.chars : saidChars + 1;
  return { text, lines: 1, chars: line.chars, saidLines: 1, saidChars: said, alarm: line.alarm, isFrame: line.isFrame };
}

function repeated(run: readonly Line[], maxChars: number): Row {
  const first = shown(run[0] as Line, maxChars);
  const isBlank = first.text.trim() === '';
  const text = isBlank ? '' : `${first.text} … repeated ${run.length} times`;
  return { ...first, text, lines: run.length, chars: charsOf(run), saidLines: run.length, saidChars: charsOf(run) };
}

function foldedFrames(run: readonly Line[]): Row {
  const text = `    … ${run.length} frames in dependencies`;
  return { text, lines: run.length, chars: charsOf(run), saidLines: 0, saidChars: 0, alarm: 0, isFrame: true };
}

function alikeRows(run: readonly Line[], maxChars: number): readonly Row[] {
  const between = run.slice(1, -1);
  const text = `… ${between.length} lines like the one above and the one below`;
  const row: Row = {
    text,
    lines: between.length,
    chars: charsOf(between),
    saidLines: 0,
    saidChars: 0,
    alarm: 0,
    isFrame: false,
  };
  return [shown(run[0] as Line, maxChars), row, shown(run.at(-1) as Line, maxChars)];
}

/** Whether a run of identical lines is worth folding: not two short ones. */
function isWorth(run: number, { line }: Line): boolean {
  return run > 2 || (run === 2 && (line.length > 40 || line.trim() === ''));
}

/** Of `foldedRows`; all have defaults. */
export interface FoldOptions {
  /** Longer lines are clipped. @default 400 */
  readonly maxLineChars?: number;
  /** Lines that differ in numbers only: all of them are folded, or those that tell of progress. @default 'all' */
  readonly alike?: 'all' | 'progress';
}

/** What a bar, a share or a rate looks like. */
const PROGRESS = /\d ?%|\[[=#>. -]{4,200}\]|[█▓▒░━⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]|\b\d{1,9}\/\d{1,9}\b|\b[kMG]i?B(?:\/s)?\b/;

/** The lines of a text and what is alike in them. */
interface Log extends Required<FoldOptions> {
  readonly lines: readonly Line[];
  /** Undefined for lines that are never folded for being alike. */
  readonly patterns: readonly (number | undefined)[];
}

/** End of the run of lines like line `from`; `from` itself where they are too few or not to be folded. */
function alikeEnd({ lines, patterns, alike }: Log, from: number): number {
  const own = patterns[from];
  if (own === undefined) return from;
  let end = from + 1;
  while (end < lines.length && patterns[end] === own) end += 1;
  if (end - from < MIN_ALIKE) return from;
  return alike === 'all' || PROGRESS.test(lines[from]?.line ?? '') ? end : from;
}

/** The rows that begin at line `from`, and the line behind them. */
function next(log: Log, from: number): { rows: readonly Row[]; end: number } {
  const { lines, maxLineChars } = log;
  const line = lines[from] as Line;
  const same = runEnd(lines, from, (other) => other.line === line.line);
  if (isWorth(same - from, line)) return { rows: [repeated(lines.slice(from, same), maxLineChars)], end: same };
  const foreign = line.isForeign ? runEnd(lines, from, ({ isForeign }) => isForeign) : from;
  if (foreign - from > 1) return { rows: [foldedFrames(lines.slice(from, foreign))], end: foreign };
  const end = alikeEnd(log, from);
  if (end > from) return { rows: alikeRows(lines.slice(from, end), maxLineChars), end };
  return { rows: [shown(line, maxLineChars)], end: from + 1 };
}

/** The rows of `text` as a log. */
export function foldedRows(text: string, options: FoldOptions = {}): readonly Row[] {
  const { maxLineChars = MAX_LINE_CHARS, alike = 'all' } = options;
  const lines = visibleLines(text).map(lineOf);
  const patterns = lines.map(({ line, alarm }) => (alarm === 0 ? patternOf(line) : undefined));
  const log: Log = { lines, patterns, maxLineChars, alike };
  const rows: Row[] = [];
  for (let at = 0; at < lines.length; ) {
    const { rows: found, end } = next(log, at);
    rows.push(...found);
    at = end;
  }
  return rows;
}
