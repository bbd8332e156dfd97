/** Full-text search: by text, path, tool, session and time, whatever is asked and however it is written. */
import fc from 'fast-check';
import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import { type ArchiveFilters, type SqliteArchive, sqliteArchive } from '../../src/archives/sqlite.ts';
import { contentAddress, type TextAbout } from '../../src/core/archive.ts';
import { sha256Hex } from '../../src/core/sha256.ts';
import { anyText } from './any-text.ts';

const addressOf = (text: string): string => contentAddress(text, sha256Hex);

const TEXTS = {
  sentence: 'The change belongs in src/core/plan.ts. Then run it again.',
  alone: 'See plan.ts, and also `weigh.ts`; (nothing else).',
  other: 'src/hub/plans.ts is another file, and so is replan.ts!',
  failure: 'TypeError: planStep is not a function\n    at draftTurn (/home/me/app/src/hub/draft.ts:12:3)',
  hash: 'commit 3f2a9b7c81d04e55, deployed as release-2.14.0-rc.1 to db-primary-3.internal.example',
  umlaut: 'Die Prüfung schlug fehl: Größe überschritten.',
  content: 'export const answer = 42;',
  nul: `a\0b separated\ud800words\0`,
} as const;

const ABOUT: Partial<Record<keyof typeof TEXTS, TextAbout>> = {
  failure: { tool: 'bash', session: 's1', atMs: 1_000 },
  content: { tool: 'read_file', path: './lib/deep/answers.ts', session: 's2', atMs: 2_000 },
  hash: { tool: 'bash', session: 's2', atMs: 3_000 },
};

async function filled(): Promise<SqliteArchive> {
  const archive = sqliteArchive(new Database(':memory:'));
  for (const [name, text] of Object.entries(TEXTS))
    await archive.put(addressOf(text), text, ABOUT[name as keyof typeof TEXTS]);
  return archive;
}

const NAMES = new Map(Object.entries(TEXTS).map(([name, text]) => [addressOf(text), name]));

async function found(query: string, filters?: ArchiveFilters): Promise<readonly string[]> {
  const hits = await (await filled()).search(query, filters);
  return hits.map(({ address }) => NAMES.get(address) ?? '?').toSorted();
}

