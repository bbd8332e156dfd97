/** The page of known failures, held to the tests it names. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './architecture/sources.ts';

const CASES = 163;
/** Cases that have a test at least. */
const MIN_NAMED = 105;

interface Row {
  readonly id: string;
  readonly file?: string;
  readonly title?: string;
  readonly reason?: string;
}

/** `- **B01** What. `file`: “title”`, or a reason why there is no test. */
const ROW =
  /^- \*\*(?<id>[A-Z]\d\d)\*\* [^`]+\. (?:`(?<file>[^`]+)`: “(?<title>[^”]+)”(?:;.*)?|No test: (?<reason>.+))$/;

function rowsOf(page: string): readonly Row[] {
  return page.split('\n').flatMap((line) => {
    const found = ROW.exec(line);
    return found === null ? [] : [found.groups as unknown as Row];
  });
}

const page = readFileSync(join(ROOT, 'docs/known-failures.md'), 'utf8');
const rows = rowsOf(page);
const named = rows.filter(({ file }) => file !== undefined);

describe('known failures', () => {
  it('every line of the lists can be read', () => {
    const lines = page.split('\n').filter((line) => /\*\*[A-Z]\d\d\*\*/.test(line));
    expect(rows).toHaveLength(lines.length);
  });

  it(`each of the ${CASES} cases stands there once`, () => {
    expect(rows).toHaveLength(CASES);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(CASES);
  });

  it(`at least ${MIN_NAMED} have a test, and the page counts them right`, () => {
    expect(named.length).toBeGreaterThanOrEqual(MIN_NAMED);
    expect(page).toContain(`${CASES} cases; ${named.length} have a test.`);
  });

  it.each(named)('$id: the test is there, with the id in front of its title', ({ id, file = '', title = '' }) => {
    expect(title.startsWith(`${id}: `)).toBe(true);
    expect(existsSync(join(ROOT, file)), file).toBe(true);
    expect(readFileSync(join(ROOT, file), 'utf8')).toContain(title);
  });

  it('the others have a reason', () => {
    const others = rows.filter(({ file }) => file === undefined);
    expect(others.filter(({ reason = '' }) => reason.length < 20)).toEqual([]);
  });
});
