/** `holdover export`: a session of this folder as Markdown or JSON on standard output, secrets taken out. */
import { exportSession, listSessions } from '@holdover/agent';
import { redactSecrets } from '@holdover/engine';
import { CliError } from '../errors.ts';

export interface ExportCommandOptions {
  readonly folder: string;
  /** @default the newest */
  readonly id: string | undefined;
  readonly format: string;
  readonly out: (text: string) => void;
}

const FORMATS: Readonly<Record<string, 'markdown' | 'json'>> = { md: 'markdown', markdown: 'markdown', json: 'json' };

export async function exportCommand({ folder, id, format, out }: ExportCommandOptions): Promise<void> {
  const known = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  if (known === undefined)
    throw new CliError('bad_usage', `--format is ${JSON.stringify(format)}; allowed: md or json`);
  const [newest] = id === undefined ? await listSessions(folder) : [id];
  if (newest === undefined) throw new CliError('bad_usage', `there is no session in ${folder} to export`);
  const text = await exportSession(folder, newest, { format: known, redact: (part) => redactSecrets(part).text });
  out(text.endsWith('\n') ? text : `${text}\n`);
}
