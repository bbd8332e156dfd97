/** `holdover archive`: what the folder's archive holds, and letting go of what no session speaks of. */
import { type Amount, pruneArchive, type PruneReport, workspaceArchive } from '@holdover/agent';
import { CliError } from '../errors.ts';

export interface ArchiveCommandOptions {
  readonly folder: string;
  readonly json: boolean;
  readonly out: (text: string) => void;
}

export interface ArchivePruneOptions extends ArchiveCommandOptions {
  /** As typed: a number and `d` or `h`. @default none */
  readonly olderThan: string | undefined;
  readonly isDryRun: boolean;
}

const UNIT_MS = { d: 86_400_000, h: 3_600_000 } as const;
const AGE = /^(\d{1,5})([dh])$/;

function ageMs(text: string): number {
  const [, count, unit] = AGE.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  throw new CliError(
    'bad_usage',
    `--older-than is ${JSON.stringify(text)}; allowed: days or hours, such as 30d or 12h`,
  );
}

const format = new Intl.NumberFormat('en-US');

function inWords({ texts, bytes }: Amount): string {
  return `${format.format(texts)} ${texts === 1 ? 'text' : 'texts'}, ${format.format(bytes)} bytes`;
}

async function look({
  folder,
  olderThan,
  isDryRun,
}: Pick<ArchivePruneOptions, 'folder' | 'olderThan' | 'isDryRun'>): Promise<PruneReport> {
  const age = olderThan === undefined ? {} : { olderThanMs: ageMs(olderThan) };
  const archive = workspaceArchive(folder);
  try {
    return await pruneArchive(folder, archive, { ...age, isDryRun });
  } finally {
    await archive.close();
  }
}

/** Says what the archive of the folder holds, and what `prune` would remove. Changes nothing. */
export async function archiveStats({ folder, json, out }: ArchiveCommandOptions): Promise<void> {
  const report = await look({ folder, olderThan: undefined, isDryRun: true });
  const { kept, removed, keptSessions, liveSessions } = report;
  const all = { texts: kept.texts + removed.texts, bytes: kept.bytes + removed.bytes };
  if (json) {
    out(`${JSON.stringify({ ...all, sessions: keptSessions, liveSessions, unused: removed }, null, 2)}\n`);
    return;
  }
  out(
    [
      `archive     ${inWords(all)}`,
      `sessions    ${format.format(keptSessions)}, ${format.format(liveSessions)} of them open now`,
      `unused      ${inWords(removed)}, in no session; holdover archive prune removes them`,
      '',
    ].join('\n'),
  );
}

/** Removes what no session of the folder speaks of, and what only old ones do. */
export async function archivePrune(options: ArchivePruneOptions): Promise<void> {
  const report = await look(options);
  if (options.json) {
    options.out(`${JSON.stringify(report, null, 2)}\n`);
    return;
  }
  const { kept, removed, oldSessions } = report;
  const old = oldSessions === 0 ? '' : `, ${format.format(oldSessions)} sessions counted as old`;
  const done = options.isDryRun ? 'would go    ' : 'removed     ';
  options.out(`${done}${inWords(removed)}${old}\nkept        ${inWords(kept)}\n`);
}
