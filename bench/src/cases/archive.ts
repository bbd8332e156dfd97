/** Archives: how fast texts go in and come back, what they take on disk; and how fast a search over the session answers. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Archive, contentAddress } from '@holdover/engine';
import { fsArchive } from '@holdover/engine/archives/fs';
import { memoryArchive } from '@holdover/engine/archives/memory';
import type { Case, Row } from '../row.ts';
import { type Block, sessionMessages } from '../session.ts';
import { median, percentile, timed } from '../stats.ts';
import { SECTIONS } from '../sections.ts';

/** SHA-256 as Node has it: the archive in memory has none of its own. */
const sha256 = fsArchive('.').hash as (text: string) => string;

const ARCHIVES: Readonly<Record<string, (folder: string) => Archive>> = {
  memory: () => ({ ...memoryArchive(), hash: sha256 }),
  fs: (folder) => fsArchive(folder),
  'fs, not durable': (folder) => fsArchive(folder, { durable: false }),
};

function resultsOf(size: number): readonly string[] {
  const blocks = sessionMessages(size).flatMap(({ content }): readonly Block[] =>
    typeof content === 'string' ? [] : content,
  );
  return [...new Set(blocks.flatMap((block) => (block.type === 'tool_result' ? [block.content] : [])))];
}

/** Bytes of all files in `folder`, as long as they are. */
function bytesIn(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

/** Texts of one put, as an epoch stores them. */
const BATCH = 64;

async function measured(archive: Archive, texts: readonly string[], folder: string): Promise<Record<string, number>> {
  const megabytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / 1e6;
  const addresses = texts.map((text) => contentAddress(text, archive.hash ?? sha256));
  const ingestMs = await timed(async () => {
    for (let from = 0; from < texts.length; from += BATCH) {
      await Promise.all(texts.slice(from, from + BATCH).map((text, i) => archive.put(addresses[from + i] ?? '', text)));
    }
  });
  const gets: number[] = [];
  for (let i = 0; i < addresses.length; i += Math.max(1, Math.floor(addresses.length / 200))) {
    gets.push(await timed(() => archive.get(addresses[i] ?? '')));
  }
  const disk = bytesIn(folder);
  return {
    MB: megabytes,
    'ingest MB/s': (megabytes / ingestMs) * 1_000,
    'get p50 ms': median(gets),
    'get p95 ms': percentile(gets, 0.95),
    ...(disk === 0 ? {} : { 'disk x raw': disk / 1e6 / megabytes }),
  };
}

export const run: Case['run'] = async ({ size, subject, begin }): Promise<readonly Row[]> => {
  const make = ARCHIVES[subject];
  if (make === undefined) throw new RangeError(`no archive ${subject}; there are ${Object.keys(ARCHIVES).join(', ')}`);
  const texts = resultsOf(size);
  const folder = mkdtempSync(join(tmpdir(), 'holdover-bench-'));
  begin();
  try {
    return [{ section: SECTIONS.archive, who: subject, size, values: await measured(make(folder), texts, folder) }];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
