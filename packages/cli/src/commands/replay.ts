/** `holdover replay`: a recorded session under other policies, one line for each. */
import { readFile } from 'node:fs/promises';
import type { CachePrices } from '@holdover/engine';
import {
  type Availability,
  billedThen,
  type Figures,
  floorOf,
  LabError,
  measure,
  type MeasuredSession,
  policyOf,
  pricesFrom,
  pricesOf,
  PROBE_KINDS,
  readSession,
  replay,
} from '@holdover/lab';
import { CliError } from '../errors.ts';
import { sanitise } from '../interactive/text/sanitise.ts';

export interface ReplayCommandOptions {
  /** A session file. */
  readonly file: string;
  readonly policies: readonly string[];
  /** A name, the id of a model, or a JSON file. */
  readonly prices: string;
  readonly windowTokens: number;
  /** Asks too what is kept over compactions. */
  readonly probes: boolean;
  readonly json: boolean;
  readonly out: (text: string) => void;
}

/** What append-only comes to is what everything is compared with. */
const BASE = 'append-only';

function thousands(tokens: number): string {
  return `${Math.round(tokens / 1_000)}k`;
}

function millions(tokens: number): string {
  return `${(tokens / 1_000_000).toFixed(3)}M`;
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '-' : ((100 * part) / whole).toFixed(1);
}

function pair({ found, inView, byRecall }: Availability): string {
  return `${percent(inView, found)} / ${percent(byRecall, found)}`;
}

type Column = readonly [title: string, cell: (figures: Figures, base: Figures | undefined) => string];

const COLUMNS: readonly Column[] = [
  ['policy', ({ policy }) => policy],
  ['bill', ({ bill }) => millions(bill)],
  ['penalty', ({ penalty }) => millions(penalty)],
  ['score', ({ score }) => millions(score)],
  ['vs append', ({ score }, base) => (base === undefined ? '-' : `${percent(score - base.score, base.score)}%`)],
  ['peak', ({ peakTokens }) => thousands(peakTokens)],
  ['mean', ({ meanTokens }) => thousands(meanTokens)],
  ['edit lines %', ({ availability }) => pair(availability['edit-line'])],
  ['identifiers %', ({ availability }) => pair(availability.identifier)],
  ['refetch', ({ refetchSteps, steps }) => `${refetchSteps}/${steps}`],
  ['epochs', ({ epochs }) => String(epochs)],
  ['breaks', ({ breaks }) => String(breaks)],
  ['hits %', ({ hitRatio }) => percent(hitRatio, 1)],
];

function table(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  const padded = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return lines.map((line) => `${line.map(padded).join('  ')}\n`).join('');
}

function figuresTable(rows: readonly Figures[]): string {
  const base = rows.find(({ policy }) => policy === BASE);
  return table([
    COLUMNS.map(([title]) => title),
    ...rows.map((figures) => COLUMNS.map(([, cell]) => cell(figures, base))),
  ]);
}

/** One line for each policy and checkpoint. */
function probesTable(rows: readonly Figures[]): string {
  const lines = rows.flatMap(({ policy, probes }) =>
    probes.map(({ compactions, kinds }) => [
      `${policy} after ${compactions}`,
      ...PROBE_KINDS.map((kind) => `${pair(kinds[kind])} (${kinds[kind].found})`),
    ]),
  );
  return lines.length === 0 ? '' : `\n${table([['kept %', ...PROBE_KINDS], ...lines])}`;
}

function headLines(measured: MeasuredSession, prices: CachePrices): string {
  const { session, calibration } = measured;
  const billed = billedThen(measured, prices);
  const { calls, messages, compactions, problems, format } = session;
  const { factor, headTokens, pairs } = calibration;
  const from = pairs === 0 ? 'the default, since the log has no usage' : `measured over ${pairs} pairs of calls`;
  const skipped = problems.map(({ line, what }) => `line ${line} skipped: ${sanitise(what)}\n`).join('');
  return (
    `${format}: ${calls.length} calls, ${messages.length} messages, ${compactions.length} compactions then (not applied)\n` +
    `calibration: ${factor.toFixed(3)} of the provider's tokens a counted one, ${from}; system and tools ${headTokens} tokens\n` +
    `billed then ${billed === undefined ? 'unknown' : millions(billed)}, floor ${millions(floorOf(measured, prices))}, in input-token equivalents\n${skipped}`
  );
}

async function priceList(name: string): Promise<CachePrices> {
  if (!name.endsWith('.json')) return pricesOf(name);
  const text = await readFile(name, 'utf8');
  try {
    return pricesFrom(JSON.parse(text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CliError('bad_usage', `--prices: ${name} is not JSON: ${error.message}`, { cause: error });
  }
}

/** Prints once every policy is done. */
export async function replayCommand(options: ReplayCommandOptions): Promise<void> {
  try {
    await replayAll(options);
  } catch (error) {
    throw error instanceof LabError ? new CliError('bad_usage', error.message, { cause: error }) : error;
  }
}

async function replayAll(options: ReplayCommandOptions): Promise<void> {
  const { file, policies, prices, windowTokens, probes, json, out } = options;
  const contestants = policies.map(policyOf);
  const list = await priceList(prices);
  const measured = measure(await readSession(file));
  if (!json) out(headLines(measured, list));
  const rows: Figures[] = [];
  for (const contestant of contestants)
    rows.push(await replay(measured, contestant, { prices: list, windowTokens, probes }));
  const { format, problems, calls } = measured.session;
  if (json) {
    const { calibration } = measured;
    out(`${JSON.stringify({ format, calls: calls.length, problems, calibration, prices: list, rows }, null, 2)}\n`);
  } else out(figuresTable(rows) + probesTable(rows));
}
