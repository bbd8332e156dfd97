/** A session file of any known agent, told apart by its records. */
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { LabError } from '../errors.ts';
import { readClaudeCode } from './claude-code.ts';
import { readHoldover } from './holdover.ts';
import { isObject } from './json.ts';
import { type JsonLine, readJsonLines } from './json-lines.ts';
import { readPi } from './pi.ts';
import type { RecordedSession } from './recorded.ts';

function isPi({ record }: JsonLine): boolean {
  const { type, uuid, v } = record;
  if (uuid !== undefined || v !== undefined) return false;
  return (
    (type === 'session' && typeof record['id'] === 'string') || (type === 'message' && isObject(record['message']))
  );
}

function isClaudeCode({ record }: JsonLine): boolean {
  return typeof record['uuid'] === 'string' && record['parentUuid'] !== undefined;
}

function isHoldover({ record }: JsonLine): boolean {
  return typeof record['v'] === 'number' && typeof record['id'] === 'string' && record['parent'] !== undefined;
}

/** Throws `unreadable_session` where no line is a record of a known agent. */
export function parseSession(text: string): RecordedSession {
  const read = readJsonLines(text);
  if (read.lines.some(isHoldover)) return readHoldover(read);
  if (read.lines.some(isClaudeCode)) return readClaudeCode(read);
  if (read.lines.some(isPi)) return readPi(read);
  throw new LabError(
    'unreadable_session',
    `none of ${read.lines.length} records is of a known agent; give a session file of pi (~/.pi/agent/sessions), Claude Code (~/.claude/projects) or Holdover (.holdover/sessions)`,
  );
}

/** A file, packed by gzip too where its name ends so. Rejects with `unreadable_session`, or with the file system's error. */
export async function readSession(path: string): Promise<RecordedSession> {
  const bytes = await readFile(path);
  return parseSession((path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'));
}
