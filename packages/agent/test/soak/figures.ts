/** What a soak has to come to, and how it is shown. */
import type { RunReport } from './protocol.ts';

/** Bytes of the log for each byte of the messages in it: ledger, state and cost stand beside them. */
const MAX_LOG_RATIO = 2;
/** A turn late in the session may take so much more of the processor than an early one, and so many milliseconds in any case. */
const MAX_SLOWDOWN = 1.5;
const SLACK_MS = 30;
/** Fewer turns than this say nothing about growth. */
const MIN_TURNS = 400;

/** A line for each figure that is missed. */
export function missed(report: RunReport): readonly string[] {
  const {
    format,
    failures,
    orphans,
    handlesLeft,
    memoryShare,
    memoryLimitMb,
    logRatio,
    turnMsFirst,
    turnMsLast,
    turns,
  } = report;
  const limitMs = turnMsFirst * MAX_SLOWDOWN + SLACK_MS;
  const lines = [
    ...(failures.length === 0 ? [] : [`${failures.length} failures, the first: ${failures[0]}`]),
    ...(orphans === 0 ? [] : [`${orphans} processes left running`]),
    ...(handlesLeft.length === 0 ? [] : [`handles left open: ${handlesLeft.join(', ')}`]),
    ...(memoryShare <= 1
      ? []
      : [`memory: ${(memoryShare * memoryLimitMb).toFixed(0)} MB, at most ${memoryLimitMb.toFixed(0)} MB`]),
    ...(logRatio <= MAX_LOG_RATIO
      ? []
      : [`log: ${logRatio.toFixed(2)} bytes a byte of message, at most ${MAX_LOG_RATIO}`]),
    ...(turns < MIN_TURNS || turnMsLast <= limitMs
      ? []
      : [`time: ${turnMsLast.toFixed(0)} ms a turn in the last quarter, at most ${limitMs.toFixed(0)} ms`]),
  ];
  return lines.map((line) => `${format}: ${line}`);
}

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');

type Row = readonly [string, (report: RunReport) => string];

const ROWS: readonly Row[] = [
  ['turns', ({ turns, seconds }) => `${turns} in ${seconds.toFixed(0)} s`],
  ['requests', ({ requests, faults }) => `${requests}, ${sum(faults)} with a fault`],
  ['real overflows', ({ overflows }) => String(overflows)],
  ['tasks', ({ counts }) => String(counts['tool task'] ?? 0)],
  ['summaries', ({ counts }) => String(counts['event context summary-end'] ?? 0)],
  ['expected errors', ({ expected }) => String(sum(expected))],
  ['failures', ({ failures }) => String(failures.length)],
  ['addresses redeemed', ({ addressesChecked }) => String(addressesChecked)],
  ['requests proved by the logs', ({ provedTurns }) => String(provedTurns)],
  ['files compared', ({ filesChecked }) => String(filesChecked)],
  ['processes left', ({ orphans }) => String(orphans)],
  ['handles left', ({ handlesLeft }) => (handlesLeft.length === 0 ? '0' : handlesLeft.join(', '))],
  ['history', ({ historyMb, historyMessages }) => `${historyMessages} messages, ${historyMb.toFixed(1)} MB`],
  ['peak rss', ({ peakRssMb, baseRssMb }) => `${peakRssMb.toFixed(0)} MB (${baseRssMb.toFixed(0)} at the start)`],
  ['peak heap', ({ peakHeapMb }) => `${peakHeapMb.toFixed(0)} MB`],
  [
    'share of the memory limit',
    ({ memoryShare, memoryLimitMb }) => `${(memoryShare * 100).toFixed(0)} % of ${memoryLimitMb.toFixed(0)} MB`,
  ],
  ['log bytes a message byte', ({ logRatio }) => logRatio.toFixed(2)],
  [
    'processor ms a turn, first and last quarter',
    ({ turnMsFirst, turnMsLast }) =>
      `${turnMsFirst.toFixed(0)}, ${turnMsLast.toFixed(0)} (ratio ${(turnMsLast / turnMsFirst).toFixed(2)})`,
  ],
];

const NAME_CHARS = 46;
const CELL_CHARS = 34;

export function table(reports: readonly RunReport[]): string {
  const line = (name: string, cells: readonly string[]): string =>
    `${name.padEnd(NAME_CHARS)}${cells.map((cell) => cell.padEnd(CELL_CHARS)).join('')}`.trimEnd();
  return [
    line(
      '',
      reports.map(({ format }) => format),
    ),
    ...ROWS.map(([name, cell]) => line(name, reports.map(cell))),
    ...reports.map(({ format, expected }) => `expected errors of ${format}: ${listed(expected)}`),
    ...reports.map(({ format, faults }) => `faults of ${format}: ${listed(faults)}`),
    '',
  ].join('\n');
}