describe('search of a SQLite archive', () => {
  it.each([
    ['plan.ts', ['alone', 'sentence']],
    ['plan.ts.', ['alone', 'sentence']],
    ['core/plan.ts', ['sentence']],
    ['src/core/plan.ts', ['sentence']],
    ['./src/core/plan.ts', ['sentence']],
    ['SRC/Core/Plan.ts', ['sentence']],
    ['src/core/plan.ts:14', ['sentence']],
    ['"src/core/plan.ts"', ['sentence']],
    ['weigh.ts', ['alone']],
    ['replan.ts', ['other']],
    ['hub/plans.ts', ['other']],
    ['planStep', ['failure']],
    ['draft.ts', ['failure']],
    ['app/src/hub/draft.ts', ['failure']],
    ['3f2a9b7c81d04e55', ['hash']],
    ['release-2.14.0-rc.1', ['hash']],
    ['db-primary-3.internal.example', ['hash']],
    ['prufung', ['umlaut']],
    ['größe', ['umlaut']],
    ['answers.ts', ['content']],
    ['deep/answers.ts', ['content']],
    ['answer', ['content']],
    ['separated', ['nul']],
    ['words', ['nul']],
    ['no such thing anywhere-at-all', []],
  ])('finds %j', async (query, names) => {
    expect(await found(query)).toEqual(names);
  });

  it('wants all words, and takes any where no text has all', async () => {
    expect(await found('change run again')).toEqual(['sentence']);
    expect(await found('change Prüfung')).toEqual(['sentence', 'umlaut']);
  });

  it.each<[ArchiveFilters, readonly string[]]>([
    [{ tool: 'bash' }, ['failure', 'hash']],
    [{ session: 's2' }, ['content', 'hash']],
    [{ sinceMs: 2_000, untilMs: 3_000 }, ['content']],
    [{ untilMs: 2_000 }, ['failure']],
    [{ path: 'answers.ts' }, ['content']],
    [{ path: 'lib/deep/answers.ts' }, ['content']],
    [{ path: 'deep/./answers.ts' }, ['content']],
    [{ path: 'swers.ts' }, []],
    [{ path: '%' }, []],
    [{ path: '_nswers.ts' }, []],
    [{ tool: "bash' OR 1=1 --" }, []],
  ])('narrows by %j, with words and without', async (filters, names) => {
    expect(await found('', filters)).toEqual(names);
    for (const name of names)
      expect(await found(TEXTS[name as keyof typeof TEXTS].slice(0, 12), filters)).toContain(name);
  });

  it('tells where a text came from, and shows the stretch with the words', async () => {
    const archive = sqliteArchive(new Database(':memory:'));
    const text = `${'nothing here\n'.repeat(500)}the needle\nand the thread\n${'nothing here\n'.repeat(500)}`;
    await archive.put(addressOf(text), text, { tool: 'bash', path: 'a.log', session: 's', atMs: 5 });
    const [hit] = await archive.search('needle thread', { snippetChars: 200 });
    expect(hit).toMatchObject({
      address: addressOf(text),
      chars: text.length,
      tool: 'bash',
      path: 'a.log',
      session: 's',
      atMs: 5,
    });
    expect(hit?.snippet).toContain('the needle\nand the thread');
    expect(hit?.snippet.length).toBeLessThanOrEqual(200);
  });

  it('finds a text by every file it was about, and by the newest use that fits', async () => {
    const archive = await filled();
    await archive.search('anything');
    const text = TEXTS.content;
    await archive.put(addressOf(text), text, { tool: 'bash', path: 'copy/of-it.ts', session: 's3', atMs: 9_000 });
    expect(await archive.search('copy/of-it.ts')).toMatchObject([{ address: addressOf(text), session: 's3' }]);
    expect(await archive.search('answers.ts', { tool: 'read_file' })).toMatchObject([{ session: 's2', atMs: 2_000 }]);
  });

  it('finds what another archive over the same file stored', async () => {
    const database = new Database(':memory:');
    const [one, other] = [sqliteArchive(database), sqliteArchive(database)];
    await one.put(addressOf('stored elsewhere'), 'stored elsewhere');
    expect(await other.search('elsewhere')).toHaveLength(1);
  });

  it('finds nothing that was removed', async () => {
    const archive = await filled();
    expect(await archive.search('planStep')).toHaveLength(1);
    await archive.remove(addressOf(TEXTS.failure), { usedBeforeMs: Number.MAX_SAFE_INTEGER });
    expect(await archive.search('planStep')).toEqual([]);
    expect(await archive.search('', { session: 's1' })).toEqual([]);
  });

  it.each([
    'a AND',
    'NOT',
    'OR OR',
    '"',
    '""',
    '"unbalanced',
    'text : x',
    'names:plan.ts',
    'NEAR(a b)',
    'a*',
    '^a',
    '(',
    ')',
    '{text} : a',
    "'; DROP TABLE texts; --",
    '-a',
    '+',
    'a + b',
    '\0',
    '\ud800',
    'x'.repeat(100_000),
    'a '.repeat(50_000),
    '💥',
    '…',
    '%',
    '_',
  ])('takes %j for words', async (query) => {
    const archive = await filled();
    await expect(archive.search(query)).resolves.toBeInstanceOf(Array);
    expect(await archive.get(addressOf(TEXTS.alone))).toBe(TEXTS.alone);
  });

  it('takes any query and any filter for words', async () => {
    const archive = await filled();
    await fc.assert(
      fc.asyncProperty(anyText, anyText, async (query, filter) => {
        await archive.search(query, { path: filter, tool: filter });
        await archive.search(query);
      }),
      { numRuns: 300 },
    );
  });

  it.each([{ limit: 0 }, { limit: 101 }, { limit: 1.5 }, { snippetChars: 39 }])('refuses %j', async (filters) => {
    await expect((await filled()).search('a', filters)).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  });

  it('takes text of every kind into the index', async () => {
    const archive = sqliteArchive(new Database(':memory:'));
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const marked = `${text} findable`;
        await archive.put(addressOf(marked), marked, { path: text, tool: text, session: text });
        expect((await archive.search('findable', { limit: 100 })).length).toBeGreaterThan(0);
      }),
      { numRuns: 60 },
    );
  });
});
