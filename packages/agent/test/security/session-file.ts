/** Session files as somebody else could write them. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const SESSION_ID = '20261101-000000-0000abcd';

const HEADER = {
  type: 'session',
  sessionId: SESSION_ID,
  createdAt: '2026-11-01T00:00:00.000Z',
  provider: 'anthropic',
  model: 'sim-1',
};

export function userMessage(text: string): object {
  return { type: 'message', message: { role: 'user', content: [{ type: 'text', text }] } };
}

export function modelMessage(...content: readonly object[]): object {
  return { type: 'message', message: { role: 'assistant', content } };
}

/** A header, one exchange, and the records given. */
export function sessionLines(...records: readonly object[]): string {
  const exchange = [userMessage('hello'), modelMessage({ type: 'text', text: 'hi' })];
  return [HEADER, ...exchange, ...records]
    .map((record, index) =>
      JSON.stringify({ v: 1, id: `r${index + 1}`, parent: index === 0 ? null : `r${index}`, ...record }),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** Writes the file owner-only, as an archive that keeps modes would unpack it; gives its path. */
export function fileOfSession(folder: string, text: string): string {
  const path = join(folder, '.holdover', 'sessions', `${SESSION_ID}.jsonl`);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, text);
  chmodSync(path, 0o600);
  return path;
}
