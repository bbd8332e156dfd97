/** Exports a session for people (Markdown) and for programs (JSON). Reads any file, also damaged, newer and foreign ones, and changes none. */
import { AgentError } from '../../errors.ts';
import { loadSession } from '../read-log.ts';
import { sessionPath } from '../sessions.ts';
import { workspaceArchive } from '../workspace-archive.ts';
import { exportJson } from './json.ts';
import { exportMarkdown } from './markdown.ts';
import { outlineOf } from './outline.ts';

export interface ExportOptions {
  readonly format: 'markdown' | 'json';
  /** Takes secrets out of one text. */
  readonly redact: (text: string) => string;
}

/** Rejects with `session_not_found` and, for a file without a header, `session_unreadable`. */
export async function exportSession(root: string, id: string, { format, redact }: ExportOptions): Promise<string> {
  const path = sessionPath(root, id);
  const loaded = await loadSession(path, { mayBeForeign: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new AgentError('session_not_found', `there is no session ${id} in ${root} to export`, { cause: error });
  });
  const outline = await outlineOf(id, loaded, { archive: workspaceArchive(root), redact });
  return format === 'json' ? exportJson(outline) : exportMarkdown(outline);
}
