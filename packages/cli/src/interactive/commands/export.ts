/** `/export [md|json] [file]`: the session as a file, secrets redacted. */
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { sanitiseLine } from '../text/sanitise.ts';
import type { SlashCommand } from './command.ts';

const FORMATS = { md: 'markdown', json: 'json' } as const;

export const exportCommand: SlashCommand = {
  name: 'export',
  args: '[md|json] [file]',
  about: 'write this session to a file',
  isReadOnly: true,
  async run(args, { session, folder, say }) {
    const [, format = 'md', name = ''] = /^(?:(md|json)(?=\s|$))?\s*(.*)$/.exec(args) ?? [];
    const text = await session.export(FORMATS[format as keyof typeof FORMATS]);
    const path = resolve(folder, name === '' ? `holdover-${session.sessionId}.${format}` : name);
    try {
      await writeFile(path, text, { flag: 'wx', mode: 0o600 });
      say([`Written to ${sanitiseLine(path)}`]);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      say([`${sanitiseLine(path)} is there already and was left as it is; name another file.`]);
    }
  },
};
