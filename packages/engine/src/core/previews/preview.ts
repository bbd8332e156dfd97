/** Previews by kind: what of a long text says most in little room. Pure, deterministic and linear in the text, whatever it holds. */
import { headOf } from '../layers/marker.ts';
import { codePreview } from './code.ts';
import { diffPreview, isDiff } from './diff.ts';
import { foldedRows } from './fold.ts';
import { jsonPreview, readJson } from './json.ts';
import { type Language, languageOf, languageOfPath } from './languages.ts';
import { logPreview } from './log.ts';
import { numbered } from './numbering.ts';
import { type LeftOut, Selection } from './rows.ts';
import type { Skeleton } from './skeleton.ts';
import { readTable, tablePreview } from './table.ts';

/** What a text is taken for; `log` is every output of lines, `plain` one without a single error or repetition in it. */
export type PreviewKind = 'log' | 'json' | 'code' | 'diff' | 'table' | 'plain';

/** Of `previewOf`. */
export interface PreviewOptions {
  /** Most characters of the preview, from 200; below, only the beginning is shown. */
  readonly maxChars: number;
  /** Name of the file the text was read from, which tells its language. @default unknown */
  readonly path?: string | undefined;
  /** Makes skeletons in place of the one by indentation, such as a parser. @default by indentation */
  readonly skeleton?: Skeleton | undefined;
}

/** What stands for a long text. */
export interface Preview {
  readonly kind: PreviewKind;
  /** At most `maxChars` characters, and shorter than the text itself. */
  readonly text: string;
  /** What of the original it does not say. */
  readonly left: LeftOut;
}

type Shown = { readonly text: string; readonly left: LeftOut };

/** Below this a preview by kind has no room for anything but its own words. */
const MIN_CHARS = 200;

/** Lines longer than this on average are data, whatever they hold. */
const MAX_CODE_LINE_CHARS = 200;

function languageIn(text: string, lines: readonly string[], path: string | undefined): Language | undefined {
  const named = path === undefined ? undefined : languageOfPath(path);
  if (named === 'none' || text.length > lines.length * MAX_CODE_LINE_CHARS) return undefined;
  return named ?? languageOf(lines);
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** What a text of one value leaves out is not countable by lines. */
function withoutLines(text: string, shown: string): Shown {
  return { text: shown, left: { lines: 0, chars: Math.max(0, text.length - shown.length) } };
}

function byLines(text: string, options: PreviewOptions): (Shown & { readonly kind: PreviewKind }) | undefined {
  const { maxChars, path, skeleton } = options;
  const lines = text.split('\n');
  if (isDiff(lines)) return { kind: 'diff', ...diffPreview(lines, maxChars) };
  const code = numbered(lines);
  const language = languageIn(text, code.lines, path);
  if (language !== undefined) {
    const shown = codePreview({ code, language, skeleton }, maxChars);
    if (shown !== undefined) return { kind: 'code', ...shown };
  }
  const table = readTable(lines);
  return table === undefined ? undefined : { kind: 'table', ...tablePreview(lines, table, maxChars) };
}

function logOf(text: string, maxChars: number): Shown & { readonly kind: PreviewKind } {
  const rows = foldedRows(text);
  const isLog = rows.some((row) => row.alarm > 0 || row.isFrame || row.lines > 1);
  return { kind: isLog ? 'log' : 'plain', ...logPreview(rows, maxChars) };
}

/**
 * A preview of `text` by what it is, or undefined where none would be shorter. JSON: its shape, first and last record. A diff: files with counts,
 * places, first changes. Code: its skeleton. A table: head, first and last rows. Everything else: head, tail, and every line that tells
 * of an error or a warning, identical lines and stack frames of dependencies folded.
 */
export function previewOf(text: string, options: PreviewOptions): Preview | undefined {
  const maxChars = Math.floor(options.maxChars);
  if (text.length === 0 || maxChars <= 0) return undefined;
  if (maxChars < MIN_CHARS) {
    const head = headOf(text, maxChars);
    if (head.length === text.length) return undefined;
    return {
      kind: 'plain',
      text: head,
      left: { lines: countLines(text.slice(head.length)) - 1, chars: text.length - head.length },
    };
  }
  const json = readJson(text);
  const found =
    json === undefined
      ? (byLines(text, { ...options, maxChars }) ?? logOf(text, maxChars))
      : { kind: 'json' as const, ...withoutLines(text, jsonPreview(json, maxChars)) };
  return found.text.length < text.length ? found : undefined;
}

/** `text` without repeated lines and the noise of terminals, everything else in it as it is. */
export function foldedText(text: string): Shown {
  const rows = foldedRows(text, { maxLineChars: Number.POSITIVE_INFINITY, alike: 'progress' });
  const selection = new Selection(rows, Number.POSITIVE_INFINITY);
  rows.forEach((_, i) => selection.add(i));
  return selection.render();
}
