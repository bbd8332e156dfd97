/** What a search finds in a session, and how much of it is shown. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Recalled, RecallHit, SearchFilters } from '../../src/core/recalled.ts';
import { hitHeader } from '../../src/core/recalled.ts';
import { estimateTokens } from '../../src/core/estimate.ts';
import type { History } from '../../src/core/history.ts';
import { defaultLens } from '../../src/core/lenses/default.ts';
import { EMPTY_VIEW } from '../../src/core/view.ts';
import { recallText } from '../../src/hub/recall.ts';
import { createSession } from '../../src/hub/session.ts';
import { redactSecrets } from '../../src/providers/redact.ts';
import { build, historyOf } from './support.ts';

interface Call {
  readonly name: string;
  readonly input: Record<string, unknown>;
  readonly result: string;
  readonly isError?: boolean;
}

/** A session of which nothing is in view. */
function sessionOf(...calls: readonly Call[]): History {
  const messages = calls.flatMap(({ name, input, result, isError = false }, index) => [
    build.assistant({ calls: [{ id: `c${index}`, name, input }] }),
    ...build.results([{ callId: `c${index}`, text: result, isError }]),
  ]);
  return historyOf([build.user('go'), ...messages]);
}

const PORT = {
  lens: defaultLens,
  recallTool: 'recall',
  count: estimateTokens,
  redact: (text: string): string => redactSecrets(text).text,
};

function hidden(history: History): ReturnType<typeof createSession> {
  const range = { kind: 'range', pieces: [] } as never;
  const entries = [{ from: 0, to: history.length, tokens: 0, bytes: 0, range }];
  return { ...createSession(undefined), history, view: { ...EMPTY_VIEW, entries } };
}

function hitsOf(history: History, query: string, filters?: SearchFilters): readonly RecallHit[] {
  const recalled: Recalled = recallText(hidden(history), { query, filters }, PORT);
  return recalled.kind === 'hits' ? recalled.hits : [];
}

const excerpts = (...given: Parameters<typeof hitsOf>): readonly string[] =>
  hitsOf(...given).map(({ excerpt }) => excerpt);

const numbered = (count: number, name = 'line'): string[] =>
  Array.from({ length: count }, (_, index) => `${name} number ${index + 1} of the text`);

const read = (path: string, result: string): Call => ({ name: 'read_file', input: { path }, result });
const edit = (path: string, oldText: string, newText: string): Call => ({
  name: 'edit_file',
  input: { path, old_text: oldText, new_text: newText },
  result: 'ok',
});
const bash = (command: string, result: string): Call => ({ name: 'bash', input: { command }, result });

