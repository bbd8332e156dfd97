/** Names of MCP tools as a provider takes them: `mcp__<server>__<tool>` of letters, digits, `_` and `-`, at most 64 characters. */
import { createHash } from 'node:crypto';

export interface ToolOrigin {
  readonly server: string;
  readonly tool: string;
}

/** The narrower of the limits of the two wire formats. */
const MAX_NAME_CHARS = 64;
const MARK_CHARS = 6;

/** One name for each, all different. The order decides who keeps the plain name; a name that is too long or taken ends in a mark made from both names. */
export function toolNames(origins: readonly ToolOrigin[]): readonly string[] {
  const taken = new Set<string>();
  return origins.map((origin) => {
    const plain = `mcp__${cleaned(origin.server)}__${cleaned(origin.tool)}`;
    let name = plain.length <= MAX_NAME_CHARS && !taken.has(plain) ? plain : marked(plain, origin, 0);
    for (let attempt = 1; taken.has(name); attempt += 1) name = marked(plain, origin, attempt);
    taken.add(name);
    return name;
  });
}

function cleaned(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]+/g, '_');
}

function marked(plain: string, { server, tool }: ToolOrigin, attempt: number): string {
  const mark = createHash('sha256')
    .update(JSON.stringify([server, tool, attempt]))
    .digest('hex')
    .slice(0, MARK_CHARS);
  return `${plain.slice(0, MAX_NAME_CHARS - MARK_CHARS - 1)}_${mark}`;
}
