/** Prints rows: a heading for each section, the columns in the order they first come. */
import { shown } from './limits.ts';
import type { Row } from './row.ts';

function columnsOf(rows: readonly Row[]): readonly string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row.values)))];
}

function cellsOf(row: Row, columns: readonly string[]): readonly string[] {
  const values = columns.map((column) => {
    const value = row.values[column];
    return value === undefined ? '' : shown(value);
  });
  return [row.who, row.size === undefined ? '' : row.size.toLocaleString('en'), ...values, row.note ?? ''];
}

/** One section as text, its columns aligned. */
export function sectionText(section: string, rows: readonly Row[]): string {
  const columns = columnsOf(rows);
  const lines = [['', 'messages', ...columns, ''], ...rows.map((row) => cellsOf(row, columns))];
  const widths = lines[0]?.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0))) ?? [];
  const text = lines.map((line) =>
    line
      .map((cell, index) =>
        index === 0 || index === line.length - 1 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  return [section, ...text.map((line) => `  ${line}`)].join('\n');
}
