/**
 * The record of the deep run: which seeds are done under which code, and what they broke. One JSON line a range, so that a run
 * that is stopped loses at most the ranges in progress.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { emptyStats, type SeedViolation } from './run-seed.ts';
import type { Stats } from '../properties/support/machine.ts';

export interface Range {
  /** Digest of the code the range was run under. */
  readonly code: string;
  readonly from: number;
  /** Not included. */
  readonly to: number;
  readonly stats: Stats;
  readonly violations: readonly SeedViolation[];
}

export interface Totals {
  readonly histories: number;
  readonly stats: Stats;
  readonly violations: readonly SeedViolation[];
}

function sources(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && file.name.endsWith('.ts'))
    .map((file) => join(file.parentPath, file.name))
    .sort();
}

/** Changes with any file of `folders`: seeds done under other code do not count. */
export function codeDigest(folders: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of folders.flatMap(sources)) hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}

export class SeedLedger {
  readonly #path: string;
  readonly #code: string;
  readonly #ranges: Range[];
  /** Histories of ranges that were run under other code. */
  readonly earlier: number;

  constructor(path: string, code: string) {
    this.#path = path;
    this.#code = code;
    mkdirSync(dirname(path), { recursive: true });
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
    const all = lines.flatMap(parseRange);
    this.#ranges = all.filter((range) => range.code === code);
    this.earlier = historiesIn(all.filter((range) => range.code !== code));
  }

  isDone(from: number, to: number): boolean {
    return this.#ranges.some((range) => range.from <= from && to <= range.to);
  }

  add(range: Omit<Range, 'code'>): void {
    const whole = { code: this.#code, ...range };
    this.#ranges.push(whole);
    appendFileSync(this.#path, `${JSON.stringify(whole)}\n`);
  }

  /** Sums over the ranges inside `[from, to)`. */
  totals(from: number, to: number): Totals {
    const inside = this.#ranges.filter((range) => range.from >= from && range.to <= to);
    const stats = emptyStats();
    for (const range of inside) for (const key of Object.keys(stats) as (keyof Stats)[]) stats[key] += range.stats[key];
    return {
      histories: historiesIn(inside),
      stats,
      violations: inside.flatMap((range) => range.violations),
    };
  }
}

function historiesIn(ranges: readonly Range[]): number {
  return ranges.reduce((sum, range) => sum + range.to - range.from, 0);
}

/** A line cut by a crash counts as not done. */
function parseRange(line: string): Range[] {
  try {
    return line === '' ? [] : [JSON.parse(line) as Range];
  } catch {
    return [];
  }
}