describe('a search for a name', () => {
  it('gives the lines around it, and says where they stand', () => {
    const lines = numbered(500);
    lines[249] = 'const nextSeqOf = 1;';
    const [hit] = hitsOf(sessionOf(read('a.ts', lines.join('\n'))), 'nextSeqOf', { maxTokens: 150 });
    expect(hit?.excerpt.split('\n')).toContain('const nextSeqOf = 1;');
    expect(hit?.excerpt.split('\n').length).toBeGreaterThan(5);
    expect(hit).toMatchObject({ lineCount: 500 });
    const [from, to] = hit?.ranges[0] ?? [0, 0];
    expect(from < 250 && to > 250).toBe(true);
    expect(
      lines
        .join('\n')
        .slice(hit?.offset)
        .split('\n')
        .slice(0, to - from + 1)
        .join('\n'),
    ).toBe(hit?.excerpt);
  });

  it('shows every place of a text before it shows more around one, with a mark between', () => {
    const lines = numbered(300);
    for (const at of [10, 100, 200]) lines[at] = `uses the needle ${at}`;
    expect(excerpts(sessionOf(bash('cat', lines.join('\n'))), 'needle', { maxTokens: 75 })).toEqual([
      'uses the needle 10\n…\nuses the needle 100\n…\nuses the needle 200',
    ]);
  });

  it('gives the definition first where there is room for little', () => {
    const history = sessionOf(
      read('a.ts', ['export function budgetOf(): number {', ...numbered(50)].join('\n')),
      ...[1, 2, 3].map((n) => bash(`grep ${n}`, `a${n}.ts: return budgetOf(${n}) + 1;`)),
    );
    expect(excerpts(history, 'budgetOf', { maxHits: 1 })[0]?.split('\n')[0]).toBe(
      'export function budgetOf(): number {',
    );
  });

  it('never gives a line twice, and the newest text that has it', () => {
    const text = ['const needle = 1;', ...numbered(20)].join('\n');
    const hits = hitsOf(sessionOf(read('a.ts', text), read('a.ts', text), read('a.ts', text)), 'needle');
    expect(hits.map(({ entry }) => entry)).toEqual([6]);
  });

  it('finds what the case, quotes and marks around a name would hide', () => {
    const history = sessionOf(bash('x', 'see `Plan.Ts`.'));
    for (const query of ['plan.ts', '"plan.ts"', 'plan.ts.', 'PLAN.TS,'])
      expect(excerpts(history, query)).toEqual(['see `Plan.Ts`.']);
  });

  it('finds the words of a text that stands nowhere as it is', () => {
    const history = sessionOf(bash('x', 'the cache was cold\nnothing\nall is well'), bash('y', 'other'));
    expect(excerpts(history, 'cold cache', { maxTokens: 60 })[0]).toContain('the cache was cold');
  });

  it('was drowned by many lines of one word of the query: a line that has them all comes first', () => {
    const noise = Array.from({ length: 40 }, (_, i) =>
      bash(`x${i}`, numbered(30, `limitOf${i} = limit; the`).join('\n')),
    );
    const history = sessionOf(bash('deploy', 'the mailer limit is 17'), ...noise);
    expect(excerpts(history, 'limit mailer')[0]?.split('\n')[0]).toBe('the mailer limit is 17');
  });

  it('was drowned by names that only hold a word of the query', () => {
    const calls = [
      bash('deploy', 'mailer: 17 at most'),
      ...[1, 2, 3, 4, 5, 6].map((n) => read(`a${n}.ts`, numbered(40, `receiptLimit${n} of`).join('\n'))),
    ];
    expect(excerpts(sessionOf(...calls), 'limit mailer')).toContain('mailer: 17 at most');
  });

  it('finds what the user said under many results that say more', () => {
    const calls = Array.from({ length: 12 }, (_, i) =>
      bash(`x${i}`, `export const MAILER_LIMIT_${i} = 9;\nmailer limit ${i}`),
    );
    const history = historyOf([
      build.user('The mailer may use 3 connections at most.'),
      ...calls.flatMap(({ name, input, result }, index) => [
        build.assistant({ calls: [{ id: `c${index}`, name, input }] }),
        ...build.results([{ callId: `c${index}`, text: result, isError: false }]),
      ]),
    ]);
    expect(excerpts(history, 'limit mailer')).toContain('The mailer may use 3 connections at most.');
  });

  it('cut what the user said in one long line', () => {
    const said = `Work through PLAN.md from top to bottom. ${'Tick each point when it is done, never before. '.repeat(20)}The end.`;
    const history = historyOf([
      build.user(said),
      build.assistant({ calls: [{ id: 'c', name: 'read_file', input: { path: 'PLAN.md' } }] }),
      ...build.results([{ callId: 'c', text: numbered(50, 'work from top to').join('\n'), isError: false }]),
    ]);
    expect(excerpts(history, 'Work through PLAN.md from top')).toContain(said);
  });

  it('shows both ends of what only its command matches', () => {
    const history = sessionOf(bash('npm test', numbered(100).join('\n')));
    const texts = excerpts(history, 'npm test').join('\n').split('\n');
    expect(texts).toContain('npm test');
    expect(texts).toContain('line number 1 of the text');
    expect(texts).toContain('line number 100 of the text');
  });
});

