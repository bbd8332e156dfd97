/** Lines cut and wrapped by the columns they take: wide characters count two, escapes none. */
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from '@mariozechner/pi-tui/dist/utils.js';

export { visibleWidth };

const MIN_SECOND_COLUMN = 24;

/** At most `columns` wide; what is cut is marked. */
export function clip(line: string, columns: number): string {
  return visibleWidth(line) <= columns ? line : truncateToWidth(line, columns, '…');
}

/** Wrapped at words; tabs become spaces, since a terminal's stops would break the count. */
export function wrap(text: string, columns: number): readonly string[] {
  return wrapTextWithAnsi(text.replaceAll('\t', '   '), Math.max(1, columns)).map((line) => clip(line, columns));
}

/** Wrapped with every line behind `first`, or behind as much space. */
export function hang(first: string, text: string, columns: number): readonly string[] {
  const indent = visibleWidth(first);
  const rest = ' '.repeat(indent);
  return wrap(text, columns - indent).map((line, index) => clip(`${index === 0 ? first : rest}${line}`, columns));
}

/** Two columns, the second wrapped within itself; below the first where there is no room beside it. */
export function twoColumns(
  rows: readonly (readonly [left: string, right: string])[],
  columns: number,
): readonly string[] {
  const width = Math.max(...rows.map(([left]) => visibleWidth(left))) + 2;
  if (columns - width >= MIN_SECOND_COLUMN)
    return rows.flatMap(([left, right]) => hang(padEnd(left, width), right, columns));
  return rows.flatMap(([left, right]) => [clip(left, columns), ...hang('    ', right, columns)]);
}

/** `left` and `right` at the ends of one line; `left` gives way. */
export function spread(left: string, right: string, columns: number): string {
  const room = columns - visibleWidth(right) - 1;
  if (room < 1) return clip(left, columns);
  const cut = clip(left, room);
  return cut + ' '.repeat(columns - visibleWidth(cut) - visibleWidth(right)) + right;
}

export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - visibleWidth(text)));
}

export function padStart(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - visibleWidth(text))) + text;
}
