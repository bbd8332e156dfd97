/** The figures that have to be reached: a row of the table, one of its values, and the most it may be. */
import { POLICIES } from './policies.ts';
import type { Row } from './row.ts';
import { SECTIONS } from './sections.ts';

export interface Limit {
  readonly section: string;
  /** @default every row of the section */
  readonly who?: string;
  readonly size?: number;
  readonly value: string;
  readonly max: number;
}

export const LIMITS: readonly Limit[] = [
  ...Object.keys(POLICIES).flatMap((who): readonly Limit[] => [
    ...[1_000, 10_000, 100_000].map((size) => ({ section: SECTIONS.turns, who, size, value: 'p50 ms', max: 0.1 })),
    { section: SECTIONS.turns, who: `${who}, growth`, value: 'exponent', max: 0.1 },
  ]),
  { section: SECTIONS.whole, who: 'holdover, known objects', size: 1_000, value: 'p50 ms', max: 0.1 },
  { section: SECTIONS.whole, who: 'holdover, known objects', size: 10_000, value: 'p50 ms', max: 0.6 },
  { section: SECTIONS.whole, who: 'holdover, known objects', size: 100_000, value: 'p50 ms', max: 6 },
  { section: SECTIONS.whole, who: 'holdover, freshly parsed', size: 100_000, value: 'x parse', max: 1 / 6 },
  { section: SECTIONS.cold, who: 'holdover', size: 100_000, value: 'both x parse', max: 1.5 },
  { section: SECTIONS.memory, who: 'holdover, at once', size: 100_000, value: 'heap x raw', max: 2.2 },
  { section: SECTIONS.memory, who: 'holdover, turn by turn', size: 100_000, value: 'heap x raw', max: 2.2 },
  { section: SECTIONS.compaction, who: 'holdover', value: 'ms per 100k tokens', max: 10 },
  { section: SECTIONS.estimate, who: 'session', value: 'calibrated sum % (o200k)', max: 2 },
  { section: SECTIONS.estimate, who: 'session', value: 'calibrated sum % (Claude table)', max: 2 },
  { section: SECTIONS.letters, who: 'gpt-tokenizer, o200k, guarded', value: 'ms', max: 1_000 },
];

function isMeant(limit: Limit, row: Row): boolean {
  return (
    row.section === limit.section &&
    (limit.who === undefined || row.who === limit.who) &&
    (limit.size === undefined || row.size === limit.size)
  );
}

function nameOf({ section, who, size, value }: Limit): string {
  return [section, who, size?.toLocaleString('en'), value].filter((part) => part !== undefined).join(' / ');
}

/** A line for each figure that was missed, or not measured at all. */
export function missed(rows: readonly Row[], limits: readonly Limit[] = LIMITS): readonly string[] {
  return limits.flatMap((limit) => {
    const found = rows.filter((row) => isMeant(limit, row));
    if (found.length === 0) return [`${nameOf(limit)}: not measured, at most ${limit.max}`];
    return found.flatMap((row) => {
      const value = row.values[limit.value];
      if (value === undefined) return [`${nameOf(limit)}: ${row.note ?? 'not measured'}, at most ${limit.max}`];
      return value <= limit.max ? [] : [`${nameOf(limit)}: ${shown(value)}, at most ${shown(limit.max)}`];
    });
  });
}

/** A number in three digits or so. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return '-';
  const size = Math.abs(value);
  if (size >= 1_000) return Math.round(value).toLocaleString('en');
  if (size >= 100 || Number.isInteger(value)) return value.toFixed(0);
  return size >= 10 ? value.toFixed(1) : String(Number(value.toPrecision(3)));
}
