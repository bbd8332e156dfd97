/** Source code: its skeleton with the numbers of lines, as much as there is room for. */
import type { Language } from './languages.ts';
import type { Numbered } from './numbering.ts';
import { clipped, type LeftOut, type Row, Selection } from './rows.ts';
import { type OutlineItem, outlineByIndent, type Skeleton } from './skeleton.ts';

const MAX_ITEM_CHARS = 240;

/** Items that stand for every line in order: what a parser was given may have it confused. */
function isWhole(items: readonly OutlineItem[], lines: number): boolean {
  let next = 0;
  for (const { from, to, at } of items) {
    if (from !== next || to <= from || at < from || at >= to) return false;
    next = to;
  }
  return next === lines && items.length > 0;
}

function rowsOf(items: readonly OutlineItem[], code: Numbered): readonly Row[] {
  const width = String(code.numberOf(items.at(-1)?.at ?? 0)).length;
  return items.map((item) => {
    const { text } = clipped(item.text, MAX_ITEM_CHARS);
    const lines = code.lines.slice(item.from, item.to);
    const chars = lines.reduce((sum, line) => sum + line.length + 1, 0);
    return {
      text: `${String(code.numberOf(item.at)).padStart(width)}: ${text}`,
      lines: lines.length,
      chars,
      saidLines: 1,
      saidChars: Math.min(chars, (code.lines[item.at]?.length ?? 0) + 1),
      alarm: 0,
      isFrame: false,
    };
  });
}

/** What a skeleton is made of. */
export interface CodeText {
  readonly code: Numbered;
  readonly language: Language;
  readonly skeleton?: Skeleton | undefined;
}

/** The skeleton in at most `maxChars`; undefined where the text has none. */
export function codePreview(
  { code, language, skeleton }: CodeText,
  maxChars: number,
): { readonly text: string; readonly left: LeftOut } | undefined {
  const source = code.lines.join('\n');
  const parsed = skeleton?.(source, language);
  const items = parsed !== undefined && isWhole(parsed, code.lines.length) ? parsed : outlineByIndent(source, language);
  if (items === undefined || items.length < 2) return undefined;
  const rows = rowsOf(items, code);
  const title = `Skeleton (${language}), ${code.lines.length} lines, each behind its number:`;
  const selection = new Selection(rows, maxChars - title.length - 1);
  for (const rank of [0, 1, 2, 3]) items.forEach((item, i) => item.rank === rank && selection.add(i));
  const { text, left } = selection.render();
  return { text: `${title}\n${text}`, left };
}
