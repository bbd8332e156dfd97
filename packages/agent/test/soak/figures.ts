/** What a soak has to come to, and how it is shown. */
import { type Added, addedIn, besideBytes, ledgerBytes, type Tenth } from './growth.ts';
import type { RunReport } from './protocol.ts';

/** Bytes of the log for each message, beside the message itself: its frame, ledger, state and cost. However long messages are, it is the same. */
const MAX_BESIDE_BYTES = 1_000;
/** The last tenth's median of `prepare` may be so much more than the second's: the first compiles. */
const MAX_PREPARE_GROWTH = 1.5;
/** What a message adds to log and ledger in the second half of the run, against the first: twice the first's would be a square. */
const MAX_BYTES_GROWTH = 1.5;
/** A turn late in the session may take so much more of the processor than an early one, and so many milliseconds in any case. */
const MAX_SLOWDOWN = 1.5;
const SLACK_MS = 30;
/** Fewer turns than this say nothing about the growth of time. */
const MIN_TURNS = 400;
/** The same of bytes: epochs come late in a session, and seldom. */
const MIN_BYTES_TURNS = 1_000;

const name = ({ format, policy }: RunReport): string => `${format}, ${policy}`;

/** Whether `prepare` takes longer as the session grows. */
function slower({ turns, tenths }: RunReport): readonly string[] {
  const [early = 0, late = 0] = [tenths[1]?.prepareMs, tenths.at(-1)?.prepareMs];
  if (turns < MIN_TURNS || late <= early * MAX_PREPARE_GROWTH) return [];
  return [`prepare: ${late.toFixed(2)} ms in the last tenth, ${early.toFixed(2)} in the second`];
}

/** What a message adds more of as the session grows. */
function larger({ turns, tenths }: RunReport): readonly string[] {
  if (turns < MIN_BYTES_TURNS) return [];
  const sizes: Readonly<Record<string, (added: Added) => number>> = {
    'log beside the messages': besideBytes,
    ledger: ledgerBytes,
  };
  return Object.entries(sizes).flatMap(([what, size]) => {
    const [first, second] = [size(addedIn(tenths, 0, 5)), size(addedIn(tenths, 5))];
    if (second <= first * MAX_BYTES_GROWTH) return [];
    return [`${what}: ${second.toFixed(0)} bytes a message in the second half, ${first.toFixed(0)} in the first`];
  });
}

/** A line for each figure that is missed. */
export function missed(report: RunReport): readonly string[] {
  const { failures, orphans, handlesLeft, memoryShare, memoryLimitMb, tenths, turnMsFirst, turnMsLast, turns } = report;
  const beside = besideBytes(addedIn(tenths));
  const limitMs = turnMsFirst * MAX_SLOWDOWN + SLACK_MS;
  const lines = [
    ...(failures.length === 0 ? [] : [`${failures.length} failures, the first: ${failures[0]?.split('\n')[0]}`]),
    ...(orphans === 0 ? [] : [`${orphans} processes left running`]),
    ...(handlesLeft.length === 0 ? [] : [`handles left open: ${handlesLeft.join(', ')}`]),
    ...(memoryShare <= 1
      ? []
      : [`memory: ${(memoryShare * memoryLimitMb).toFixed(0)} MB, at most ${memoryLimitMb.toFixed(0)} MB`]),
    ...(beside <= MAX_BESIDE_BYTES
      ? []
      : [`log: ${beside.toFixed(0)} bytes beside each message, at most ${MAX_BESIDE_BYTES}`]),
    ...slower(report),
    ...larger(report),
    ...(turns < MIN_TURNS || turnMsLast <= limitMs
      ? []
      : [`time: ${turnMsLast.toFixed(0)} ms a turn in the last quarter, at most ${limitMs.toFixed(0)} ms`]),
  ];
  return lines.map((line) => `${name(report)}: ${line}`);
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
  [
    'log bytes a message byte',
    ({ tenths }) => {
      const { logBytes, messageBytes } = addedIn(tenths);
      return (logBytes / Math.max(1, messageBytes)).toFixed(2);
    },
  ],
  [
    'processor ms a turn, first and last quarter',
    ({ turnMsFirst, turnMsLast }) =>
      `${turnMsFirst.toFixed(0)}, ${turnMsLast.toFixed(0)} (ratio ${(turnMsLast / turnMsFirst).toFixed(2)})`,
  ],
];

const TENTH_COLUMNS: Readonly<Record<string, (tenth: Tenth) => string>> = {
  'prepare ms': ({ prepareMs }) => prepareMs.toFixed(3),
  prepares: ({ prepares }) => String(prepares),
  'messages so far': ({ historyMessages }) => String(historyMessages),
  'message bytes': ({ messageBytes, messages }) => (messageBytes / Math.max(1, messages)).toFixed(0),
  'log beside': (tenth) => besideBytes(tenth).toFixed(0),
  ledger: (tenth) => ledgerBytes(tenth).toFixed(0),
  'rss MB': ({ rssMb }) => (rssMb === 0 ? '' : rssMb.toFixed(0)),
};

/** Medians of `prepare`, and bytes a message, by tenths of the run. */
function tenthsTable(report: RunReport): readonly string[] {
  const names = Object.keys(TENTH_COLUMNS);
  const cells = (values: readonly string[]): string =>
    values.map((value, index) => value.padStart((names[index]?.length ?? 0) + 2)).join('');
  return [
    `${name(report)}, by tenths; bytes are those of a message`,
    cells(names),
    ...report.tenths.map((tenth) => cells(Object.values(TENTH_COLUMNS).map((cell) => cell(tenth)))),
  ];
}

const NAME_CHARS = 46;
const CELL_CHARS = 34;

export function table(reports: readonly RunReport[]): string {
  const line = (name: string, cells: readonly string[]): string =>
    `${name.padEnd(NAME_CHARS)}${cells.map((cell) => cell.padEnd(CELL_CHARS)).join('')}`.trimEnd();
  return [
    line('', reports.map(name)),
    ...ROWS.map(([name, cell]) => line(name, reports.map(cell))),
    ...reports.flatMap(tenthsTable),
    ...reports.map((report) => `expected errors of ${name(report)}: ${listed(report.expected)}`),
    ...reports.map((report) => `faults of ${name(report)}: ${listed(report.faults)}`),
    '',
  ].join('\n');
}