describe('a search for a file', () => {
  it('knew nothing of files that commands printed', () => {
    const text = ['export const first = 1;', ...numbered(20)].join('\n');
    for (const command of ['cat src/plan.ts', "sed -n '1,21p' src/plan.ts"])
      expect(excerpts(sessionOf(bash(command, text)), 'plan.ts')[0]).toContain('export const first = 1;');
  });

  it('shows a line as it was written last before what it replaced', () => {
    const history = sessionOf(
      read('todo.md', ['- [ ] write the parser', ...numbered(40)].join('\n')),
      edit('todo.md', '- [ ] write the parser', '- [x] write the parser'),
    );
    const shown = excerpts(history, 'todo.md', { maxTokens: 90 }).join('\n').split('\n');
    expect(shown).toContain('- [x] write the parser');
    expect(shown).not.toContain('- [ ] write the parser');
  });
});

describe('a search for a file', () => {
  it('gives what was written into it, then what was read of it, and not what only names it', () => {
    const history = sessionOf(
      read('/work/src/core/plan.ts', ['import { a } from "b";', ...numbered(20)].join('\n')),
      edit('/work/src/core/plan.ts', 'line number 5 of the text', 'the fifth line, written anew'),
      bash('ls', 'plan.ts'),
    );
    for (const query of ['plan.ts', 'core/plan.ts', './src/core/plan.ts', '/work/src/core/plan.ts']) {
      const found = excerpts(history, query);
      expect(found.join('\n')).toContain('the fifth line, written anew');
      expect(found.join('\n')).toContain('import { a } from "b";');
      expect(found).not.toContain('plan.ts');
    }
    // The end of a name is a text like any other.
    expect(excerpts(history, 'lan.ts')).toContain('plan.ts');
  });

  it('looks for other words inside it', () => {
    const history = sessionOf(
      read('a.ts', ['the needle of a', ...numbered(40)].join('\n')),
      read('b.ts', ['the needle of b', ...numbered(40)].join('\n')),
    );
    expect(excerpts(history, 'a.ts needle').map((text) => text.split('\n')[0])).toEqual(['the needle of a']);
    expect(excerpts(history, 'c.ts needle')[0]).toContain('the needle of b');
  });

  it('knows tools the lens does not', () => {
    const history = sessionOf({
      name: 'Edit',
      input: { file_path: 'x/y.py', new_string: 'def run():\n  pass' },
      result: 'ok',
    });
    expect(excerpts(history, 'y.py')[0]).toContain('def run():\n  pass');
  });
});

