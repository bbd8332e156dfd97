/** Sessions of a folder with what a list needs: title, time, size. */
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { listSessions, SESSIONS_FOLDER } from '@holdover/agent';
import type { SessionSummary } from './session-port.ts';

/** The first user message stands near the top of a log; no list reads whole logs. */
const PROBE_BYTES = 65_536;

async function startOf(path: string): Promise<string> {
  const handle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(PROBE_BYTES) });
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

function textIn(content: unknown): string | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  const texts = content.map((part: { readonly text?: unknown }) => part?.text);
  return texts.find((text): text is string => typeof text === 'string');
}

/** The first words of the user's in the log, undefined where the probe has none. */
function titleIn(text: string): string | undefined {
  for (const line of text.split('\n')) {
    try {
      const record = JSON.parse(line) as { readonly type?: string; readonly message?: Record<string, unknown> };
      if (record.type === 'message' && record.message?.['role'] === 'user') return textIn(record.message['content']);
    } catch {
      // The probe ends in the middle of a line.
    }
  }
  return undefined;
}

export async function describeLogs(root: string): Promise<readonly SessionSummary[]> {
  const ids = await listSessions(root);
  return Promise.all(
    ids.map(async (id) => {
      const path = join(root, SESSIONS_FOLDER, `${id}.jsonl`);
      const [{ size, mtimeMs }, start] = await Promise.all([stat(path), startOf(path)]);
      const messages = start.split('\n').filter((line) => line.includes('"type":"message"')).length;
      return {
        id,
        title: titleIn(start) ?? '(no message yet)',
        usedAtMs: mtimeMs,
        messages,
        bytes: size,
        isOpen: false,
      };
    }),
  );
}
