/** Archives: how fast texts go in and come back, what they take on disk; and how fast a search over the session answers. */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Archive, contentAddress } from '@holdover/engine';
import { fsArchive } from '@holdover/engine/archives/fs';
import { memoryArchive } from '@holdover/engine/archives/memory';
import { type SqliteArchive, sqliteArchive } from '@holdover/engine/archives/sqlite';
import Database from 'libsql';
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
  'fs, as it is': (folder) => fsArchive(folder, { compressFromBytes: Number.POSITIVE_INFINITY }),
  sqlite: (folder) => sqliteArchive(new Database(join(folder, 'archive.db'))),
};

const NAME = /[\w./-]*[\w-]+\.[a-z]{1,4}\b|\b[a-z]+[A-Z]\w+/g;
const WORD = /\b[a-z]{5,}\b/g;

/** What texts in even steps hold: a name, or three words. */
function queriesFor(texts: readonly string[]): readonly string[] {
  const step = Math.max(1, Math.floor(texts.length / 200));
  return texts
    .filter((_, index) => index % step === 0)
    .flatMap((text, index) => {
      const found = [...text.matchAll(index % 2 === 0 ? NAME : WORD)].map(([match]) => match);
      const at = Math.floor(found.length / 2);
      const query = found.slice(at, at + (index % 2 === 0 ? 1 : 3)).join(' ');
      return query === '' ? [] : [query];
    });
}

/** The first search takes in what waits for the index: told apart. */
async function searched(
  { search }: Pick<SqliteArchive, 'search'>,
  texts: readonly string[],
): Promise<Record<string, number>> {
  const firstMs = await timed(() => search('nothing of the kind'));
  const times: number[] = [];
  let hits = 0;
  for (const query of queriesFor(texts)) {
    times.push(
      await timed(async () => {
        if ((await search(query)).length > 0) hits += 1;
      }),
    );
  }
  return {
    'first search ms': firstMs,
    'search p50 ms': median(times),
    'search p95 ms': percentile(times, 0.95),
    'found %': (100 * hits) / times.length,
  };
}

function resultsOf(size: number): readonly string[] {
  const blocks = sessionMessages(size).flatMap(({ content }): readonly Block[] =>
    typeof content === 'string' ? [] : content,
  );
  return [...new Set(blocks.flatMap((block) => (block.type === 'tool_result' ? [block.content] : [])))];
}

/** Bytes of all files in `folder`, as long as they are. */
function bytesIn(folder: string): number {
  const database = join(folder, 'archive.db');
  // Without its log, which is as long as the last writes were.
  if (existsSync(database)) new Database(database).exec('PRAGMA wal_checkpoint(TRUNCATE)');
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
  const isSearched = 'search' in archive;
  const found = isSearched ? await searched({ search: (archive as SqliteArchive).search.bind(archive) }, texts) : {};
  const disk = bytesIn(folder);
  return {
    MB: megabytes,
    'ingest MB/s': (megabytes / ingestMs) * 1_000,
    'get p50 ms': median(gets),
    'get p95 ms': percentile(gets, 0.95),
    ...(disk === 0 ? {} : { 'disk x raw': disk / 1e6 / megabytes }),
    ...found,
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