describe('a search', () => {
  it('is narrowed by file, tool and message', () => {
    const history = sessionOf(read('a.ts', 'needle one'), bash('x', 'needle two'), read('b.ts', 'needle three'));
    expect(excerpts(history, 'needle', { path: 'b.ts' })).toEqual(['needle three']);
    expect(excerpts(history, 'needle', { tool: 'bash' })).toEqual(['needle two']);
    expect(excerpts(history, 'needle', { since: 3 })).toEqual(['needle three', 'needle two']);
    expect(excerpts(history, 'needle', { since: 3, until: 5 })).toEqual(['needle two']);
  });

  it('takes filters in the query', () => {
    const history = sessionOf(read('a.ts', 'needle one'), bash('x', 'needle two'), read('b.ts', 'needle path:b.ts'));
    expect(excerpts(history, 'needle path:b.ts')).toEqual(['needle path:b.ts']);
    expect(excerpts(history, 'tool:bash needle')).toEqual(['needle two']);
    expect(excerpts(history, 'needle since:3 until:5')).toEqual(['needle two']);
    expect(excerpts(history, 'path:a.ts')).toEqual(['needle one']);
    expect(excerpts(history, '"needle path:b.ts"')).toEqual(['needle path:b.ts']);
    expect(excerpts(history, 'since:0')).toEqual([]);
  });

  it('counts what it leaves out', () => {
    const history = sessionOf(...Array.from({ length: 9 }, (_, index) => bash('x', `needle ${index}`)));
    expect(recallText(hidden(history), { query: 'needle' }, PORT)).toMatchObject({ omitted: 4 });
    expect(recallText(hidden(history), { query: 'nothing' }, PORT)).toMatchObject({ hits: [], omitted: 0 });
    expect(recallText(hidden(history), { query: ' \n' }, PORT)).toMatchObject({ hits: [], omitted: 0 });
  });

  it('refuses filters out of range', () => {
    const history = sessionOf(bash('x', 'y'));
    expect(() => hitsOf(history, 'y', { maxHits: 0 })).toThrow('maxHits must be a whole number from 1 to 20, got 0');
    expect(() => hitsOf(history, 'y', { maxTokens: 49 })).toThrow('maxTokens must be a whole number from 50, got 49');
  });

  it('leaves out what recall said before', () => {
    const history = sessionOf(bash('x', 'the needle'), {
      name: 'recall',
      input: { query: 'needle' },
      result: 'the needle',
    });
    expect(hitsOf(history, 'needle').map(({ entry }) => entry)).toEqual([2]);
  });

  it('shows no secret, nor half of one', () => {
    const key = Array.from({ length: 40 }, (_, index) => `MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj${index}`);
    const pem = ['-----BEGIN PRIVATE KEY-----', ...key, '-----END PRIVATE KEY-----'].join('\n');
    const history = sessionOf(
      bash('export NPM_TOKEN=npm_abcdefghijklmnopqrstuvwxyz0123456789', `${pem}\nthe needle\nPASSWORD=hunter2hunter2`),
    );
    const hits = hitsOf(history, 'needle');
    const shown = hits.map((hit) => `${hitHeader(hit)}\n${hit.excerpt}`).join('\n');
    expect(shown).toContain('the needle');
    expect(shown).toContain('[redacted: password]');
    expect(shown).not.toMatch(/npm_abc|MIIE|hunter2/);
    expect(excerpts(history, 'MIIEvQ').join('')).not.toContain('MIIE');
  });

  it('never takes more than its budget, nor shows a line the text does not have', () => {
    const word = fc.constantFrom(
      'needle',
      'const',
      'a.ts',
      'x',
      '',
      'function needle()',
      '  }',
      '🙂'.repeat(300),
      'y'.repeat(900),
    );
    const text = fc.array(word, { maxLength: 60 }).map((lines) => lines.join('\n'));
    const call = fc.oneof(
      text.map((result) => read('a.ts', result)),
      text.map((result) => bash('needle', result)),
      text.map((body) => edit('a.ts', 'x', body)),
    );
    fc.assert(
      fc.property(
        fc.array(call, { maxLength: 12 }),
        fc.constantFrom('needle', 'a.ts', 'a.ts needle', 'const needle'),
        fc.integer({ min: 50, max: 3_000 }),
        (calls, query, maxTokens) => {
          const hits = hitsOf(sessionOf(...calls), query, { maxTokens });
          const shown = hits.map((hit) => `${hitHeader(hit)}\n${hit.excerpt}`).join('\n\n');
          expect(estimateTokens(shown)).toBeLessThanOrEqual(maxTokens);
          const all = new Set(
            calls
              .flatMap(({ input, result }) => [...Object.values(input).map(String), result])
              .flatMap((t) => t.split('\n')),
          );
          for (const line of shown.split('\n').filter((l) => l.length < 100 && l !== '…' && !l.startsWith('recall: ')))
            expect(all.has(line) || line === '').toBe(true);
          expect(shown.isWellFormed()).toBe(true);
        },
      ),
      { numRuns: 200 },
    );
  });
});
