/** Which runs are done under which code, and what they came to; one JSON line a run, so that a stop loses at most those in progress. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { codeDigest } from '../../../engine/test/deep/ledger.ts';
import { NO_FIGURES, type RunFigures } from './run.ts';

interface DoneRun extends RunFigures {
  readonly code: string;
  readonly seed: number;
}

export interface Totals extends Omit<RunFigures, 'problems'> {
  runs: number;
  /** Runs with a problem, by seed. */
  readonly broken: { readonly seed: number; readonly problems: readonly string[] }[];
}

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

export class RunLedger {
  readonly #path: string;
  readonly #code: string = codeDigest([path('.'), path('../../src'), path('../../../engine/src')]);
  readonly #runs = new Map<number, DoneRun>();

  constructor(file: string) {
    this.#path = file;
    mkdirSync(dirname(file), { recursive: true });
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    for (const run of lines.flatMap(parseRun)) if (run.code === this.#code) this.#runs.set(run.seed, run);
  }

  has(seed: number): boolean {
    return this.#runs.has(seed);
  }

  add(seed: number, figures: RunFigures): void {
    const run = { code: this.#code, seed, ...figures };
    this.#runs.set(seed, run);
    appendFileSync(this.#path, `${JSON.stringify(run)}\n`);
  }

  /** Sums over the seeds of `[from, to)`. */
  totals(from: number, to: number): Totals {
    const totals: Totals = { ...NO_FIGURES, runs: 0, broken: [] };
    for (const run of this.#runs.values()) {
      if (run.seed < from || run.seed >= to) continue;
      totals.runs += 1;
      for (const key of Object.keys(NO_FIGURES) as (keyof typeof NO_FIGURES)[]) totals[key] += run[key];
      if (run.problems.length > 0) totals.broken.push(run);
    }
    return totals;
  }
}

/** A line cut by a crash counts as not done. */
function parseRun(line: string): DoneRun[] {
  try {
    return line === '' ? [] : [JSON.parse(line) as DoneRun];
  } catch {
    return [];
  }
}

export function table({ runs, kills, early, acknowledged, messages, groups, addresses, broken }: Totals): string {
  const rows: readonly (readonly [string, number])[] = [
    ['runs', runs],
    ['processes killed', kills],
    ['  of them before a session was open', early],
    ['messages acknowledged, all found', acknowledged],
    ['messages found', messages],
    ['groups of ledgers found', groups],
    ['archived texts named, all identical', addresses],
    ['runs with a problem', broken.length],
  ];
  return `${rows.map(([name, value]) => `${name.padEnd(40)}${String(value).padStart(10)}`).join('\n')}\n`;
}

/** Every tenth kill may fall before there is anything to lose, not more: or the test would prove little. */
const MAX_EARLY_SHARE = 0.25;

/** A line for each figure that is missed. */
export function missed(totals: Totals, wanted: number): readonly string[] {
  const { runs, kills, early, acknowledged, addresses, broken } = totals;
  return [
    ...broken.map(({ seed, problems }) => `seed ${seed}: ${problems.join('; ')}`),
    ...(runs === wanted ? [] : [`${runs} runs of ${wanted} were made`]),
    ...(early <= kills * MAX_EARLY_SHARE ? [] : [`${early} of ${kills} kills came before a session was open`]),
    ...(acknowledged > 0 && addresses > 0 ? [] : ['nothing was written before the kills']),
  ];
}
