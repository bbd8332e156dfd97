/** The lines of a selection as one text, and where they stand. */
import { headOf, tailOf } from '../layers/marker.ts';
import { GAP, maxLineChars, type Selection } from './select.ts';

export interface Excerpt {
  readonly text: string;
  /** From 1, ends included. */
  readonly ranges: readonly (readonly [from: number, to: number])[];
  readonly lineCount: number;
  /** Characters before the first line that is shown. */
  readonly offset: number;
}

function rangesOf(lines: readonly number[]): readonly (readonly [from: number, to: number])[] {
  const starts = lines.filter((line, index) => index === 0 || lines[index - 1] !== line - 1);
  return starts
    .map((start, index) => {
      const next = starts[index + 1];
      return [start + 1, lines[next === undefined ? lines.length - 1 : lines.indexOf(next) - 1] ?? start] as const;
    })
    .map(([from, last]) => [from, last + 1] as const);
}

/** A very long line, cut around the first place that answers `phrase`. */
function cutLine(line: string, phrase: string, maxChars: number): string {
  if (line.length <= maxChars) return line;
  const at = Math.max(0, line.toLowerCase().indexOf(phrase));
  const start = Math.max(0, Math.min(at - maxChars / 4, line.length - maxChars));
  const body = headOf(tailOf(line, line.length - start), maxChars);
  return `${start > 0 ? GAP : ''}${body}${start + maxChars < line.length ? GAP : ''}`;
}

export function excerptOf({ source, lines, shown }: Selection, phrase: string): Excerpt {
  const maxChars = maxLineChars(source);
  const excerpt = shown.flatMap((line, index) => {
    const text = cutLine(lines[line] ?? '', phrase, maxChars);
    return index > 0 && shown[index - 1] !== line - 1 ? [GAP, text] : [text];
  });
  return {
    text: excerpt.join('\n'),
    ranges: rangesOf(shown),
    lineCount: lines.length,
    offset: lines.slice(0, shown[0] ?? 0).reduce((chars, line) => chars + line.length + 1, 0),
  };
}
