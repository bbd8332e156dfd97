/** Tables: Markdown, comma or tab separated, aligned columns. The head, the first rows and the last, and how many there are. */
import { alarmOf } from './alarms.ts';
import { rowOf, type LeftOut, type Row, Selection } from './rows.ts';

export interface Table {
  readonly form: 'Markdown' | 'comma' | 'tab' | 'semicolon' | 'aligned';
  readonly columns: number;
  /** Lines in front of the first row of data. */
  readonly headLines: number;
}

const PROBED_LINES = 60;
const MIN_LINES = 6;
/** Share of the probed lines that must have the same columns. */
const SAME_SHARE = 0.9;

/** How often `char` stands in `line` outside double quotes. */
function countOutside(line: string, char: string): number {
  let count = 0;
  let isQuoted = false;
  for (let i = 0; i < line.length; i += 1) {
    if (line[i] === '"') isQuoted = !isQuoted;
    else if (!isQuoted && line[i] === char) count += 1;
  }
  return count;
}

function separated(probe: readonly string[], char: string): number {
  const wanted = countOutside(probe[0] ?? '', char);
  if (wanted < (char === '\t' ? 1 : 2)) return 0;
  const same = probe.filter((line) => countOutside(line, char) === wanted).length;
  return same >= probe.length * SAME_SHARE ? wanted + 1 : 0;
}

const MARKDOWN_RULE = /^\s*\|?[ :|-]*-[ :|-]*$/;

/** Columns that begin at the same place in nearly every line, behind two blanks or more. */
function alignedColumns(probe: readonly string[]): number {
  const head = probe[0] ?? '';
  const starts: number[] = [];
  for (const match of head.matchAll(/(?:^|\s{2})(?=\S)/g)) starts.push(match.index + match[0].length);
  if (starts.length < 3) return 0;
  const isAligned = (line: string): boolean =>
    starts.slice(1).filter((at) => at >= line.length || line[at - 1] === ' ').length >= starts.length - 1;
  return probe.filter(isAligned).length >= probe.length * SAME_SHARE ? starts.length : 0;
}

const SEPARATORS = [
  ['tab', '\t'],
  ['comma', ','],
  ['semicolon', ';'],
] as const;

/** The table `lines` are, or undefined. */
export function readTable(lines: readonly string[]): Table | undefined {
  const probe = lines.slice(0, PROBED_LINES).filter((line) => line.trim() !== '' && line.length < 4_000);
  if (probe.length < MIN_LINES) return undefined;
  const [first = '', second = ''] = probe;
  if (first.includes('|') && second.includes('|') && MARKDOWN_RULE.test(second.slice(0, 400))) {
    return { form: 'Markdown', columns: first.split('|').filter((cell) => cell.trim() !== '').length, headLines: 2 };
  }
  for (const [form, char] of SEPARATORS) {
    const columns = separated(probe, char);
    if (columns > 0) return { form, columns, headLines: 1 };
  }
  const columns = alignedColumns(probe);
  return columns === 0 ? undefined : { form: 'aligned', columns, headLines: 1 };
}

/** Share of the room for the rows at the beginning. */
const FIRST_SHARE = 0.6;

export function tablePreview(
  lines: readonly string[],
  table: Table,
  maxChars: number,
): { readonly text: string; readonly left: LeftOut } {
  const rows: readonly Row[] = lines.map((line) => rowOf(line, table.form === 'aligned' ? alarmOf(line) : 0));
  const data = lines.filter((line) => line.trim() !== '').length - table.headLines;
  const title = `Table (${table.form}), ${data} rows, ${table.columns} columns:`;
  const selection = new Selection(rows, maxChars - title.length - 1);
  for (let i = 0; i < table.headLines; i += 1) selection.add(i);
  rows.forEach((row, i) => row.alarm === 2 && selection.add(i, Math.floor(maxChars / 2)));
  const limit = selection.usedChars + Math.floor((maxChars - selection.usedChars) * FIRST_SHARE);
  for (let i = 0; i < rows.length && selection.add(i, limit); ) i += 1;
  for (let i = rows.length - 1; i >= 0 && selection.add(i); ) i -= 1;
  const { text, left } = selection.render();
  return { text: `${title}\n${text}`, left };
}
