/** `holdover verify`: proves a session from its log and archive. */
import { failureLine, listSessions, locateSession, type VerifyReport, verifySession } from '@holdover/agent';
import { CliError } from '../errors.ts';
import { sanitise } from '../interactive/text/sanitise.ts';

export interface VerifyCommandOptions {
  readonly folder: string;
  /** An id, or the path of a log. @default the newest of the folder */
  readonly session: string | undefined;
  readonly json: boolean;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Lines of failures that are shown; the rest are counted. */
const MAX_LINES = 40;

const format = new Intl.NumberFormat('en-US');

function n(value: number): string {
  return format.format(value);
}

function summary(report: VerifyReport): string {
  const { turns, sealedTurns, epochs, entries, addresses, recoveredBytes, churnTokens, rewrittenTokens } = report;
  const all = entries.verbatim + entries.covered + entries.replaced;
  return [
    `session     ${sanitise(report.sessionId)}, ${report.format}`,
    `requests    ${n(turns)} built up again, ${n(sealedTurns)} held against the seal of what was sent`,
    `prefix      ${n(churnTokens)} tokens written again between epochs; ${n(rewrittenTokens)} at ${n(epochs)} epochs`,
    `coverage    ${n(all)} messages: ${n(entries.verbatim)} verbatim, ${n(entries.covered)} covered by a range, ${n(entries.replaced)} replaced in part`,
    `redeemed    ${n(addresses)} addresses, ${n(recoveredBytes)} bytes`,
    '',
  ].join('\n');
}

/** Resolves to the exit status: 0 where all of it holds, 1 otherwise. */
export async function verify({ folder, session, json, out, err }: VerifyCommandOptions): Promise<number> {
  const [named] = session === undefined ? await listSessions(folder) : [session];
  if (named === undefined) throw new CliError('bad_usage', `there is no session in ${folder} to verify`);
  const { path, root } = locateSession(folder, named);
  const report = await verifySession({ path, root });
  const { failures } = report;
  if (json) out(`${JSON.stringify(report, null, 2)}\n`);
  else out(summary(report));
  for (const failure of failures.slice(0, MAX_LINES)) err(`FAILED: ${sanitise(failureLine(failure))}\n`);
  if (failures.length > MAX_LINES) err(`FAILED: and ${n(failures.length - MAX_LINES)} more; --json has all of them\n`);
  return failures.length === 0 ? 0 : 1;
}
