/** A terminal's screen as an SVG picture, to look at. `HOLDOVER_SCREENS=<folder>` makes `picture` write them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cell, Terminal } from './terminal.ts';

const CELL_WIDTH = 9;
const CELL_HEIGHT = 19;
const BASELINE = 14;
const GROUND = '#15171c';
const INK = '#d6d9e0';

/** The palette of a plain dark terminal. */
const PALETTE = [
  '#3b4048',
  '#e06c75',
  '#8fbf6f',
  '#d8b165',
  '#6aa7e8',
  '#c488d9',
  '#5cb8c4',
  '#c8ccd4',
  '#5c6370',
  '#ef8a92',
  '#a8d48a',
  '#e8c987',
  '#8cbdf2',
  '#d6a4e6',
  '#7ccdd8',
  '#ffffff',
] as const;

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function cellSvg(cell: Cell, column: number, row: number): string {
  const x = column * CELL_WIDTH;
  const y = row * CELL_HEIGHT;
  const ink = PALETTE[cell.colour] ?? INK;
  const ground = PALETTE[cell.background] ?? GROUND;
  const [fill, back] = cell.isInverse ? [ground, ink] : [ink, ground];
  const box =
    back === GROUND ? '' : `<rect x="${x}" y="${y}" width="${CELL_WIDTH}" height="${CELL_HEIGHT}" fill="${back}"/>`;
  if (cell.text.trim() === '') return box;
  const weight = cell.isBold ? ' font-weight="bold"' : '';
  const opacity = cell.isDim ? ' opacity="0.55"' : '';
  return `${box}<text x="${x}" y="${y + BASELINE}" fill="${fill}"${weight}${opacity}>${escaped(cell.text)}</text>`;
}

export function screenSvg(terminal: Terminal): string {
  const rows = terminal.screen().length;
  const width = terminal.columns * CELL_WIDTH;
  const height = rows * CELL_HEIGHT;
  const cells = Array.from({ length: rows }, (_, row) =>
    terminal
      .cells(row)
      .map((cell, column) => cellSvg(cell, column, row))
      .join(''),
  );
  const style = `font-family="DejaVu Sans Mono, monospace" font-size="15"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="${GROUND}"/><g ${style} xml:space="preserve">${cells.join('\n')}</g></svg>\n`;
}

/** Writes the screen where pictures are wanted; nothing otherwise. */
export function picture(terminal: Terminal, name: string): void {
  const folder = process.env['HOLDOVER_SCREENS'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.svg`), screenSvg(terminal));
}
