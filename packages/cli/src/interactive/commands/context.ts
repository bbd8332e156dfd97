/** `/context`: what fills the window, as a picture in cells and as numbers that add up. */
import type { Breakdown } from '@holdover/engine';
import { clip, padEnd, padStart } from '../text/lines.ts';
import { exact, short } from '../text/numbers.ts';
import type { Paint, Theme } from '../text/theme.ts';
import type { SlashCommand } from './command.ts';

export interface Share {
  readonly name: string;
  readonly tokens: number;
  readonly glyph: string;
  readonly paint: Paint;
}

const CELLS = 100;
/** Readable without colours: every category has a shape of its own. */
const GLYPHS = ['◆', '●', '■', '▲', '★', '✚', '◉', '▣', '▼', '✦', '◇', '○', '□', '△'] as const;

function paints(theme: Theme): readonly Paint[] {
  const { magenta, cyan, green, blue, yellow, red } = theme;
  return [magenta, cyan, green, blue, yellow, red];
}

/** The categories, what is free and what the reply has reserved: together the window. */
export function sharesOf(breakdown: Breakdown, theme: Theme): readonly Share[] {
  const { categories, totalTokens, windowTokens, reservedOutputTokens } = breakdown;
  const colours = paints(theme);
  const used = categories.map(({ name, tokens }, index): Share => {
    const glyph = GLYPHS[index % GLYPHS.length] ?? '?';
    return { name, tokens, glyph, paint: colours[index % colours.length] ?? ((text) => text) };
  });
  const reserved = Math.max(0, Math.min(reservedOutputTokens, windowTokens - totalTokens));
  const free = Math.max(0, windowTokens - totalTokens - reserved);
  return [
    ...used,
    { name: 'free', tokens: free, glyph: '·', paint: theme.dim },
    { name: 'reserved for the reply', tokens: reserved, glyph: '▒', paint: theme.dim },
  ];
}

/** Cells of each share, `CELLS` in all: by largest remainder, one at least for whatever there is. */
export function cellsOf(shares: readonly { readonly tokens: number }[]): readonly number[] {
  const total = shares.reduce((sum, { tokens }) => sum + tokens, 0);
  if (total === 0) return shares.map(() => 0);
  const wanted = shares.map(({ tokens }) => (tokens / total) * CELLS);
  const cells = wanted.map((want, index) => ((shares[index]?.tokens ?? 0) > 0 ? Math.max(1, Math.floor(want)) : 0));
  const remainder = (index: number): number => (wanted[index] ?? 0) - (cells[index] ?? 0);
  const indexes = shares.map((_, index) => index).filter((index) => (shares[index]?.tokens ?? 0) > 0);
  for (let missing = CELLS - cells.reduce((sum, one) => sum + one, 0); missing !== 0; missing -= Math.sign(missing)) {
    const most = missing > 0 ? indexes : indexes.filter((index) => (cells[index] ?? 0) > 1);
    const [next] = most.toSorted((a, b) => Math.sign(missing) * (remainder(b) - remainder(a)));
    if (next === undefined) break;
    cells[next] = (cells[next] ?? 0) + Math.sign(missing);
  }
  return cells;
}

function grid(shares: readonly Share[], across: number): readonly string[] {
  const counts = cellsOf(shares);
  const cells = shares.flatMap(({ glyph, paint }, index) =>
    Array.from({ length: counts[index] ?? 0 }, () => paint(glyph)),
  );
  return Array.from({ length: CELLS / across }, (_, row) => cells.slice(row * across, (row + 1) * across).join(' '));
}

interface LegendOptions {
  readonly theme: Theme;
  readonly columns: number;
}

/** Glyph, gaps and the percentage of a row. */
const ROW_COLUMNS = 2 + 1 + 1 + 6;

function legend(breakdown: Breakdown, shares: readonly Share[], options: LegendOptions): readonly string[] {
  const { totalTokens, windowTokens } = breakdown;
  const { theme, columns } = options;
  const total: Share = { name: 'in all', tokens: totalTokens, glyph: ' ', paint: theme.bold };
  const used = shares.slice(0, -2);
  const rows = [...used, total, ...shares.slice(-2)];
  const tokens = Math.max(...rows.map((row) => exact(row.tokens).length));
  const name = Math.min(Math.max(...rows.map((row) => row.name.length)), columns - tokens - ROW_COLUMNS);
  return rows.map((row) => {
    const percent = `${((row.tokens / windowTokens) * 100).toFixed(1)}%`;
    const text = `${padEnd(clip(row.name, name), name)} ${padStart(exact(row.tokens), tokens)} ${padStart(percent, 6)}`;
    return `${row.paint(row.glyph)} ${row === total ? theme.bold(text) : text}`;
  });
}

/** Side by side from this width on. */
const WIDE_COLUMNS = 76;
const WIDE_ACROSS = 10;
const NARROW_ACROSS = 20;

function beside(left: readonly string[], right: readonly string[], width: number): readonly string[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, row) =>
    `${padEnd(left[row] ?? '', width)}${right[row] ?? ''}`.trimEnd(),
  );
}

export function contextLines(breakdown: Breakdown, columns: number, theme: Theme): readonly string[] {
  const { totalTokens, windowTokens, untilCompactionTokens: left } = breakdown;
  const shares = sharesOf(breakdown, theme);
  const title = `${theme.bold('Context')}  ${short(totalTokens)} of ${short(windowTokens)} tokens · compaction ${left === 0 ? 'next' : `in ${short(left)}`}`;
  const gridColumns = columns < WIDE_COLUMNS ? 0 : WIDE_ACROSS * 2 + 3;
  const rows = legend(breakdown, shares, { theme, columns: columns - gridColumns });
  if (columns < WIDE_COLUMNS) return [title, '', ...grid(shares, NARROW_ACROSS), '', ...rows];
  return [title, '', ...beside(grid(shares, WIDE_ACROSS), rows, gridColumns)];
}

export const contextCommand: SlashCommand = {
  name: 'context',
  args: '',
  about: 'what fills the context window',
  isReadOnly: true,
  async run(_args, { session, columns, theme, say }) {
    say(contextLines(session.breakdown(), columns, theme));
  },
};
