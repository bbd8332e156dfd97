/** A unified diff: which files, how much in each, where, and the first changed lines of each place. */
import { rowOf, type LeftOut, type Row, Selection } from './rows.ts';

interface FileChange {
  readonly path: string;
  added: number;
  removed: number;
}

type Mark = 'file' | 'hunk' | 'change' | 'other';

interface Diff {
  readonly files: readonly FileChange[];
  readonly marks: readonly Mark[];
}

const HUNK = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/;

/** What is left of the hunk being read, lines of the old file and of the new. */
interface Rest {
  old: number;
  fresh: number;
}

/** Takes a line of a hunk. */
function takeInside(line: string, rest: Rest, file: FileChange | undefined): Mark {
  const sign = line[0];
  if (sign === '\\') return 'other';
  if (sign !== '+') rest.old -= 1;
  if (sign !== '-') rest.fresh -= 1;
  if (sign !== '+' && sign !== '-') return 'other';
  if (file !== undefined) file[sign === '+' ? 'added' : 'removed'] += 1;
  return 'change';
}

/** Reads line by line; counts in the head of a hunk tell where it ends, so that a removed `-- x` is no file. */
function readDiff(lines: readonly string[]): Diff {
  const files: FileChange[] = [];
  const rest: Rest = { old: 0, fresh: 0 };
  const marks = lines.map((line, i): Mark => {
    if (rest.old > 0 || rest.fresh > 0) return takeInside(line, rest, files.at(-1));
    const hunk = HUNK.exec(line);
    if (hunk !== null) {
      rest.old = Number(hunk[2] ?? 1);
      rest.fresh = Number(hunk[4] ?? 1);
      return 'hunk';
    }
    const path = pathOf(line, lines[i + 1] ?? '');
    if (path !== undefined) files.push({ path, added: 0, removed: 0 });
    return markOf(line);
  });
  return { files, marks };
}

function markOf(line: string): Mark {
  return /^(?:diff |--- |\+\+\+ |rename |deleted |new file|Binary )/.test(line) ? 'file' : 'other';
}

/** The path a pair of `---` and `+++` names, or what was there before where the file is gone. */
function pathOf(line: string, next: string): string | undefined {
  if (!line.startsWith('--- ') || !next.startsWith('+++ ')) return undefined;
  const isGone = next.startsWith('+++ /dev/null');
  return (isGone ? line : next)
    .slice(4)
    .split('\t')[0]
    ?.trim()
    .replace(/^[ab]\//, '')
    .slice(0, 200);
}

/** Lines looked at for the head of a diff. */
const PROBED_LINES = 40;

export function isDiff(lines: readonly string[]): boolean {
  const probe = lines.slice(0, PROBED_LINES);
  return probe.some(
    (line, i) => line.startsWith('--- ') && (lines[i + 1] ?? '').startsWith('+++ ') && HUNK.test(lines[i + 2] ?? ''),
  );
}

function summary(files: readonly FileChange[], maxChars: number): string {
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  const out = [`${files.length} ${files.length === 1 ? 'file' : 'files'} changed, +${added} −${removed}:`];
  let room = maxChars - (out[0]?.length ?? 0) - 32;
  for (const file of files) {
    const line = `  ${file.path} +${file.added} −${file.removed}`;
    if (line.length + 1 > room) break;
    out.push(line);
    room -= line.length + 1;
  }
  return out.length > files.length
    ? out.join('\n')
    : [...out, `  … and ${files.length - out.length + 1} more`].join('\n');
}

const FIRST_CHANGES = 3;

function choose(selection: Selection, marks: readonly Mark[]): void {
  marks.forEach((mark, i) => mark === 'hunk' && selection.add(i));
  let since = FIRST_CHANGES;
  marks.forEach((mark, i) => {
    if (mark === 'hunk') since = 0;
    if (mark === 'change' && since++ < FIRST_CHANGES) selection.add(i);
  });
  marks.forEach((mark, i) => mark === 'file' && selection.add(i));
  marks.forEach((mark, i) => mark === 'change' && selection.add(i));
  marks.forEach((_, i) => selection.add(i));
}

/** Share of the room for the list of files. */
const SUMMARY_SHARE = 0.35;

export function diffPreview(
  lines: readonly string[],
  maxChars: number,
): { readonly text: string; readonly left: LeftOut } {
  const { files, marks } = readDiff(lines);
  const head = summary(files, Math.floor(maxChars * SUMMARY_SHARE));
  const rows: readonly Row[] = lines.map((line) => rowOf(line));
  const selection = new Selection(rows, maxChars - head.length - 1);
  choose(selection, marks);
  const { text, left } = selection.render();
  return { text: `${head}\n${text}`, left };
}
